/* task.c -- see task.h. */
#include "workshop/task.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "workshop/means.h"

#define LOST_CELLS_MOST 3u
#define DAMAGED_INPUTS_MOST 8u

/* --- Ends --------------------------------------------------------------------------------- */

static void log_failure(const struct task *task, enum log_level level, const char *event,
			const struct err *failure, const char *more)
{
	struct text subject = derive_subject(task->derive);

	log_message(level, event, NULL, "%.*s: %s%s", (int)subject.size, subject.bytes, failure->text,
		    more);
}

static void stop(struct task *task)
{
	task->list->steps->stop(task);
	task->lost_cells = task->damaged_inputs = 0;
}

/* What says something, but not for long, is told; of what is our own whoever waits hears nothing,
 * and asks again. */
static void wake_waiting(struct task *task, const struct err *failure, bool lasts)
{
	const struct err *passing = failure && !lasts && !err_kind_is_ours(failure->kind) ? failure : NULL;
	const struct err *anew = task->is_unusable ? failure : NULL;
	bool has_failed = failure && lasts;
	bool maker_waits = false;

	for (size_t i = 0; i < task->waiting_count; i++) {
		struct task_waiter *waiter = task->waiting[i];

		maker_waits |= waiter == task->maker;
		waiter->references--;
		waiter->told(waiter, task->derive, passing, has_failed, anew);
	}
	if ((passing || has_failed || anew) && !maker_waits)
		task->maker->told(task->maker, task->derive, passing, has_failed, anew);
	task->waiting_count = 0;
}

static void end_for_good(struct task *task, const struct err *failure, bool lasts)
{
	const struct task_steps *steps = task->list->steps;

	if (failure && !lasts) {
		log_failure(task, LOG_WARN, "task_failed", failure, "");
		if (task->is_claimed)
			steps->unclaim(task);
	}
	stop(task);
	task->state = TASK_ENDED;
	steps->ended(task, task->is_claimed && !failure);
	wake_waiting(task, failure, lasts);
	task->list->worked_millis = clock_monotonic_millis();
}

/* It keeps its claim: another process would only meet the same failure. */
static void rest(struct task *task, const struct err *failure)
{
	int64_t now = clock_monotonic_millis();

	if (!task->failing_since_millis) {           /* said once, not at every try */
		task->failing_since_millis = now;
		log_failure(task, LOG_ERROR, "task_again", failure, "; it is tried again");
	}
	task->trouble = *failure;
	stop(task);
	task->again_millis = now + workshop_pause_millis(task->tries++);
	task->state = TASK_RESTS;
	task->list->worked_millis = now;
}

/* A refresh is no answer to anybody: it is asked for another time. */
static void end_or_rest(struct task *task, bool lasts)
{
	const struct err why = task->failure;

	if (err_kind_is_ours(why.kind) && !task->is_refresh && !task->list->is_leaving &&
	    !task->is_unusable)
		rest(task, &why);
	else
		end_for_good(task, &why, lasts);
}

static enum task_step after_not_kept_old(struct task *task)
{
	const struct derived_kind *kind = task->derive->kind;

	if (kind->judge)
		kind->judge(&task->failure);
	return TASK_REMEMBER;
}

/* What is done about it; TASK_STEPS: nothing more. */
static enum task_step end_failed(struct task *task, const struct err *failure)
{
	const struct derived_kind *kind = task->derive->kind;

	task->failure = *failure;
	if (kind->logs_failures)
		log_failure(task, LOG_WARN, kind->name, failure, "");
	if (task->list->is_leaving) {
		end_or_rest(task, false);
		return TASK_STEPS;
	}
	return kind->keeps_old ? TASK_KEEP_OLD : after_not_kept_old(task);
}

/* --- The sequence ------------------------------------------------------------------------- */

/* It was kept again and again, and each time was gone when it was to be opened. */
static struct err err_not_kept(const struct task *task)
{
	struct text subject = derive_subject(task->derive);
	struct err err = ERR_INIT;

