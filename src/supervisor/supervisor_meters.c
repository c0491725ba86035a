/* supervisor_meters.c -- which counters make up a sample of the service: see history.h. */
#include "cache/cache_counters.h"
#include "convert/cell_counters.h"
#include "front/front_counters.h"
#include "job/job.h"
#include "job/job_counters.h"
#include "supervisor/supervisor.h"
#include "workshop/workshop_counters.h"

static bool is_hit(unsigned index)
{
	return index % CACHE_LOOKUPS != CACHE_MISS;
}

static bool is_miss(unsigned index)
{
	return index % CACHE_LOOKUPS == CACHE_MISS;
}

static bool is_ok(unsigned index)
{
	return index == workshop_download_outcome(ERR_NONE);
}

static bool is_absent(unsigned index)
{
	return index == workshop_download_outcome(ERR_NOT_FOUND);
}

static bool has_failed(unsigned index)
{
	return !is_ok(index) && !is_absent(index);
}

static const struct history_meter meters[] = {
	{ HISTORY_REQUESTS, &route_requests, HISTORY_ALL, NULL },
	{ HISTORY_FAILED, &route_requests, HISTORY_ALL, route_counts_failed },
	{ HISTORY_ASKED, &front_asked, HISTORY_ALL, NULL },
	{ HISTORY_COLD, &front_asked, FRONT_COLD, NULL },
	{ HISTORY_LATENCY, &front_durations, HISTORY_ALL, NULL },
	{ HISTORY_JOBS_COMPLETED, &job_ended, JOB_COMPLETED, NULL },
	{ HISTORY_JOBS_FAILED, &job_ended, JOB_FAILED, NULL },
	{ HISTORY_JOBS_TIMEOUT, &job_ended, JOB_TIMEOUT, NULL },
	{ HISTORY_JOBS_INTERNAL, &job_ended, JOB_INTERNAL_ERROR, NULL },
	{ HISTORY_HITS, &cache_lookups, HISTORY_ALL, is_hit },
	{ HISTORY_MISSES, &cache_lookups, HISTORY_ALL, is_miss },
	{ HISTORY_DOWNLOADS_OK, &workshop_downloads, HISTORY_ALL, is_ok },
	{ HISTORY_DOWNLOADS_ABSENT, &workshop_downloads, HISTORY_ALL, is_absent },
	{ HISTORY_DOWNLOADS_FAILED, &workshop_downloads, HISTORY_ALL, has_failed },
	{ HISTORY_DOWNLOAD_BYTES, &workshop_download_bytes, 0, NULL },
	{ HISTORY_WRITTEN_BYTES, &cache_written_bytes, HISTORY_ALL, NULL },
	{ HISTORY_CELLS_DONE, &convert_cells_ended, CELL_END_DONE, NULL },
	{ HISTORY_CELLS_FAILED, &convert_cells_ended, CELL_END_FAILED, NULL },
	{ HISTORY_CELLS_CRASHED, &convert_cells_ended, CELL_END_CRASHED, NULL },
	{ HISTORY_CELLS_LIMIT, &convert_cells_ended, CELL_END_LIMIT, NULL },
	{ HISTORY_CELLS_KILLED, &convert_cells_ended, CELL_END_KILLED, NULL },
};

struct history_meters supervisor_meters(void)
{
	return (struct history_meters){ meters, sizeof(meters) / sizeof(meters[0]) };
}
