/*
 * refresh.c -- entries made again in the background, while the old ones answer.
 *
 * A front that answered from something outdated, or made do with less than there might be by
 * now, submits the request once more as a job of kind refresh-...  Carrying that job makes what
 * is worth it, within the budgets max_lazy_*, and waits for it; when anything came of it the
 * job is taken up again, to make what follows from that.
 */
#include "workshop/internal.h"

#include "base/log.h"
#include "board/board.h"
#include "config/config.h"

#define ROUNDS_MAX 4                 /* a file, its companion, the companion's companion */

static uint64_t budget(const struct config *config, enum cache_category category)
{
	uint64_t most = category == CACHE_DOWNLOADED ? config->downloaded.max_lazy
			: category == CACHE_INDEX ? config->index.max_lazy
			: config->derived.max_lazy;

	most /= config->workshop_processes ? config->workshop_processes : 1;
	return most > 0 ? most : 1;
}

void refresh_ask(struct resolver *resolver, const struct derive *derive)
{
	struct carried *carried = carried_of(resolver);
	enum cache_category category = cache_kind_category(derive->key.kind);
	struct shop *shop = carried->shop;
	struct err err = ERR_INIT;
	struct task *task;

	if (!carried->is_refresh || !cache_claim_refresh(shop->cache, &derive->key))
		return;
	if (shop->refreshes[category] >= budget(shop->config, category)) {
		board_count(shop->board, (enum board_counter)(BOARD_REFUSED_DOWNLOADED +
							      (int)category), 1);
		return;
	}
	task = task_again(shop, carried, derive, &err);      /* failing that: another time */
	if (task && task_wait(task, carried, &err) < 0)
		log_message(LOG_WARN, "refresh", NULL, "%s", err.text);
}

void refresh_begun(struct task *task)
{
	enum cache_category category = cache_kind_category(task->derive->key.kind);

	task->is_refresh = true;
	task->maker->refreshes++;
	task->shop->refreshes[category]++;
	board_count(task->shop->board, (enum board_counter)(BOARD_REFRESHES_DOWNLOADED +
							    (int)category), 1);
}

void refresh_ended(struct task *task, bool made)
{
	if (!task->is_refresh)
		return;
	task->is_refresh = false;
	task->maker->refreshes--;
	task->maker->improved |= made;
	task->shop->refreshes[cache_kind_category(task->derive->key.kind)]--;
}

bool refresh_may_try(const struct task *task)
{
	struct shop *shop = task->shop;
	struct cache_found found = { 0 };
	struct err err = ERR_INIT;
	bool may;

	if (!task->is_refresh ||
	    cache_find(shop->cache, shop->store, &task->derive->object_key, &found, &err) < 0)
		return false;
	may = cache_may_have_passed(shop->cache, &found);
	cache_found_release(&found);
	return may;
}

bool refresh_goes_on(const struct carried *carried)
{
	return carried->improved && carried->job.attempt < ROUNDS_MAX;
}