	err_set(&err, ERR_IO, "%.*s does not stay in the cache", (int)subject.size, subject.bytes);
	return err;
}

static enum task_step after_done(const struct task *task)
{
	const struct derived_kind *kind = task->derive->kind;

	switch (task->step) {
	case TASK_CLAIM:
		return TASK_ASK_ENTRY;
	case TASK_OPEN: case TASK_ASK_OBJECT: case TASK_OBTAIN:
		return TASK_DERIVE;
	case TASK_INSPECT:
		return TASK_KEEP_OBJECT;
	case TASK_KEEP_OBJECT:
		/* Opened from the cache, where its checksum is known: another process may have replaced
		 * it meanwhile. */
		return kind->is_object ? TASK_PUBLISH : TASK_OPEN;
	case TASK_DERIVE:
		return kind->is_object ? TASK_KEEP_OBJECT : TASK_PUBLISH;
	default:
		return TASK_STEPS;           /* it is published */
	}
}

/* A file that nobody has looked at, or that the object is still to be taken out of: an object is
 * inspected, everything else is what the entry is made of. */
static enum task_step after_copy(const struct task *task)
{
	return task->derive->kind->from == DERIVED_FROM_OBJECT ? TASK_INSPECT : TASK_DERIVE;
}

static enum task_step after_none(const struct task *task)
{
	switch (task->step) {
	case TASK_ASK_ENTRY: return TASK_OPEN;
	case TASK_OPEN:      return TASK_ASK_OBJECT;
	case TASK_KEEP_OBJECT: return TASK_DERIVE;   /* of the file in its folder: it is packed no more */
	default:             return TASK_OBTAIN;
	}
}

/* Somebody else makes it: TASK_STEPS, and it is looked at again. */
static void leave_to_another(struct task *task)
{
	if (task->is_refresh)
		end_for_good(task, NULL, false);     /* they see to it */
	else
		task->state = TASK_WAITS_FOR_ANOTHER;
}

/* Once more, with what was got anew or by another cell, as long as that is worth it. */
static enum task_step once_more(struct task *task, unsigned *count, unsigned most,
				enum task_step step, const struct err *err)
{
	return (*count)++ < most ? step : end_failed(task, err);
}

static enum task_step next_when_done(struct task *task)
{
	enum task_step next = after_done(task);

	task->is_claimed |= task->step == TASK_CLAIM;
	if (task->step == TASK_KEEP_OBJECT && next == TASK_OPEN) {
		const struct err err = err_not_kept(task);

		return once_more(task, &task->damaged_inputs, DAMAGED_INPUTS_MOST, next, &err);
	}
	if (next == TASK_STEPS)
		end_for_good(task, NULL, false);
	return next;
}

static enum task_step after_remember(struct task *task, enum task_outcome outcome, const struct err *err)
{
	if (outcome == OUTCOME_FAILED)
		task->failure = *err;
	end_or_rest(task, outcome == OUTCOME_DONE);
	return TASK_STEPS;
}

static enum task_step after_keep_old(struct task *task, enum task_outcome outcome)
{
	if (outcome != OUTCOME_DONE)
		return after_not_kept_old(task);
	end_for_good(task, NULL, false);
	return TASK_STEPS;
}

/* TASK_STEPS: none; then the task has ended, rests or waits. */
static enum task_step next_step(struct task *task, enum task_outcome outcome, const struct err *err)
{
	enum task_step next = TASK_STEPS;

