/* job_resolver.c -- see job_resolver.h. */
#include "workshop/job_resolver.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "workshop/job_aside.h"
#include "workshop/job_results.h"
#include "workshop/refresh.h"

/* A fact that must not be remembered, told to the jobs that waited for it. */
struct passing_failure {
	uint8_t hash[HASH_SHA256_BYTES];
	enum cache_kind kind;
	struct err status;
};

/* An entry that a task of now could not make. */
struct fresh_failure {
	uint8_t hash[HASH_SHA256_BYTES];
	enum cache_kind kind;
};

/* --- What is known ------------------------------------------------------------------------- */

static void note_failure(struct running_job *running, const struct cache_key *key,
			 const struct err *status)
{
	struct passing_failure *failure;

	if (vec_reserve(&running->failures, &running->failure_capacity, running->failure_count + 1,
			sizeof(*running->failures)) < 0)
		return;              /* it will be tried again instead */
	failure = &running->failures[running->failure_count++];
	memcpy(failure->hash, key->hash, sizeof(failure->hash));
	failure->kind = key->kind;
	failure->status = *status;
}

/* derive_is_stale() rejects remembered failures of folders, and those that are too old for the job.  The job that
 * has waited for such a failure accepts it all the same: else it would be made again for that job without
 * end (a file that does not hold what its name promises, one that comes and goes, a clock that was set back). */
static void note_fresh(struct running_job *running, const struct cache_key *key)
{
	struct fresh_failure *fresh;

	if (vec_reserve(&running->fresh, &running->fresh_capacity, running->fresh_count + 1,
			sizeof(*running->fresh)) < 0)
		return;              /* it will be made once more instead */
	fresh = &running->fresh[running->fresh_count++];
	memcpy(fresh->hash, key->hash, sizeof(fresh->hash));
	fresh->kind = key->kind;
}

static bool failed_just_now(const struct running_job *running, const struct cache_key *key,
			    const struct cache_found *found)
{
	if (found->state != CACHE_FAILED)
		return false;
	for (size_t i = 0; i < running->fresh_count; i++)
		if (running->fresh[i].kind == key->kind &&
		    memcmp(running->fresh[i].hash, key->hash, sizeof(key->hash)) == 0)
			return true;
	return false;
}

static void task_told(struct task_waiter *waiter, const struct derive *derive,
		      const struct err *passing, bool has_failed, const struct err *anew)
{
	struct running_job *running = running_job_of_waiter(waiter);

	if (passing)
		note_failure(running, &derive->key, passing);
	if (has_failed && (derive_is_of_folder(derive) || derive->misses_since))
		note_fresh(running, &derive->key);
	if (anew) {
		running->has_to_begin_anew = true;
		running->trouble = *anew;
	}
	running->ready = !waiter->has_left;
}

static bool failed_in_passing(struct running_job *running, const struct cache_key *key,
			      struct cache_found *found)
{
	for (size_t i = 0; i < running->failure_count; i++) {
		const struct passing_failure *failure = &running->failures[i];

		if (failure->kind != key->kind ||
		    memcmp(failure->hash, key->hash, sizeof(failure->hash)) != 0)
			continue;
		*found = (struct cache_found){ .state = CACHE_FAILED, .failure = failure->status.kind };
		/* The array may move when another failure is added: the text needs a place to stay. */
		found->details = text_of(arena_strdup(&running->work.arena, failure->status.text));
		return true;
	}
	return false;
}

/* 1: found, 0: it has to be made, -1. */
static int find(struct running_job *running, const struct derive *derive, struct cache_found *found,
		struct err *err)
{
	const struct workshop_means *means = running->list->means;

	if (failed_in_passing(running, &derive->key, found))
		return 1;
	if (derived_is_of_job(derive->kind))
		return job_result_find(running, &derive->key, found);
	if (cache_find(means->cache, means->store, &derive->key, found, err) < 0)
		return -1;
	if (found->is_outdated)
		refresh_ask(&running->resolver, derive);
	if (found->state != CACHE_ABSENT && (!derive_is_stale(derive, found, NULL) ||
					     failed_just_now(running, &derive->key, found)))
		return 1;
	cache_found_release(found);
	*found = (struct cache_found){ .state = CACHE_ABSENT };
	return 0;
}

/* Told to this job alone, and not remembered. */
static void tell_late(struct cache_found *found)
{
	*found = (struct cache_found){
		.state = CACHE_FAILED, .failure = ERR_TIMEOUT,
		.details = TEXT("it was not there when the time of the request was nearly over"),
	};
}

static enum resolved resolve_entry(struct resolver *resolver, const struct derive *derive,
				   struct cache_found *found, struct err *err)
{
	struct running_job *running = running_job_of(resolver);
	int known = find(running, derive, found, err);
	struct task *task;

	if (known != 0)
		return known < 0 ? RESOLVED_ERROR : RESOLVED_READY;
	if (running->is_late && !derived_is_of_job(derive->kind)) {
		tell_late(found);
		return RESOLVED_READY;
	}
	task = task_for(running->list->tasks, &running->waiter, derive, err);
	return task && task_wait(task, &running->waiter, err) == 0 ? RESOLVED_WAIT : RESOLVED_ERROR;
}

static void names_told(void *payload)
{
	struct running_job *running = payload;

	running->waiter.references--;
	running->ready = !running->waiter.has_left;
}

static int order_names(struct running_job *running, struct convert_name *names, size_t count,
		       struct err *err)
{
	const struct demangle_order order = {
		.told = names_told, .payload = running, .names = names, .count = count,
	};

	if (demangle_queue_post(running->list->names, &running->names, &order,
				running->work.arena.ceiling_bytes, err) < 0)
		return -1;
	running->waiter.references++;
	return 0;
}

static enum resolved resolve_names(struct resolver *resolver, struct convert_name *names,
				   size_t count, struct arena *arena, struct err *err)
{
	struct running_job *running = running_job_of(resolver);

	(void)arena;                 /* other tasks of this job may be using it */
	if (!running->names)
		return order_names(running, names, count, err) < 0 ? RESOLVED_ERROR : RESOLVED_WAIT;
	if (!running->names->collected)
		return RESOLVED_WAIT;
	if (!running->names->failed)
		return RESOLVED_READY;
	*err = running->names->err;
	demangle_order_free(running->names);         /* who tries again asks again */
	running->names = NULL;
	return RESOLVED_ERROR;
}

static void resolve_invalidate(struct resolver *resolver, const struct derive *derive,
			       const struct cache_found *found, const char *why)
{
	struct running_job *running = running_job_of(resolver);
	const struct workshop_means *means = running->list->means;

	if (!derived_is_of_job(derive->kind)) {
		cache_invalidate(means->cache, means->store, &derive->key, found, why);
		return;
	}
	job_result_drop(running, &derive->key);
}

static int resolve_aside(struct resolver *resolver, struct work_aside *aside, struct err *err)
{
	return job_aside_ask(running_job_of(resolver), aside, err);
}

void job_resolver_init(struct running_job *running)
{
	running->resolver = (struct resolver){
		.entry = resolve_entry, .names = resolve_names, .invalidate = resolve_invalidate,
		.refresh = refresh_ask, .aside = resolve_aside,
	};
	running->waiter = (struct task_waiter){ .told = task_told, .work = &running->work };
}

void job_resolver_release(struct running_job *running)
{
	demangle_order_free(running->names);
	mem_give_back(running->failures);
	mem_give_back(running->fresh);
}
