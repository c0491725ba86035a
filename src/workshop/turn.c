/* turn.c -- what a workshop holds, and one turn of its loop. */
#include "workshop/turn.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "board/board.h"
#include "config/config.h"
#include "shared/shared.h"
#include "store/boot.h"
#include "store/store.h"
#include "work/request_json.h"
#include "workshop/host_notes.h"
#include "workshop/workshop_counters.h"

#define RENEW_MILLIS 3000
#define VERBS_MOST   64u         /* what cells make waits in memory and on disk to be published: no more then */
#define SOURCES_ARENA_BYTES ((size_t)64 * 1024 * 1024)

static int parse_default_sources(struct workshop *workshop, struct err *err)
{
	struct cJSON *json;

	if (request_json_parse(text_of(workshop->means.config->sources_json), &workshop->arena, &json, err) < 0 ||
	    source_list_parse(json, SOURCE_OF_CONFIG, workshop->means.config, &workshop->arena,
			      &workshop->default_sources, err) < 0)
		return err_while(err, "%s", config_source_file(workshop->means.config));
	return 0;
}

/* Look-ups are made here too, in files anyone may cut short. */
static int guard_look_ups(struct err *err)
{
	return guard_install() < 0 ? err_os(err, errno, "installing the SIGBUS guard") : 0;
}

static bool has_rows(void *payload)
{
	return ((struct running_jobs *)payload)->count > 0;
}

/* Who works with what. */
static void join_parts(struct workshop *workshop)
{
	struct workshop_means *means = &workshop->means;
	int64_t now = clock_monotonic_millis();

	workshop->steps = (struct task_step_means){
		.means = means, .cells = &workshop->cells, .segments = &workshop->segments,
	};
	workshop->tasks.steps = &workshop_task_steps;
	workshop->tasks.means = &workshop->steps;
	workshop->tasks.worked_millis = now;
	workshop->cells.means = means;
	workshop->cells.may_wait = has_rows;
	workshop->cells.payload = &workshop->jobs;
	means->verbs = &workshop->verbs;
	means->asides = &workshop->asides;
	workshop->jobs.means = means;
	workshop->jobs.tasks = &workshop->tasks;
	workshop->jobs.names = &workshop->names;
	workshop->jobs.default_sources = &workshop->default_sources;
	workshop->jobs.worked_millis = now;
}

/* One to read, for the loop; one to write, for verbs. */
static int open_stores(struct workshop *workshop, struct err *err)
{
	struct workshop_means *means = &workshop->means;
	const struct config *config = means->config;
	struct verb_means verbs = { .rows = { .config = config, .board = means->board },
				    .owner = means->owner };
	struct store_boot boot;

	if (store_open(&workshop->writing, config, err) < 0 ||
	    store_boot_join(workshop->writing, &boot, err) < 0 ||
	    cache_open(&means->cache, config, means->board, workshop->writing, err) < 0 ||
	    store_open(&means->store, config, err) < 0)
		return -1;
	store_only_read(means->store);
	verbs.cache = means->cache;
	verbs.store = verbs.rows.store = workshop->writing;
	return verb_queue_open(&workshop->verbs, &verbs, err) < 0 ||
	       verb_queue_open(&workshop->asides, &(struct verb_means){ .cache = NULL }, err) < 0 ? -1 : 0;
}

int workshop_open(struct workshop *workshop, const struct config *config, struct nursery *nursery,
		  const char *name, struct err *err)
{
	struct workshop_means *means = &workshop->means;

	memset(workshop, 0, sizeof(*workshop));
	means->config = config;
	means->nursery = nursery;
	workshop->names.fd = -1;
	verb_queue_init(&workshop->verbs);
	verb_queue_init(&workshop->asides);
	map_init(&workshop->tasks.by_key);
	arena_init(&workshop->arena, SOURCES_ARENA_BYTES);
	snprintf(means->owner, sizeof(means->owner), "%s", name);
	join_parts(workshop);
	if (guard_look_ups(err) < 0 || parse_default_sources(workshop, err) < 0 ||
	    board_open(&means->board, config, err) < 0 ||
	    open_stores(workshop, err) < 0 ||
	    demangler_open(&workshop->demangler, nursery, means->board, err) < 0 ||
	    demangle_queue_open(&workshop->names, workshop->demangler, err) < 0 ||
	    fetcher_open(&means->fetcher, config, err) < 0) {
		workshop_close(workshop);
		return -1;
	}
	host_notes_begin(means);
	means->credentials.fetcher = means->fetcher;
	board_sandbox_level_set(means->board, (int)nursery_level(nursery));
	workshop->jobs.rows = (struct jobs){ .config = config, .store = means->store,
					     .board = means->board };
	return 0;
}