	if (task->step == TASK_KEEP_OLD)
		return after_keep_old(task, outcome);
	if (task->step == TASK_REMEMBER)
		return after_remember(task, outcome, err);
	switch (outcome) {
	case OUTCOME_DONE:
		next = next_when_done(task);
		break;
	case OUTCOME_COPY:
		next = after_copy(task);
		break;
	case OUTCOME_UNCHANGED:
		next = TASK_RENEW;
		break;
	case OUTCOME_NONE:
		if (task->step == TASK_CLAIM)
			leave_to_another(task);
		else
			next = after_none(task);
		break;
	case OUTCOME_REFUSED:
		next = task->step == TASK_ASK_ENTRY ? TASK_OPEN : TASK_OBTAIN;
		break;
	case OUTCOME_DAMAGED:
		next = once_more(task, &task->damaged_inputs, DAMAGED_INPUTS_MOST, TASK_OPEN, err);
		break;
	case OUTCOME_LOST:
		next = once_more(task, &task->lost_cells, LOST_CELLS_MOST, task->step, err);
		break;
	case OUTCOME_UNUSABLE:
		task->is_unusable = true;
		next = end_failed(task, err);
		break;
	default:
		next = end_failed(task, err);
	}
	return next;
}

static void abandon(struct task *task)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_IO, "the workshop was stopped");
	(void)end_failed(task, &err);
}

static void go_on(struct task *task, enum task_step step)
{
	while (step != TASK_STEPS) {
		struct err err = ERR_INIT;
		enum task_outcome outcome;

		if (task->list->is_leaving) {
			abandon(task);
			return;
		}

		task->step = step;
		task->state = TASK_RUNS;
		outcome = task->list->steps->run[step](task, &err);
		if (outcome == OUTCOME_PENDING)
			return;
		step = next_step(task, outcome, &err);
	}
}

void task_report(struct task *task, enum task_outcome outcome, const struct err *err)
{
	const struct err none = ERR_INIT;

	if (outcome != OUTCOME_PENDING)
		go_on(task, next_step(task, outcome, err ? err : &none));
}

/* --- Who wants what ------------------------------------------------------------------------ */

static void make_map_key(const struct cache_key *key, uint8_t out[HASH_SHA256_BYTES + 1])
{
	memcpy(out, key->hash, HASH_SHA256_BYTES);
	out[HASH_SHA256_BYTES] = (uint8_t)key->kind;
}

static struct text key_text(const uint8_t key[HASH_SHA256_BYTES + 1])
{
	return (struct text){ (const char *)key, HASH_SHA256_BYTES + 1 };
}

static struct task *known_task(const struct task_list *list, const struct cache_key *key,
			       uint8_t map_key[HASH_SHA256_BYTES + 1])
{
	make_map_key(key, map_key);
	return map_get(&list->by_key, key_text(map_key));
}

bool task_is_known(const struct task_list *list, const struct cache_key *key)
{
	uint8_t map_key[HASH_SHA256_BYTES + 1];
	const struct task *task = known_task(list, key, map_key);

	return task && task->state != TASK_ENDED;
}

bool task_has_claim(const struct task_list *list, const struct cache_key *key)
{
	uint8_t map_key[HASH_SHA256_BYTES + 1];
	const struct task *task = known_task(list, key, map_key);

	return task && task->state != TASK_ENDED && task->is_claimed;
}

static struct task *new_task(struct task_list *list, struct task_waiter *maker,
			     const struct derive *derive, const uint8_t key[HASH_SHA256_BYTES + 1],
			     struct err *err)
{
	struct task *task = mem_get(sizeof(*task) + list->steps->part_bytes);

	if (task)
		memcpy(task->map_key, key, sizeof(task->map_key));
	if (!task || map_put(&list->by_key, key_text(task->map_key), task) < 0) {
		mem_give_back(task);
		err_set(err, ERR_NO_MEMORY, "no room for a task");
		return NULL;
	}
	task->list = list;
	task->derive = derive;
	task->maker = maker;
	maker->references++;
	task->next = list->first;
	list->first = task;
	list->steps->begin(task);
	return task;
}

struct task *task_for(struct task_list *list, struct task_waiter *maker, const struct derive *derive,
		      struct err *err)
{
	uint8_t key[HASH_SHA256_BYTES + 1];
	struct task *task = known_task(list, &derive->key, key);

	if (task)
		return task;
	task = new_task(list, maker, derive, key, err);
	if (task)
		go_on(task, TASK_CLAIM);
	return task;
}

