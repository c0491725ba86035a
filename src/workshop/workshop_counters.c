/* workshop_counters.c -- see workshop_counters.h. */
#include "workshop/workshop_counters.h"

/* The last one is what all other kinds of errors are. */
static const struct { enum err_kind kind; const char *name; } outcomes[] = {
	{ ERR_NONE, "ok" },
	{ ERR_NOT_FOUND, "not_found" },
	{ ERR_DENIED, "denied" },
	{ ERR_TIMEOUT, "timeout" },
	{ ERR_MALFORMED, "malformed" },
	{ ERR_DOWNLOAD, "error" },
};
#define OUTCOMES (sizeof(outcomes) / sizeof(outcomes[0]))

unsigned workshop_download_outcome(enum err_kind kind)
{
	unsigned at = 0;

	while (at < OUTCOMES - 1 && outcomes[at].kind != kind)
		at++;
	return at;
}

static bool describe_download(unsigned index, struct text values[COUNTER_LABELS])
{
	values[0] = text_of(outcomes[index].name);
	return true;
}

struct counter_set workshop_flights_waited = {
	.name = "symgate_flights_waited_total",
	.help = "Times a job waited for another job's download or conversion of the same key.", .count = 1,
};

struct counter_set workshop_downloads = {
	.name = "symgate_downloads_total", .help = "Transfers from sources, by outcome.",
	.labels = { "outcome" }, .count = OUTCOMES, .describe = describe_download,
};

struct counter_set workshop_download_bytes = {
	.name = "symgate_download_bytes_total",
	.help = "Bytes received from sources, as transferred.", .count = 1,
};

struct counter_set workshop_jobs_now = {
	.name = "symgate_jobs_running", .help = "Jobs being carried by workshops now.",
	.kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set workshop_cells_now = {
	.name = "symgate_cells_alive", .help = "Cells alive now.", .kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set workshop_downloads_now = {
	.name = "symgate_downloads_running", .help = "Transfers under way now.",
	.kind = COUNTER_GAUGE, .count = 1,
};

struct counter_set *const workshop_counters[] = {
	&workshop_flights_waited, &workshop_downloads, &workshop_download_bytes,
	&workshop_jobs_now, &workshop_cells_now, &workshop_downloads_now, NULL
};
