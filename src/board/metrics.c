/* metrics.c -- the board as Prometheus text. */
#include "board/board.h"

#include <inttypes.h>

#include "base/buf.h"
#include "board/board_layout.h"
#include "board/counters.h"

static const struct {
	const char *name, *help;
} gauges[BOARD_GAUGES] = {
	[BOARD_GAUGE_PARKED]    = { "symgate_requests_parked", "Requests waiting in parkers now." },
	[BOARD_GAUGE_WAITING]   = { "symgate_requests_waiting",
				    "Requests waiting for a request thread now." },
	[BOARD_GAUGE_WRITING]   = { "symgate_replies_writing",
				    "Replies being written to web servers that are slow to read." },
	[BOARD_GAUGE_RUNNING]   = { "symgate_jobs_running", "Jobs being carried by workshops now." },
	[BOARD_GAUGE_CELLS]     = { "symgate_cells_alive", "Cells alive now." },
	[BOARD_GAUGE_DOWNLOADS] = { "symgate_downloads_running", "Transfers under way now." },
	[BOARD_GAUGE_SHARING]   = { "symgate_shared_cache_uploads_waiting",
				    "Entries queued for the shared cache or on their way to it." },
};

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

static void add_counters(void *payload, const struct counter_set *set)
{
	const struct exposition *exposition = payload;
	struct text values[COUNTER_LABELS];

	add_heading(exposition->out, set->name, "counter", set->help);
	for (unsigned i = 0; i < set->count; i++) {
		if (set->describe && !set->describe(i, values))
			continue;
		buf_add_string(exposition->out, set->name);
		add_labels(exposition->out, set, values);
		buf_printf(exposition->out, " %" PRIu64 "\n", board_counter(exposition->board, set, i));
	}
}

static void add_histogram(const struct board *board, struct buf *out)
{
	static const char name[] = "symgate_request_duration_seconds";
	struct board_histogram now;
	uint64_t below = 0;

	board_histogram(board, &now);
	add_heading(out, name, "histogram", "Time from a request's arrival to its answer.");
	for (unsigned i = 0; i < BOARD_BUCKETS; i++) {
		below += now.buckets[i];
		if (i < BOARD_BUCKETS - 1)
			buf_printf(out, "%s_bucket{le=\"%u.%03u\"} %" PRIu64 "\n", name,
				   (1u << i) / 1000, (1u << i) % 1000, below);
		else
			buf_printf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, below);
	}
	buf_printf(out, "%s_sum %" PRIu64 ".%03u\n", name, now.sum_millis / 1000,
		   (unsigned)(now.sum_millis % 1000));
	buf_printf(out, "%s_count %" PRIu64 "\n", name, below);
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

	board_each_counter_set(add_counters, &exposition);
	add_histogram(board, out);
	for (unsigned i = 0; i < BOARD_GAUGES; i++)
		board_metrics_gauge(out, gauges[i].name, gauges[i].help,
				    board_gauge(board, (enum board_gauge)i));
	board_metrics_gauge(out, "symgate_boot_started_seconds",
			    "Unix time at which the service's current boot began.",
			    board_boot_started_at(board));
	if (level >= 0)
		board_metrics_gauge(out, "symgate_sandbox_level",
				    "What confines cells: 0 rlimits, 1 and seccomp, 2 and landlock.",
				    level);
}
