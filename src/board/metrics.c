/* metrics.c -- see metrics.h; and the board as Prometheus text. */
#include "board/metrics.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "board/board_layout.h"

/* Counters are found by arithmetic on their neighbours: hold the table to its order. */
_Static_assert(BOARD_REQUESTS_OTHER_OTHER - BOARD_REQUESTS_SYMBOLICATE_200 ==
	       BOARD_ENDPOINTS * 10 - 1, "requests stand together, ten per endpoint");
_Static_assert(BOARD_CACHE_SOURCES_MISS - BOARD_CACHE_OBJECTS_HIT_MEMORY ==
	       (int)BOARD_CACHE_KINDS * BOARD_LOOKUPS - 1, "look-ups stand together");
_Static_assert(BOARD_CACHE_SOURCES_BYTES - BOARD_CACHE_OBJECTS_BYTES ==
	       (int)BOARD_CACHE_KINDS - 1, "bytes stand together");

static const struct board_metric metrics[BOARD_COUNTERS] = {
#define COUNTER(symbol, name, labels, help) [BOARD_##symbol] = { name, labels, help },
#include "board/metrics.def"
#undef COUNTER
};

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

const struct board_metric *board_metric(enum board_counter counter)
{
	return &metrics[counter];
}

enum board_counter board_counter_of_request(enum board_endpoint endpoint, int status)
{
	static const int statuses[] = { 200, 400, 404, 405, 413, 415, 422, 500, 503 };
	unsigned at = 0;

	while (at < sizeof(statuses) / sizeof(statuses[0]) && statuses[at] != status)
		at++;
	return (enum board_counter)(BOARD_REQUESTS_SYMBOLICATE_200 + (unsigned)endpoint * 10 + at);
}

enum board_counter board_counter_of_lookup(unsigned kind, enum board_lookup lookup)
{
	return (enum board_counter)(BOARD_CACHE_OBJECTS_HIT_MEMORY + kind * BOARD_LOOKUPS +
				    (unsigned)lookup);
}

enum board_counter board_counter_of_cache_bytes(unsigned kind)
{
	return (enum board_counter)(BOARD_CACHE_OBJECTS_BYTES + kind);
}

enum board_counter board_counter_of_download(enum err_kind kind)
{
	switch (kind) {
	case ERR_NONE:
		return BOARD_DOWNLOADS_OK;
	case ERR_NOT_FOUND:
		return BOARD_DOWNLOADS_NOT_FOUND;
	case ERR_DENIED:
		return BOARD_DOWNLOADS_DENIED;
	case ERR_TIMEOUT:
		return BOARD_DOWNLOADS_TIMEOUT;
	case ERR_MALFORMED:
		return BOARD_DOWNLOADS_MALFORMED;
	default:
		return BOARD_DOWNLOADS_ERROR;
	}
}

enum board_counter board_counter_of_cell_death(enum err_kind kind)
{
	switch (kind) {
	case ERR_CRASHED:
		return BOARD_CELLS_CRASHED;
	case ERR_LIMIT:
		return BOARD_CELLS_LIMIT;
	default:
		return BOARD_CELLS_KILLED;
	}
}

static void add_heading(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_counters(const struct board *board, struct buf *out)
{
	const char *last = "";

	for (unsigned i = 0; i < BOARD_COUNTERS; i++) {
		const struct board_metric *metric = &metrics[i];
		uint64_t value = board_counter(board, (enum board_counter)i);

		if (strcmp(metric->name, last) != 0)
			add_heading(out, metric->name, "counter", metric->help);
		last = metric->name;
		if (metric->labels[0])
			buf_printf(out, "%s{%s} %" PRIu64 "\n", metric->name, metric->labels, value);
		else
			buf_printf(out, "%s %" PRIu64 "\n", metric->name, value);
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
	int level = board_sandbox_level(board);

	add_counters(board, out);
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