/* Nothing follows what is under way: a claim that is got now is given back. */
static void leave(struct workshop *workshop)
{
	workshop->tasks.is_leaving = true;
	workshop->jobs.stopping = true;
	verb_queue_drain(&workshop->asides);
	verb_queue_drain(&workshop->verbs);
}

/* Nothing is aside any more. */
static void drop_stores(struct workshop_means *means)
{
	if (means->store)
		store_close(means->store);
	if (means->aside_store)
		store_close(means->aside_store);
	means->store = means->aside_store = NULL;
}

static int run_reopen(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	(void)verb;
	return store_reopen(means->store, err);
}

static void reopen_told(struct queued_verb *verb)
{
	if (verb->rc < 0)
		log_message(LOG_WARN, "workshop", NULL, "opening anew: %s", verb->err.text);
}

/* As long as our own reader has the old files open nobody gets others. */
void workshop_open_store_again(struct workshop *workshop)
{
	struct queued_verb reopen = { .run = run_reopen, .told = reopen_told };

	leave(workshop);
	drop_stores(&workshop->means);
	verb_queue_ask(&workshop->verbs, &reopen);
	verb_queue_drain(&workshop->verbs);
}

/* All that is held is given back, and the thread of verbs ends. */
static void give_all_back(struct workshop *workshop)
{
	struct owed_claims *owed = &workshop->steps.owed;

	task_abandon_all(&workshop->tasks);
	running_job_give_back(&workshop->jobs);
	owed->again_millis = 0;
	do
		verb_queue_drain(&workshop->verbs);
	while (flight_settle(owed, &workshop->verbs, &workshop->tasks));
	verb_queue_close(&workshop->verbs);
}

void workshop_close(struct workshop *workshop)
{
	struct workshop_means *means = &workshop->means;

	leave(workshop);
	if (means->fetcher)
		give_all_back(workshop);
	verb_queue_close(&workshop->verbs);
	verb_queue_close(&workshop->asides);
	shared_close(means->shared);
	credentials_release(&means->credentials);
	demangle_queue_close(&workshop->names);
	running_job_end_all(&workshop->jobs);
	running_job_drop_unreferenced(&workshop->jobs);
	if (means->fetcher) {
		fetcher_close(means->fetcher);
		host_notes_end(means, workshop->writing);
	}
	if (workshop->demangler)
		demangler_close(workshop->demangler);
	if (means->cache)
		cache_close(means->cache);
	drop_stores(means);
	if (workshop->writing)
		store_close(workshop->writing);
	if (means->board)
		board_close(means->board);
	map_release(&workshop->tasks.by_key);
	flight_release_owed(&workshop->steps.owed);
	arena_release(&workshop->arena);
	mem_give_back(workshop->polls);
	mem_give_back(workshop->poll_cells);
}

static struct workshop *workshop_of_renew(struct queued_verb *verb)
{
	return (struct workshop *)(void *)((char *)verb - offsetof(struct workshop, renew));
}

static int run_renew(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	const struct workshop *workshop = workshop_of_renew(verb);

	if (workshop->renews_claims && cache_claims_renew(means->cache, means->store, means->owner, err) < 0)
		return -1;
	return workshop->renews_jobs ? job_renew(&means->rows, means->owner, err) : 0;
}

/* A busy or full database is a bad moment, not the end: the next time is soon. */
static void renew_told(struct queued_verb *verb)
{
	if (verb->rc < 0)
		log_message(LOG_ERROR, "workshop", NULL, "%s", verb->err.text);
}

static void renew(struct workshop *workshop)
{
	workshop->renews_claims = workshop->tasks.first != NULL;
	workshop->renews_jobs = workshop->jobs.count > 0;
	if (!workshop->renews_claims && !workshop->renews_jobs)
		return;
	workshop->renew.run = run_renew;
	workshop->renew.told = renew_told;
	workshop->renew.is_urgent = true;
	verb_queue_ask(&workshop->verbs, &workshop->renew);
}

