/* history.c -- see history.h: samples taken and written, and how long they stay. */
#include "history/history.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "board/counters.h"
#include "history/history_internal.h"
#include "store/statements.h"

#define MINUTE_SECONDS 60
#define AHEAD_SECONDS 3600               /* a row that far in the future was written by a wrong clock */
#define SAMPLE_KEYS 3u                   /* span, at, node */

_Static_assert(HISTORY_LATENCIES == COUNTER_BUCKETS - 1, "what is slower than the last is in HISTORY_TIMED");

const struct history_span history_spans[HISTORY_SPANS] = {
	{ 60, DAY_SECONDS }, { 600, 14 * DAY_SECONDS }, { 3600, 400 * DAY_SECONDS },
};

static int64_t now_of(const struct history *history)
{
	return history->now ? history->now() : clock_unix_seconds();
}

/* As it calls itself, unless that could not stand on a page. */
static void name_node(char node[HISTORY_NODE_BYTES])
{
	struct text name;

	memset(node, 0, HISTORY_NODE_BYTES);
	if (gethostname(node, HISTORY_NODE_BYTES - 1) < 0)
		node[0] = '\0';
	name = text_of(node);
	if (name.size == 0 || !text_is_utf8(name) || text_has_controls(name))
		memcpy(node, "localhost", sizeof("localhost"));
}

/* --- Looking ------------------------------------------------------------------------------- */

static bool is_sum(unsigned field)
{
	return field != HISTORY_JOBS_LIVE && field != HISTORY_CACHE_BYTES;
}

static int64_t read_meter(const struct board *board, const struct history_meter *meter)
{
	uint64_t sum = 0;

	if (meter->index != HISTORY_ALL)
		return (int64_t)board_counter(board, meter->set, meter->index);
	for (unsigned i = 0; i < meter->set->count; i++)
		if (!meter->counts || meter->counts(i))
			sum += board_counter(board, meter->set, i);
	return (int64_t)sum;
}

/* Each bucket with those before it: so a quantile can be read off a row in SQL. */
static void read_latencies(const struct board *board, const struct history_meter *meter,
			   struct history_point *point)
{
	uint64_t below = 0;

	for (unsigned i = 0; i < HISTORY_LATENCIES; i++) {
		below += board_counter(board, meter->set, i);
		point->values[HISTORY_LATENCY + i] = (int64_t)below;
	}
	below += board_counter(board, meter->set, HISTORY_LATENCIES);
	point->values[HISTORY_TIMED] = (int64_t)below;
}

static void look(const struct history *history, struct history_point *point)
{
	memset(point, 0, sizeof(*point));
	for (size_t i = 0; i < history->meters.count; i++) {
		const struct history_meter *meter = &history->meters.meters[i];

		if (meter->field == HISTORY_LATENCY)
			read_latencies(history->board, meter, point);
		else
			point->values[meter->field] += read_meter(history->board, meter);
	}
}

void history_init(struct history *history, struct store *store, const struct board *board,
		  struct history_meters meters, int64_t (*now)(void))
{
	*history = (struct history){ .store = store, .board = board, .meters = meters, .now = now };
	name_node(history->node);
	history->looked_at = now_of(history);
	look(history, &history->seen);
}

bool history_is_due(const struct history *history)
{
	return now_of(history) / MINUTE_SECONDS != history->looked_at / MINUTE_SECONDS;
}

/* --- Writing ------------------------------------------------------------------------------- */

/* False: a counter began anew. */
static bool subtract(const struct history_point *now, const struct history_point *before,
		     struct history_point *added)
{
	for (unsigned i = 0; i < HISTORY_FIELDS; i++) {
		added->values[i] = now->values[i] - before->values[i];
		if (added->values[i] < 0)
			return false;
	}
	return true;
}

