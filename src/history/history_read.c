/* history_read.c -- see history.h: a range of samples, a series for each node. */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "history/history_internal.h"
#include "store/statements.h"

#define STEP_SECONDS_MAX (30 * DAY_SECONDS)
#define VALUE_MAX ((int64_t)1 << 45)     /* 32 TiB in a minute; times 1440 rows a point, times 100 */
#define FROM_MAX ((int64_t)1 << 40)      /* far from where sums of times overflow */

/* The columns are in the order of enum history_field, whatever is added to either. */
#define FIRST COLUMN_sample_range_seconds
_Static_assert(COLUMN_sample_range_jobs_internal - FIRST == HISTORY_JOBS_INTERNAL &&
	       COLUMN_sample_range_written_bytes - FIRST == HISTORY_WRITTEN_BYTES &&
	       COLUMN_sample_range_cache_bytes - FIRST == HISTORY_CACHE_BYTES &&
	       COLUMN_sample_range_le_1 - FIRST == HISTORY_LATENCY &&
	       COLUMN_sample_range_le_65536 - FIRST == HISTORY_FIELDS - 1, "a column for each field");

struct history_range history_range_until(int64_t now, int64_t step, unsigned points)
{
	int64_t last = now - now % step;

	return (struct history_range){ .from = last - (int64_t)(points - 1) * step, .step = step,
				       .points = points };
}

struct range_reading {
	const struct history_range *range;
	struct arena *arena;
	struct history_series *series;
	struct history_point *points[HISTORY_SERIES_MAX];
	unsigned count;
	bool has_more, is_out_of_memory;
};

/* All gaps. */
static int begin_series(struct range_reading *reading, struct text node)
{
	struct history_point *points = arena_alloc(reading->arena, reading->range->points, sizeof(*points));
	char *name = arena_strndup(reading->arena, node.bytes, node.size);

	if (!points || !name)
		return -1;
	for (unsigned i = 0; i < reading->range->points; i++)
		points[i].values[HISTORY_CACHE_BYTES] = HISTORY_UNKNOWN;
	reading->points[reading->count] = points;
	reading->series[reading->count++] = (struct history_series){ name, *reading->range, points };
	return 0;
}

/* NULL: there are too many nodes, or no memory. */
static struct history_point *points_of(struct range_reading *reading, struct text node)
{
	for (unsigned i = 0; i < reading->count; i++)
		if (text_is(node, reading->series[i].node))
			return reading->points[i];
	reading->has_more = reading->count == HISTORY_SERIES_MAX;
	if (reading->has_more)
		return NULL;
	reading->is_out_of_memory = begin_series(reading, node) < 0;
	return reading->is_out_of_memory ? NULL : reading->points[reading->count - 1];
}

/* Whatever somebody wrote there by hand: sums of as many rows as there may be do not overflow. */
static int64_t bounded(int64_t value)
{
	return value < 0 ? 0 : value > VALUE_MAX ? VALUE_MAX : value;
}

static int read_row(void *payload, const struct store_value *columns, unsigned count)
{
	struct range_reading *reading = payload;
	struct history_point *points = points_of(reading, columns[COLUMN_sample_range_node].text);
	int64_t at = columns[COLUMN_sample_range_at].number - reading->range->from;
	struct history_point row;

	(void)count;
	if (!points)
		return reading->is_out_of_memory;
	for (unsigned i = 0; i < HISTORY_FIELDS; i++)
		row.values[i] = bounded(columns[FIRST + i].number);
	if (columns[FIRST + HISTORY_CACHE_BYTES].type == STORE_NULL)
		row.values[HISTORY_CACHE_BYTES] = HISTORY_UNKNOWN;
	history_point_add(&points[at / reading->range->step], &row);
	return 0;
}

/* The coarsest rows that its steps are made of; 0: of none. */
static int64_t span_of(const struct history_range *range)
{
	int64_t span = 0;

	for (unsigned i = 0; i < HISTORY_SPANS; i++)
		if (range->step % history_spans[i].seconds == 0 && range->from % history_spans[i].seconds == 0)
			span = history_spans[i].seconds;
	return span;
}

static int check(const struct history_range *range, struct err *err)
{
	if (range->points == 0 || range->points > HISTORY_POINTS_MAX)
		return err_set(err, ERR_BAD_REQUEST, "a range of %u points (1 to %u)", range->points,
			       HISTORY_POINTS_MAX);
	if (range->step <= 0 || range->step > STEP_SECONDS_MAX || range->from < 0 ||
	    range->from > FROM_MAX || span_of(range) == 0)
		return err_set(err, ERR_BAD_REQUEST, "a range from %lld in steps of %lld s is not of whole "
			       "minutes", (long long)range->from, (long long)range->step);
	return 0;
}

/* Few: by insertion. */
static void sort(struct history_series *series, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		struct history_series one = series[i];
		unsigned at = i;

		for (; at > 0 && strcmp(series[at - 1].node, one.node) > 0; at--)
			series[at] = series[at - 1];
		series[at] = one;
	}
}

int history_read(struct store *store, const struct history_range *range, struct arena *arena,
		 struct history_list *list, struct err *err)
{
	struct range_reading reading = { .range = range, .arena = arena };
	struct store_value values[3] = { { .type = STORE_NULL } };

	memset(list, 0, sizeof(*list));
	if (check(range, err) < 0)
		return -1;
	reading.series = arena_alloc(arena, HISTORY_SERIES_MAX, sizeof(*reading.series));
	if (!reading.series)
		return err_set(err, ERR_NO_MEMORY, "no room for samples");
	values[0] = store_int(span_of(range));
	values[1] = store_int(range->from);
	values[2] = store_int(range->from + range->step * (int64_t)range->points);
	if (store_run(store, STATEMENT_sample_range, values, 3, read_row, &reading, err) < 0)
		return err_while(err, "reading samples");
	if (reading.is_out_of_memory)
		return err_set(err, ERR_NO_MEMORY, "no room for %u points of samples", range->points);
	sort(reading.series, reading.count);
	*list = (struct history_list){ reading.series, reading.count, reading.has_more };
	return 0;
}
