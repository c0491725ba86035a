/*
 * task.c -- one key being made, however many jobs want it, in one process at a time.
 *
 * A task ends when there is a fact: the entry is published, or a failure that says something
 * about the file or its source.  Our own failure is none: the task rests, and begins again as
 * long as somebody waits for it.
 */
#include "workshop/internal.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "board/board.h"
#include "config/config.h"

#define LOOK_AGAIN_MILLIS 1000    /* a lease may run out without a word */

static void make_map_key(const struct cache_key *key, uint8_t out[HASH_SHA256_BYTES + 1])
{
	memcpy(out, key->hash, HASH_SHA256_BYTES);
	out[HASH_SHA256_BYTES] = (uint8_t)key->kind;
}

static struct text key_text(const uint8_t key[HASH_SHA256_BYTES + 1])
{
	return (struct text){ (const char *)key, HASH_SHA256_BYTES + 1 };
}

static int claim(struct task *task, struct err *err)
{
	struct shop *shop = task->shop;

	if (task->is_refresh)
		return cache_claim_again(shop->cache, shop->store, &task->derive->key, shop->owner,
					 err);
	if (derive_is_of_folder(task->derive))
		return cache_claim_unless_ready(shop->cache, shop->store, &task->derive->key,
						task->derive->since, shop->owner, err);
	return cache_claim_since(shop->cache, shop->store, &task->derive->key,
				 task->derive->since, shop->owner, err);
}

/* Asks for the key; when it is ours the making begins. */
static void try_claim(struct task *task)
{
	struct shop *shop = task->shop;
	struct err err = ERR_INIT;
	int mine;

	task->cache_word_seen = board_read(shop->board, BOARD_CACHE_CHANGED);
	task->looked_millis = clock_monotonic_millis();
	task->stage = TASK_CLAIMING;
	mine = claim(task, &err);
	if (mine < 0) {
		task_end(task, &err);
	} else if (mine > 0) {
		task->claimed = true;
		sharing_begin(task);
	} else if (task->is_refresh) {
		task_end(task, NULL);        /* somebody else sees to it */
	} else {
		board_count(shop->board, BOARD_FLIGHTS_WAITED, 1);
	}
}

static struct task *known_task(const struct shop *shop, const struct derive *derive,
			       uint8_t key[HASH_SHA256_BYTES + 1])
{
	make_map_key(&derive->key, key);
	return map_get(&shop->by_key, key_text(key));
}

static struct task *new_task(struct shop *shop, struct carried *carried,
			     const struct derive *derive, const uint8_t key[HASH_SHA256_BYTES + 1],
			     struct err *err)
{
	struct task *task = mem_get(sizeof(*task));

	if (task)
		memcpy(task->map_key, key, sizeof(task->map_key));
	if (!task || map_put(&shop->by_key, key_text(task->map_key), task) < 0) {
		mem_give_back(task);
		err_set(err, ERR_NO_MEMORY, "no room for a task");
		return NULL;
	}
	task->shop = shop;
	task->derive = derive;
	task->maker = carried;
	task->object_fd = -1;
	task->out_fd = -1;
	carried->references++;
	task->next = shop->tasks;
	shop->tasks = task;
	return task;
}

struct task *task_for(struct shop *shop, struct carried *carried, const struct derive *derive,
		      struct err *err)
{
	uint8_t key[HASH_SHA256_BYTES + 1];
	struct task *task = known_task(shop, derive, key);

	if (task)
		return task;
	task = new_task(shop, carried, derive, key, err);
	if (task)
		try_claim(task);
	return task;
}

struct task *task_again(struct shop *shop, struct carried *carried, const struct derive *derive,
			struct err *err)
{
	uint8_t key[HASH_SHA256_BYTES + 1];
	struct task *task;

	if (known_task(shop, derive, key))
		return NULL;
	task = new_task(shop, carried, derive, key, err);
	if (!task)
		return NULL;
	refresh_begun(task);
	try_claim(task);
	return task;
}

