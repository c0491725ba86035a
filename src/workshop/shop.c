/* shop.c -- what a workshop holds, and one turn of its loop. */
#include "workshop/internal.h"

#include <errno.h>
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

#define RENEW_MILLIS 3000
#define FIRST_PAUSE_MILLIS 100
#define LAST_PAUSE_MILLIS  10000
#define PAUSE_DOUBLINGS    7
#define SOURCES_ARENA_BYTES ((size_t)64 * 1024 * 1024)

int64_t shop_pause_millis(unsigned tries)
{
	return tries < PAUSE_DOUBLINGS ? (int64_t)FIRST_PAUSE_MILLIS << tries : LAST_PAUSE_MILLIS;
}

static int parse_default_sources(struct shop *shop, struct err *err)
{
	struct cJSON *json;

	if (request_json_parse(text_of(shop->config->sources_json), &shop->arena, &json, err) < 0 ||
	    source_list_parse(json, SOURCE_OF_CONFIG, shop->config, &shop->arena,
			      &shop->default_sources, err) < 0)
		return err_while(err, "%s", config_source_file(shop->config));
	return 0;
}

/* Look-ups are made here too, in files anyone may cut short. */
static int guard_look_ups(struct err *err)
{
	return guard_install() < 0 ? err_os(err, errno, "installing the SIGBUS guard") : 0;
}

int shop_open(struct shop *shop, const struct config *config, struct nursery *nursery,
	      const char *name, struct err *err)
{
	struct store_boot boot;

	memset(shop, 0, sizeof(*shop));
	shop->config = config;
	shop->nursery = nursery;
	shop->asker.fd = -1;
	map_init(&shop->by_key);
	arena_init(&shop->arena, SOURCES_ARENA_BYTES);
	snprintf(shop->owner, sizeof(shop->owner), "%s", name);
	if (guard_look_ups(err) < 0 || parse_default_sources(shop, err) < 0 ||
	    board_open(&shop->board, config, err) < 0 ||
	    store_open(&shop->store, config, err) < 0 ||
	    store_boot_join(shop->store, &boot, err) < 0 ||
	    cache_open(&shop->cache, config, shop->board, shop->store, err) < 0 ||
	    demangler_open(&shop->demangler, nursery, shop->board, err) < 0 ||
	    asker_open(&shop->asker, shop->demangler, err) < 0 ||
	    fetcher_open(&shop->fetcher, config, err) < 0) {
		shop_close(shop);
		return -1;
	}
	shop->credentials.fetcher = shop->fetcher;
	board_sandbox_level_set(shop->board, (int)nursery_level(nursery));
	shop->jobs = (struct jobs){ .config = config, .store = shop->store, .board = shop->board };
	shop->worked_millis = clock_monotonic_millis();
	return 0;
}

void shop_close(struct shop *shop)
{
	if (shop->fetcher)
		task_abandon_all(shop);
	shared_close(shop->shared);
	credentials_release(&shop->credentials);
	carry_give_back(shop);
	asker_close(&shop->asker);
	for (struct carried *carried = shop->carried; carried; carried = carried->next)
		carried->ended = true;
	carry_drop_unreferenced(shop);
	if (shop->fetcher)
		fetcher_close(shop->fetcher);
	if (shop->demangler)
		demangler_close(shop->demangler);
	if (shop->cache)
		cache_close(shop->cache);
	if (shop->store)
		store_close(shop->store);
	if (shop->board)
		board_close(shop->board);
	map_release(&shop->by_key);
	arena_release(&shop->arena);
	mem_give_back(shop->polls);
	mem_give_back(shop->poll_tasks);
	mem_give_back(shop->owed);
}

/* Leases are renewed in time, overdue jobs end. */
static int keep_time(struct shop *shop, struct err *err)
{
	int64_t now = clock_monotonic_millis();

	carry_end_overdue(shop);
	cells_end_overdue(shop);
	cells_make_way(shop);
	if (now - shop->renewed_millis < RENEW_MILLIS)
		return 0;
	shop->renewed_millis = now;
	task_settle_claims(shop);
	if (shop->tasks && cache_claims_renew(shop->cache, shop->store, shop->owner, err) < 0)
		return -1;
	if (shop->carried_count > 0 && job_renew(&shop->jobs, shop->owner, err) < 0)
		return -1;
	return 0;
}

static void show_gauges(struct shop *shop)
{
	board_gauge_set(shop->board, BOARD_GAUGE_RUNNING, (int64_t)shop->carried_count);
	board_gauge_set(shop->board, BOARD_GAUGE_CELLS, (int64_t)shop->cells.running_count);
	board_gauge_set(shop->board, BOARD_GAUGE_DOWNLOADS, (int64_t)fetcher_active(shop->fetcher));
}

/* Bells first, then our own for names, then the channel of every running cell; poll_tasks says
 * whose it is. */
static int gather_polls(struct shop *shop, const struct fetch_poll *bells, size_t bell_count,
			size_t *count, struct err *err)
{
	size_t need = bell_count + 1 + shop->cells.running_count;

	if (vec_reserve(&shop->polls, &shop->poll_capacity, need, sizeof(*shop->polls)) < 0 ||
	    vec_reserve(&shop->poll_tasks, &shop->poll_task_capacity, need, sizeof(struct task *)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu descriptors", need);
	for (*count = 0; *count < bell_count; ++*count)
		shop->polls[*count] = bells[*count];
	shop->polls[(*count)++] = (struct fetch_poll){ .fd = shop->asker.fd };
	for (struct task *task = shop->tasks; task && *count < need; task = task->next) {
		if (!task->cell)
			continue;
		shop->polls[*count] = (struct fetch_poll){ .fd = cell_channel(task->cell) };
		shop->poll_tasks[(*count)++] = task;
	}
	return 0;
}

static bool anything_ready(const struct shop *shop)
{
	for (const struct carried *carried = shop->carried; carried; carried = carried->next)
		if (carried->ready && !carried->ended)
			return true;
	return false;
}

/* The command line waits for its one reply: nothing else is worth waiting for then. */
static int most_millis(const struct shop *shop, int millis)
{
	int64_t of_jobs = carry_next_millis(shop), of_tasks = task_next_millis(shop);
	int64_t left = (of_jobs < of_tasks ? of_jobs : of_tasks) - clock_monotonic_millis();

	if (shop->is_answered || shop->resting_count > 0 || anything_ready(shop) || left <= 0)
		return 0;
	return left < millis ? (int)left : millis;
}

int shop_turn(struct shop *shop, struct fetch_poll *bells, size_t bell_count, int millis,
	      struct err *err)
{
	size_t count = 0;

	/* A step may end at once what it asked for (a local file that is not there), so steps are
	 * repeated until all that is left has to wait. */
	do {
		carry_step_ready(shop);
		task_drop_ended(shop);
		cells_start_queued(shop);
	} while (anything_ready(shop));
	listings_read_on(shop);
	carry_drop_unreferenced(shop);
	show_gauges(shop);
	millis = shared_step(shop->shared) ? 0 : most_millis(shop, millis);
	if (gather_polls(shop, bells, bell_count, &count, err) < 0 ||
	    fetcher_step(shop->fetcher, shop->polls, count, millis, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (i < bell_count)
			bells[i].ready = shop->polls[i].ready;
		else if (i == bell_count)
			asker_collect(&shop->asker);
		else if (shop->polls[i].ready)
			cells_hear(shop->poll_tasks[i]);
	}
	return keep_time(shop, err);
}
