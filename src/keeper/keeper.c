/* keeper.c -- see keeper.h. */
#include "keeper/keeper.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "board/board.h"
#include "cache/cache.h"
#include "cache/cache_counters.h"
#include "config/config.h"
#include "history/hosts.h"
#include "job/job.h"
#include "store/boot.h"
#include "store/lock.h"
#include "store/store.h"

#define PATH_BYTES        4096u
#define TICK_MILLIS       1000
#define QUOTA_PARTS       20

struct keeper {
	const struct config *config;
	struct board *board;
	struct store *store;
	struct cache *cache;
	struct jobs jobs;
	struct history history;
	int64_t cache_bytes;         /* that were kept when it was last cleaned; HISTORY_UNKNOWN */
	uint64_t written_bytes;      /* into the cache, when the quota was last looked at */
	uint32_t stop_seen;
	int lock;                    /* keeper.lock, ours; -1 */
};

static bool is_stopped(const struct keeper *keeper)
{
	return board_read(keeper->board, BOARD_STOP) != keeper->stop_seen;
}

/* Somebody removed the state folder, or only the database, under us: the next keeper opens what
 * there is then. */
static bool is_homeless(const struct keeper *keeper)
{
	struct err err = ERR_INIT;
	struct stat st;

	if (keeper->lock >= 0 && fstat(keeper->lock, &st) == 0 && st.st_nlink == 0)
		return true;
	if (store_in_place(keeper->store, &err) == 0)
		return false;
	log_message(LOG_ERROR, "keeper", NULL, "%s", err.text);
	return true;
}

/* --- Errands --------------------------------------------------------------------------- */

static int clean_jobs(struct keeper *keeper, struct err *err)
{
	uint64_t removed;

	return job_clean(&keeper->jobs, &removed, err);
}

static int clean_kept(struct keeper *keeper, struct err *err)
{
	uint64_t removed;

	if (job_clean_kept(&keeper->jobs, &removed, err) < 0)
		return -1;
	if (removed)
		log_message(LOG_INFO, "keeper_kept", NULL, "removed %llu results beyond web.keep_bytes",
			    (unsigned long long)removed);
	return 0;
}

static int write_touches(struct keeper *keeper, struct err *err)
{
	return cache_write_touches(keeper->cache, keeper->store, err);
}

static int checkpoint(struct keeper *keeper, struct err *err)
{
	return store_checkpoint(keeper->store, err);
}

static int repair_spool(struct keeper *keeper, struct err *err)
{
	uint64_t removed;

	if (job_repair_spool(&keeper->jobs, &removed, err) < 0)
		return -1;
	if (removed)
		log_message(LOG_INFO, "keeper_spool", NULL, "removed %llu lost files",
			    (unsigned long long)removed);
	return 0;
}

static int clean_diagnosis(struct keeper *keeper, struct err *err)
{
	uint64_t removed;

	if (job_clean_diagnosis(&keeper->jobs, &removed, err) < 0)
		return -1;
	if (removed)
		log_message(LOG_INFO, "keeper_diagnosis", NULL, "removed %llu failed crash files",
			    (unsigned long long)removed);
	return 0;
}

/* Once a minute, as soon as one is over. */
static int write_sample(struct keeper *keeper, struct err *err)
{
	struct history_gauges gauges = { .cache_bytes = keeper->cache_bytes };
	uint64_t live;

	if (!history_is_due(&keeper->history))
		return 0;
	if (job_count_live(&keeper->jobs, &live, err) < 0)
		return -1;
	gauges.jobs_live = (int64_t)live;
	return history_write(&keeper->history, gauges, err);
}

static int forget_history(struct keeper *keeper, struct err *err)
{
	uint64_t removed;

	if (history_forget(&keeper->history, &removed, err) < 0)
		return -1;
	return history_host_forget_stale(keeper->store, clock_unix_seconds(), err);
}

static uint64_t written_bytes(const struct keeper *keeper)
{
	uint64_t sum = 0;

	for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
		sum += board_counter(keeper->board, &cache_written_bytes, kind);
	return sum;
}