static int add_row(const struct history *history, int64_t span, int64_t minute_at,
		   const struct history_point *point, struct err *err)
{
	struct store_value values[SAMPLE_KEYS + HISTORY_FIELDS] = {
		store_int(span), store_int(minute_at - minute_at % span), store_text(text_of(history->node)),
	};

	for (unsigned i = 0; i < HISTORY_FIELDS; i++)
		values[SAMPLE_KEYS + i] = store_int(point->values[i]);
	if (point->values[HISTORY_CACHE_BYTES] == HISTORY_UNKNOWN)
		values[SAMPLE_KEYS + HISTORY_CACHE_BYTES].type = STORE_NULL;
	return store_run(history->store, STATEMENT_sample_add, values, SAMPLE_KEYS + HISTORY_FIELDS, NULL,
			 NULL, err) < 0 ? -1 : 0;
}

static int write_sample(const struct history *history, int64_t minute_at,
			const struct history_point *point, struct err *err)
{
	if (store_begin(history->store, STORE_TURN_SAMPLE, TEXT_NONE, err) < 0)
		return -1;
	for (unsigned i = 0; i < HISTORY_SPANS; i++) {
		if (add_row(history, history_spans[i].seconds, minute_at, point, err) < 0) {
			store_rollback(history->store);
			return -1;
		}
	}
	return store_commit(history->store, err);
}

int history_write(struct history *history, struct history_gauges gauges, struct err *err)
{
	int64_t now = now_of(history);
	int64_t minute = history->looked_at / MINUTE_SECONDS;
	struct history_point seen, added;
	bool is_next = now / MINUTE_SECONDS == minute + 1;

	if (now / MINUTE_SECONDS == minute)
		return 0;
	look(history, &seen);
	if (is_next && subtract(&seen, &history->seen, &added)) {
		added.values[HISTORY_SECONDS] = now - history->looked_at;
		added.values[HISTORY_JOBS_LIVE] = gauges.jobs_live;
		added.values[HISTORY_CACHE_BYTES] = gauges.cache_bytes;
		/* A database that is busy now may not be in a second: the minute is written then. */
		if (write_sample(history, minute * MINUTE_SECONDS, &added, err) < 0)
			return err_while(err, "writing a sample");
	}
	history->looked_at = now;
	history->seen = seen;
	return 0;
}

int history_forget(struct history *history, uint64_t *removed, struct err *err)
{
	int64_t now = now_of(history);

	*removed = 0;
	for (unsigned i = 0; i < HISTORY_SPANS; i++) {
		const struct history_span *span = &history_spans[i];
		const struct store_value values[] = {
			store_int(span->seconds), store_int(now - span->kept_seconds),
			store_int(now + AHEAD_SECONDS),
		};
		int64_t rows = store_run(history->store, STATEMENT_sample_forget, values, 3, NULL, NULL, err);

		if (rows < 0)
			return err_while(err, "removing samples");
		*removed += (uint64_t)rows;
	}
	return 0;
}

/* --- Points -------------------------------------------------------------------------------- */

const char *history_field_name(enum history_field field)
{
	static const char *const names[HISTORY_FIELDS] = {
		"seconds", "requests", "failed", "asked", "cold", "jobs_completed", "jobs_failed",
		"jobs_timeout", "jobs_internal", "hits", "misses", "downloads_ok", "downloads_absent",
		"downloads_failed", "download_bytes", "written_bytes", "cells_done", "cells_failed",
		"cells_crashed", "cells_limit", "cells_killed", "jobs_live", "cache_bytes", "timed",
		"le_1", "le_2", "le_4", "le_8", "le_16", "le_32", "le_64", "le_128", "le_256", "le_512",
		"le_1024", "le_2048", "le_4096", "le_8192", "le_16384", "le_32768", "le_65536",
	};

	return names[field];
}

int64_t history_quantile(const struct history_point *point, unsigned percent)
{
	int64_t timed = point->values[HISTORY_TIMED];

	if (timed == 0)
		return -1;
	for (unsigned i = 0; i < HISTORY_LATENCIES; i++)
		if (point->values[HISTORY_LATENCY + i] * 100 >= timed * (int64_t)percent)
			return (int64_t)1 << i;
	return HISTORY_SLOWEST_MILLIS;
}

void history_point_add(struct history_point *point, const struct history_point *other)
{
	for (unsigned i = 0; i < HISTORY_FIELDS; i++) {
		if (is_sum(i))
			point->values[i] += other->values[i];
		else if (other->values[i] > point->values[i])
			point->values[i] = other->values[i];
	}
}