int task_wait(struct task *task, struct carried *carried, struct err *err)
{
	if (task->stage == TASK_ENDED) {
		carried->ready = true;       /* it ended inside task_for() */
		return 0;
	}
	for (size_t i = 0; i < task->waiting_count; i++)
		if (task->waiting[i] == carried)
			return 0;
	if (vec_reserve(&task->waiting, &task->waiting_capacity, task->waiting_count + 1,
		     sizeof(struct carried *)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room to wait for a task");
	carried->references++;
	task->waiting[task->waiting_count++] = carried;
	return 0;
}

static void close_files(struct task *task)
{
	if (task->object_fd >= 0)
		close(task->object_fd);
	if (task->out_fd >= 0)
		close(task->out_fd);
	task->object_fd = -1;
	task->out_fd = -1;
	if (task->object_path[0])
		unlink(task->object_path);
	if (task->out_path[0])
		unlink(task->out_path);
	task->object_path[0] = '\0';
	task->out_path[0] = '\0';
}

/* What says something about the file is remembered for its time; being offline says nothing
 * about it, and Sentry's listings are asked for again after each failure. */
static bool is_lasting(const struct task *task, const struct err *failure)
{
	const struct derive *derive = task->derive;

	if (derive->kind->forgets_failures || derive_is_told_only(derive, failure->kind))
		return false;
	return cache_remembers(task->shop->cache, &derive->key, failure->kind) &&
	       !(task->shop->config->offline && failure->kind == ERR_DOWNLOAD);
}

/* What says something, but not for long, is told; of what is our own whoever waits hears nothing,
 * and asks again. */
static void wake_waiting(struct task *task, const struct err *failure)
{
	bool passing = failure && !is_lasting(task, failure) && !err_kind_is_ours(failure->kind);

	if (passing)
		carry_note_failure(task->maker, &task->derive->key, failure);
	for (size_t i = 0; i < task->waiting_count; i++) {
		struct carried *carried = task->waiting[i];

		if (passing && carried != task->maker)
			carry_note_failure(carried, &task->derive->key, failure);
		if (task->has_lost_companion && failure) {
			carried->has_to_begin_anew = true;
			carried->trouble = *failure;
		}
		carried->ready = true;
		carried->references--;
	}
	task->waiting_count = 0;
}

/* A claim that cannot be given up now would be renewed with the others, and whoever wants the key
 * elsewhere would wait for ever: it is owed. */
static void give_up_claim(struct shop *shop, const struct cache_key *key)
{
	if (cache_unclaim(shop->cache, shop->store, key, shop->owner) ||
	    vec_reserve(&shop->owed, &shop->owed_capacity, shop->owed_count + 1, sizeof(*shop->owed)) < 0)
		return;
	shop->owed[shop->owed_count++] = (struct owed_claim){ .kind = key->kind };
	memcpy(shop->owed[shop->owed_count - 1].hash, key->hash, sizeof(key->hash));
	memcpy(shop->owed[shop->owed_count - 1].text_hash, key->text_hash, sizeof(key->text_hash));
}

void task_settle_claims(struct shop *shop)
{
	while (shop->owed_count) {
		const struct owed_claim *owed = &shop->owed[shop->owed_count - 1];
		struct cache_key key = { .kind = owed->kind };
		uint8_t map_key[HASH_SHA256_BYTES + 1];

		memcpy(key.hash, owed->hash, sizeof(key.hash));
		memcpy(key.text_hash, owed->text_hash, sizeof(key.text_hash));
		make_map_key(&key, map_key);
		/* A task of today has it: then it is not owed any more. */
		if (!map_get(&shop->by_key, key_text(map_key)) &&
		    !cache_unclaim(shop->cache, shop->store, &key, shop->owner))
			return;
		shop->owed_count--;
	}
}

/* Nothing of this try is left. */
static void let_go(struct task *task)
{
	struct shop *shop = task->shop;

	if (task->fetch)
		fetch_cancel(shop->fetcher, task->fetch);
	task->fetch = NULL;
	credentials_leave(&task->credential);
	sharing_leave(task);
	cells_kill(task);
	close_files(task);
	listing_release(task);
	task->is_copy = false;
	task->is_local = false;
	task->object_is_shared = false;
	task->lost_cells = task->damaged_inputs = 0;
}

/* It keeps its claim: who else wants the key need not meet the same. */
static void rest(struct task *task, const struct err *failure)
{
	int64_t now = clock_monotonic_millis();

	if (!task->failing_since_millis) {           /* said once, not at every try */
		task->failing_since_millis = now;
		log_message(LOG_ERROR, "task_again", NULL, "%.*s: %s; it is tried again",
			    (int)task->derive->location->uri.size, task->derive->location->uri.bytes,
			    failure->text);
	}
	task->trouble = *failure;
	let_go(task);
	task->again_millis = now + shop_pause_millis(task->tries++);
	task->stage = TASK_RESTING;
	task->shop->worked_millis = now;
}

static void end_for_good(struct task *task, const struct err *failure)
{
	struct shop *shop = task->shop;

	if (failure && !is_lasting(task, failure)) {
		log_message(LOG_WARN, "task_failed", NULL, "%.*s: %s",
			    (int)task->derive->location->uri.size, task->derive->location->uri.bytes,
			    failure->text);
		if (task->claimed)
			give_up_claim(shop, &task->derive->key);
	}
	let_go(task);
	task->stage = TASK_ENDED;
	refresh_ended(task, task->claimed && !failure);
	wake_waiting(task, failure);
	shop->worked_millis = clock_monotonic_millis();
}

/* A refresh is no answer to anybody: it is asked for another time. */
void task_end(struct task *task, const struct err *failure)
{
	struct shop *shop = task->shop;
	struct err err = ERR_INIT;

	if (failure && is_lasting(task, failure) &&
	    cache_publish_failure(shop->cache, shop->store, &task->derive->key, failure, &err) < 0)
		failure = &err;
	if (failure && err_kind_is_ours(failure->kind) && !task->is_refresh && !shop->leaving &&
	    !task->has_lost_companion)
		rest(task, failure);
	else
		end_for_good(task, failure);
}

/* --- Looking again ----------------------------------------------------------------------- */

static bool is_worth_a_look(const struct task *task)
{
	return task->stage == TASK_CLAIMING && !task->claimed &&
	       (task->cache_word_seen != board_read(task->shop->board, BOARD_CACHE_CHANGED) ||
		clock_monotonic_millis() - task->looked_millis >= LOOK_AGAIN_MILLIS);
}

static bool is_rested(const struct task *task)
{
	return task->stage == TASK_RESTING && task->again_millis <= clock_monotonic_millis();
}

static bool somebody_waits(const struct task *task)
{
	for (size_t i = 0; i < task->waiting_count; i++)
		if (!task->waiting[i]->ended)
			return true;
	return false;
}

static void begin_again(struct task *task)
{
	if (!somebody_waits(task)) {
		end_for_good(task, &task->trouble);
		return;
	}
	task->stage = TASK_CLAIMING;
	if (task->claimed)
		sharing_begin(task);
	else
		try_claim(task);
}

int64_t task_next_millis(const struct shop *shop)
{
	int64_t next = INT64_MAX;

	for (const struct task *task = shop->tasks; task; task = task->next)
		if (task->stage == TASK_RESTING && task->again_millis < next)
			next = task->again_millis;
	return next;
}

static bool waits_for(const struct carried *carried, const struct task *task)
{
	for (size_t i = 0; i < task->waiting_count; i++)
		if (task->waiting[i] == carried)
			return true;
	return false;
}

const struct err *tasks_trouble(const struct carried *carried, int64_t *since_millis)
{
	for (const struct task *task = carried->shop->tasks; task; task = task->next) {
		if (task->trouble.kind == ERR_NONE || task->stage == TASK_ENDED ||
		    !waits_for(carried, task))
			continue;
		*since_millis = task->failing_since_millis;
		return &task->trouble;
	}
	return NULL;
}

/* Another process may have ended or abandoned what we wait for. */
void task_recheck_flights(struct shop *shop)
{
	for (struct task *task = shop->tasks; task; task = task->next) {
		struct cache_found found = { 0 };
		struct err err = ERR_INIT;

		if (is_rested(task))
			begin_again(task);
		if (!is_worth_a_look(task))
			continue;
		if (cache_find(shop->cache, shop->store, &task->derive->key, &found, &err) < 0) {
			task_end(task, &err);
			continue;
		}
		if (found.state != CACHE_ABSENT && !derive_is_stale(task->derive, &found, NULL))
			task_end(task, NULL);
		else
			try_claim(task);
		cache_found_release(&found);
	}
}

/* --- Leaving ----------------------------------------------------------------------------- */

void task_drop_ended(struct shop *shop)
{
	struct task **at = &shop->tasks;

	while (*at) {
		struct task *task = *at;

		if (task->stage != TASK_ENDED) {
			at = &task->next;
			continue;
		}
		*at = task->next;
		map_remove(&shop->by_key, key_text(task->map_key));
		task->maker->references--;
		mem_give_back(task->waiting);
		mem_give_back(task);
	}
}

/* At the end of the process: nothing is remembered, files go. */
void task_abandon_all(struct shop *shop)
{
	struct err err = ERR_INIT;

	shop->leaving = true;
	err_set(&err, ERR_IO, "the workshop was stopped");
	for (struct task *task = shop->tasks; task; task = task->next)
		if (task->stage != TASK_ENDED)
			task_end(task, &err);
	task_drop_ended(shop);
}