/* Rounds over what is expired can be left to cron (enable_cache_cleanup: false); then the quota
 * is kept all the same. */
static int clean_cache(struct keeper *keeper, struct err *err)
{
	const struct config *config = keeper->config;
	struct cache_round round;
	int rc;

	keeper->written_bytes = written_bytes(keeper);
	if (config->enable_cache_cleanup || config->cache_is_of_boot)
		rc = cache_clean(keeper->cache, keeper->store, false, &round, err);
	else
		rc = cache_keep_quota(keeper->cache, keeper->store, &round, err);
	if (rc < 0)
		return -1;
	keeper->cache_bytes = (int64_t)round.kept_bytes;
	if (round.removed_entries || round.orphan_files)
		log_message(LOG_INFO, "keeper_cache", NULL,
			    "removed %llu entries (%llu bytes) and %llu lost files, kept %llu (%llu bytes)",
			    (unsigned long long)round.removed_entries,
			    (unsigned long long)round.removed_bytes,
			    (unsigned long long)round.orphan_files,
			    (unsigned long long)round.kept_entries,
			    (unsigned long long)round.kept_bytes);
	return 0;
}

/* So much can be written between two rounds that the disk is full before the next: a twentieth of
 * the quota is worth a look. */
static int keep_quota(struct keeper *keeper, struct err *err)
{
	uint64_t quota = cache_quota(keeper->cache);
	uint64_t written = written_bytes(keeper);
	struct cache_round round;

	if (quota == CONFIG_UNLIMITED || written - keeper->written_bytes <= quota / QUOTA_PARTS)
		return 0;
	keeper->written_bytes = written;
	if (cache_keep_quota(keeper->cache, keeper->store, &round, err) < 0)
		return -1;
	keeper->cache_bytes = (int64_t)round.kept_bytes;
	if (round.removed_entries)
		log_message(LOG_INFO, "keeper_quota", NULL, "removed %llu entries (%llu bytes)",
			    (unsigned long long)round.removed_entries,
			    (unsigned long long)round.removed_bytes);
	return 0;
}

/* What there is to do and how often; 0: as configured. */
static const struct errand {
	const char *name;
	int (*run)(struct keeper *keeper, struct err *err);
	int64_t every_millis;
} errands[] = {
	{ "jobs",       clean_jobs,    1000 },
	{ "kept",       clean_kept,    5000 },
	{ "sample",     write_sample,  1000 },
	{ "history",    forget_history,  600000 },
	{ "checkpoint", checkpoint,    10000 },
	{ "touches",    write_touches, 60000 },
	{ "spool",      repair_spool,  600000 },
	{ "diagnosis",  clean_diagnosis, 60000 },
	{ "cache",      clean_cache,   0 },
	{ "quota",      keep_quota,    5000 },
};
#define ERRANDS (sizeof(errands) / sizeof(errands[0]))

static int64_t interval_of(const struct keeper *keeper, const struct errand *errand)
{
	int64_t seconds = keeper->config->cache_cleanup_interval_seconds;

	if (errand->every_millis != 0)
		return errand->every_millis;
	return seconds > 0 ? seconds * 1000 : TICK_MILLIS;
}

static bool is_wanted(const struct keeper *keeper, const struct errand *errand)
{
	return errand->run != clean_cache || keeper->config->enable_cache_cleanup ||
	       keeper->config->cache_is_of_boot ||
	       keeper->config->cache_quota_bytes != CONFIG_UNLIMITED;
}

/* An errand that fails is tried again when it is due again: the disk may have room then.
 * That it fails is said once, not every second. */
static void run_errand(struct keeper *keeper, const struct errand *errand, bool *failing)
{
	struct err err = ERR_INIT;
	bool failed = errand->run(keeper, &err) < 0;

	if (failed && !*failing)
		log_message(LOG_ERROR, "keeper", NULL, "%s: %s", errand->name, err.text);
	if (!failed && *failing)
		log_message(LOG_INFO, "keeper", NULL, "%s: works again", errand->name);
	*failing = failed;
}