/* Leases are renewed in time, overdue jobs end. */
static void keep_time(struct workshop *workshop)
{
	int64_t now = clock_monotonic_millis();

	running_job_leave_lost(&workshop->jobs);
	running_job_end_overdue(&workshop->jobs);
	cells_end_overdue(&workshop->cells);
	cells_make_way(&workshop->cells);
	if (now - workshop->renewed_millis < RENEW_MILLIS || workshop->renew.is_asked)
		return;
	workshop->renewed_millis = now;
	renew(workshop);
}

static void show_gauges(struct workshop *workshop)
{
	struct board *board = workshop->means.board;

	board_gauge_set(board, &workshop_jobs_now, (int64_t)workshop->jobs.count);
	board_gauge_set(board, &workshop_cells_now, (int64_t)workshop->cells.queue.running_count);
	board_gauge_set(board, &workshop_downloads_now, (int64_t)fetcher_active(workshop->means.fetcher));
}

/* Bells first, then our own for names, verbs and asides, then the channel of every cell; poll_cells says whose it
 * is. */
static int gather_polls(struct workshop *workshop, const struct fetch_poll *bells, size_t bell_count,
			size_t *count, struct err *err)
{
	size_t need = bell_count + 3 + workshop->cells.count;

	if (vec_reserve(&workshop->polls, &workshop->poll_capacity, need, sizeof(*workshop->polls)) < 0 ||
	    vec_reserve(&workshop->poll_cells, &workshop->poll_cell_capacity, need,
			sizeof(struct cell_task *)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu descriptors", need);
	for (*count = 0; *count < bell_count; ++*count)
		workshop->polls[*count] = bells[*count];
	workshop->polls[(*count)++] = (struct fetch_poll){ .fd = workshop->names.fd };
	workshop->polls[(*count)++] = (struct fetch_poll){ .fd = workshop->verbs.fd };
	workshop->polls[(*count)++] = (struct fetch_poll){ .fd = workshop->asides.fd };
	for (struct cell_task *task = workshop->cells.first; task; task = task->next) {
		workshop->polls[*count] = (struct fetch_poll){ .fd = cell_channel(task->cell) };
		workshop->poll_cells[(*count)++] = task;
	}
	return 0;
}

/* The command line waits for its one reply: nothing else is worth waiting for then. */
static int most_millis(const struct workshop *workshop, int millis)
{
	int64_t of_jobs = running_job_next_millis(&workshop->jobs);
	int64_t of_tasks = task_next_millis(&workshop->tasks);
	int64_t left = (of_jobs < of_tasks ? of_jobs : of_tasks) - clock_monotonic_millis();

	if (workshop->jobs.is_answered || workshop->segments.count > 0 ||
	    running_job_is_any_ready(&workshop->jobs) || left <= 0)
		return 0;
	return left < millis ? (int)left : millis;
}

int workshop_turn(struct workshop *workshop, struct fetch_poll *bells, size_t bell_count, int millis,
		  struct err *err)
{
	struct workshop_means *means = &workshop->means;
	bool is_done = false;
	size_t count = 0;

	/* A step may end at once what it asked for (a local file that is not there), so steps are
	 * repeated until all that is left has to wait. */
	do {
		running_job_step_ready(&workshop->jobs);
		task_drop_ended(&workshop->tasks);
		if (workshop->verbs.count < VERBS_MOST)
			cells_start_queued(&workshop->cells);
	} while (running_job_is_any_ready(&workshop->jobs));
	segments_read_on(&workshop->segments);
	running_job_drop_unreferenced(&workshop->jobs);
	(void)flight_settle(&workshop->steps.owed, &workshop->verbs, &workshop->tasks);
	show_gauges(workshop);
	millis = shared_step(means->shared) ? 0 : most_millis(workshop, millis);
	if (gather_polls(workshop, bells, bell_count, &count, err) < 0 ||
	    fetcher_step(means->fetcher, workshop->polls, count, millis, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (i < bell_count)
			bells[i].ready = workshop->polls[i].ready;
		else if (i == bell_count)
			demangle_queue_collect(&workshop->names);
		else if (i <= bell_count + 2)
			is_done |= workshop->polls[i].ready;
		else if (workshop->polls[i].ready)
			cells_hear(workshop->poll_cells[i]);
	}
	/* Only now: what is told may end cells that stand in poll_cells. */
	if (is_done) {
		verb_queue_collect(&workshop->verbs);
		verb_queue_collect(&workshop->asides);
	}
	keep_time(workshop);
	return 0;
}
