/* metrics.c -- the board as Prometheus text. */
#include "board/board.h"

#include <inttypes.h>

#include "base/buf.h"
#include "board/board_layout.h"
#include "board/counters.h"

static void add_heading(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

struct exposition { const struct board *board; struct buf *out; };

static void add_labels(struct buf *out, const struct counter_set *set,
		       const struct text values[COUNTER_LABELS])
{
	for (unsigned i = 0; i < COUNTER_LABELS && set->labels[i]; i++) {
		buf_printf(out, "%s%s=\"", i == 0 ? "{" : ",", set->labels[i]);
		buf_add_text(out, values[i]);
		buf_add_char(out, '"');
	}
	if (set->labels[0])
		buf_add_char(out, '}');
}

static void add_totals(const struct exposition *exposition, const struct counter_set *set)
{
	struct text values[COUNTER_LABELS] = { TEXT_NONE };      /* without labels nobody describes them */

	add_heading(exposition->out, set->name, "counter", set->help);
	for (unsigned i = 0; i < set->count; i++) {
		if (set->describe && !set->describe(i, values))
			continue;
		buf_add_string(exposition->out, set->name);
		add_labels(exposition->out, set, values);
		buf_printf(exposition->out, " %" PRIu64 "\n", board_counter(exposition->board, set, i));
	}
}

static void add_durations(const struct exposition *exposition, const struct counter_set *set)
{
	uint64_t sum_millis = board_counter(exposition->board, set, COUNTER_BUCKETS), below = 0;
	struct buf *out = exposition->out;

	add_heading(out, set->name, "histogram", set->help);
	for (unsigned i = 0; i < COUNTER_BUCKETS; i++) {
		below += board_counter(exposition->board, set, i);
		if (i < COUNTER_BUCKETS - 1)
			buf_printf(out, "%s_bucket{le=\"%u.%03u\"} %" PRIu64 "\n", set->name,
				   (1u << i) / 1000, (1u << i) % 1000, below);
		else
			buf_printf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", set->name, below);
	}
	buf_printf(out, "%s_sum %" PRIu64 ".%03u\n", set->name, sum_millis / 1000,
		   (unsigned)(sum_millis % 1000));
	buf_printf(out, "%s_count %" PRIu64 "\n", set->name, below);
}

static void add_set(void *payload, const struct counter_set *set)
{
	const struct exposition *exposition = payload;

	if (set->kind == COUNTER_TOTAL)
		add_totals(exposition, set);
	else if (set->kind == COUNTER_DURATIONS)
		add_durations(exposition, set);
	else
		board_metrics_gauge(exposition->out, set->name, set->help,
				    board_gauge(exposition->board, set));
}

void board_metrics_gauge(struct buf *out, const char *name, const char *help, int64_t value)
{
	add_heading(out, name, "gauge", help);
	buf_printf(out, "%s %" PRId64 "\n", name, value);
}

void board_metrics(const struct board *board, struct buf *out)
{
	struct exposition exposition = { board, out };
	int level = board_sandbox_level(board);

	board_each_counter_set(add_set, &exposition);
	board_metrics_gauge(out, "symgate_boot_started_seconds",
			    "Unix time at which the service's current boot began.",
			    board_boot_started_at(board));
	if (level >= 0)
		board_metrics_gauge(out, "symgate_sandbox_level",
				    "What confines cells: 0 rlimits, 1 and seccomp, 2 and landlock.",
				    level);
}

struct gauge_visit { const struct board *board; board_gauge_fn *fn; void *payload; };

static void visit_gauge(void *payload, const struct counter_set *set)
{
	const struct gauge_visit *visit = payload;

	if (set->kind == COUNTER_GAUGE)
		visit->fn(visit->payload, set->name, set->help, board_gauge(visit->board, set));
}

void board_each_gauge(const struct board *board, board_gauge_fn *fn, void *payload)
{
	struct gauge_visit visit = { board, fn, payload };

	board_each_counter_set(visit_gauge, &visit);
}