static void work(struct keeper *keeper)
{
	int64_t due[ERRANDS] = { 0 };        /* the first round comes at once: it repairs */
	bool failing[ERRANDS] = { false };

	while (!is_stopped(keeper) && !is_homeless(keeper)) {
		for (size_t i = 0; i < ERRANDS && !is_stopped(keeper); i++) {
			if (!is_wanted(keeper, &errands[i]) || clock_monotonic_millis() < due[i])
				continue;
			run_errand(keeper, &errands[i], &failing[i]);
			due[i] = clock_monotonic_millis() + interval_of(keeper, &errands[i]);
		}
		board_wait(keeper->board, BOARD_STOP, keeper->stop_seen, TICK_MILLIS);
	}
}

/* --- Opening --------------------------------------------------------------------------- */

static int open_components(struct keeper *keeper, const struct config *config, struct board *board,
		      struct err *err)
{
	memset(keeper, 0, sizeof(*keeper));
	keeper->config = config;
	keeper->board = board;
	keeper->lock = -1;
	keeper->cache_bytes = HISTORY_UNKNOWN;
	keeper->stop_seen = board_read(board, BOARD_STOP);
	if (store_open(&keeper->store, config, err) < 0)
		return -1;
	keeper->jobs = (struct jobs){ .config = config, .store = keeper->store, .board = board };
	return 0;
}

static void close_components(struct keeper *keeper)
{
	cache_close(keeper->cache);
	store_close(keeper->store);
	if (keeper->lock >= 0)
		close(keeper->lock);
}

/* 1 when the lock is ours, 0 when we were asked to stop while another had it. */
static int wait_for_lock(struct keeper *keeper, struct err *err)
{
	char path[PATH_BYTES];
	int taken = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/keeper.lock", keeper->config->state_dir) >=
	    sizeof(path))
		return err_set(err, ERR_IO, "state_dir is too long: %s", keeper->config->state_dir);
	while (taken == 0 && !is_stopped(keeper)) {
		taken = store_lock_try(path, true, &keeper->lock, err);
		if (taken == 0)
			board_wait(keeper->board, BOARD_STOP, keeper->stop_seen, TICK_MILLIS);
	}
	return taken;
}

int keeper_run(const struct config *config, struct board *board, struct history_meters meters,
	       struct err *err)
{
	struct store_boot boot;
	struct keeper keeper;
	int rc = open_components(&keeper, config, board, err);

	if (rc == 0)
		rc = wait_for_lock(&keeper, err);
	if (rc > 0 && (store_boot_join(keeper.store, &boot, err) < 0 ||
		       cache_open(&keeper.cache, config, board, keeper.store, err) < 0))
		rc = -1;
	if (rc > 0) {
		history_init(&keeper.history, keeper.store, board, meters, NULL);
		work(&keeper);
	}
	close_components(&keeper);
	return rc < 0 ? err_while(err, "keeper") : 0;
}

int keeper_once(const struct config *config, struct board *board, bool dry_run,
		struct cache_round *round, struct err *err)
{
	struct keeper keeper;
	int rc = open_components(&keeper, config, board, err);

	memset(round, 0, sizeof(*round));
	if (rc == 0)
		rc = cache_open(&keeper.cache, config, board, keeper.store, err);
	if (rc == 0)
		rc = cache_clean(keeper.cache, keeper.store, dry_run, round, err);
	if (rc == 0 && !dry_run)
		rc = clean_jobs(&keeper, err);
	if (rc == 0 && !dry_run)
		rc = clean_kept(&keeper, err);
	if (rc == 0 && !dry_run)
		rc = repair_spool(&keeper, err);
	if (rc == 0 && !dry_run)
		rc = checkpoint(&keeper, err);
	close_components(&keeper);
	return rc < 0 ? err_while(err, "keeper") : 0;
}
