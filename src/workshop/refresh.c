/*
 * refresh.c -- entries made again in the background, while the old ones answer.
 *
 * A front that answered from something outdated, or made do with less than there might be by
 * now, submits the request once more as a job of kind refresh-...  Carrying that job makes what
 * is worth it, within the budgets max_lazy_*, and waits for it; when anything came of it the
 * job is taken up again, to make what follows from that.
 */
#include "workshop/refresh.h"

#include "base/log.h"
#include "cache/cache_counters.h"
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

static void count(struct running_job *running, enum cache_category category, int change)
{
	running->refreshes += (unsigned)change;
	running->list->refreshes[category] += (uint64_t)change;
}

void refresh_ask(struct resolver *resolver, const struct derive *derive)
{
	struct running_job *running = running_job_of(resolver);
	struct running_jobs *list = running->list;
	struct board *board = list->means->board;
	enum cache_category category;
	struct err err = ERR_INIT;
	struct task *task;

	if (!running->is_refresh || derived_is_of_job(derive->kind) ||
	    !cache_claim_refresh(list->means->cache, &derive->key))
		return;
	category = cache_kind_category(derive->key.kind);
	if (list->refreshes[category] >= budget(list->means->config, category)) {
		board_count(board, &cache_refreshes_refused, (unsigned)category, 1);
		return;
	}
	count(running, category, 1);                 /* it may end at once */
	task = task_again(list->tasks, &running->waiter, derive, &err);
	if (!task) {                                 /* another time */
		count(running, category, -1);
		return;
	}
	board_count(board, &cache_refreshes, (unsigned)category, 1);
	if (task_wait(task, &running->waiter, &err) < 0)
		log_message(LOG_WARN, "refresh", NULL, "%s", err.text);
}

void refresh_ended(struct running_job *maker, const struct derive *derive, bool made)
{
	count(maker, cache_kind_category(derive->key.kind), -1);
	maker->improved |= made;
}

bool refresh_goes_on(const struct running_job *running)
{
	return running->improved && running->job.attempt < ROUNDS_MAX;
}