struct task *task_again(struct task_list *list, struct task_waiter *maker,
			const struct derive *derive, struct err *err)
{
	uint8_t key[HASH_SHA256_BYTES + 1];
	struct task *task;

	if (known_task(list, &derive->key, key))
		return NULL;
	task = new_task(list, maker, derive, key, err);
	if (!task)
		return NULL;
	task->is_refresh = true;
	go_on(task, TASK_CLAIM);
	return task;
}

static bool waits_for(const struct task_waiter *waiter, const struct task *task)
{
	for (size_t i = 0; i < task->waiting_count; i++)
		if (task->waiting[i] == waiter)
			return true;
	return false;
}

int task_wait(struct task *task, struct task_waiter *waiter, struct err *err)
{
	if (task->state == TASK_ENDED) {             /* inside task_for() */
		waiter->told(waiter, task->derive, NULL, false, NULL);
		return 0;
	}
	if (waits_for(waiter, task))
		return 0;
	if (vec_reserve(&task->waiting, &task->waiting_capacity, task->waiting_count + 1,
			sizeof(struct task_waiter *)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room to wait for a task");
	waiter->references++;
	task->waiting[task->waiting_count++] = waiter;
	return 0;
}

const struct err *task_trouble(const struct task_list *list, const struct task_waiter *waiter,
			       int64_t *since_millis)
{
	for (const struct task *task = list->first; task; task = task->next) {
		if (task->trouble.kind == ERR_NONE || task->state == TASK_ENDED ||
		    !waits_for(waiter, task))
			continue;
		*since_millis = task->failing_since_millis;
		return &task->trouble;
	}
	return NULL;
}

/* --- Looking again ------------------------------------------------------------------------- */

static bool somebody_waits(const struct task *task)
{
	for (size_t i = 0; i < task->waiting_count; i++)
		if (!task->waiting[i]->has_left)
			return true;
	return false;
}

static void begin_again(struct task *task)
{
	if (somebody_waits(task))
		go_on(task, task->is_claimed ? TASK_ASK_ENTRY : TASK_CLAIM);
	else
		end_for_good(task, &task->trouble, false);
}

/* Another process may have ended or abandoned what we wait for. */
static void look(struct task *task)
{
	struct err err = ERR_INIT;

	switch (task->list->steps->look(task, &err)) {
	case OUTCOME_PENDING:
		break;
	case OUTCOME_DONE:
		end_for_good(task, NULL, false);
		break;
	case OUTCOME_NONE:
		go_on(task, TASK_CLAIM);
		break;
	default:
		go_on(task, end_failed(task, &err));
	}
}

void task_look_again(struct task_list *list)
{
	int64_t now = clock_monotonic_millis();

	for (struct task *task = list->first; task; task = task->next) {
		if (task->state == TASK_RESTS && task->again_millis <= now)
			begin_again(task);
		if (task->state == TASK_WAITS_FOR_ANOTHER)
			look(task);
	}
}

int64_t task_next_millis(const struct task_list *list)
{
	int64_t next = INT64_MAX;

	for (const struct task *task = list->first; task; task = task->next)
		if (task->state == TASK_RESTS && task->again_millis < next)
			next = task->again_millis;
	return next;
}

/* --- Leaving ------------------------------------------------------------------------------- */

void task_drop_ended(struct task_list *list)
{
	struct task **at = &list->first;

	while (*at) {
		struct task *task = *at;

		if (task->state != TASK_ENDED) {
			at = &task->next;
			continue;
		}
		*at = task->next;
		map_remove(&list->by_key, key_text(task->map_key));
		task->maker->references--;
		mem_give_back(task->waiting);
		mem_give_back(task);
	}
}

void task_abandon_all(struct task_list *list)
{
	list->is_leaving = true;
	for (struct task *task = list->first; task; task = task->next)
		if (task->state != TASK_ENDED)
			abandon(task);
	task_drop_ended(list);
}
