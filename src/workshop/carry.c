/* carry.c -- jobs as state machines: claimed, stepped whenever something ended, finished. */
#include "workshop/internal.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "board/board.h"
#include "config/config.h"
#include "symbolicate/reply.h"

#define AGAIN_MILLIS   1000
#define FAILING_MILLIS 30000     /* steps that fail that long end the job */
#define BUSY_MOST      8u

void carry_note_failure(struct carried *carried, const struct cache_key *key,
			const struct err *status)
{
	struct passing_failure *failure;

	/* A lock passes: the key is asked for again. */
	if (status->kind == ERR_BUSY && carried->has_row && carried->busy_count++ < BUSY_MOST)
		return;
	if (vec_room(&carried->failures, &carried->failure_room, carried->failure_count + 1,
		     sizeof(*carried->failures)) < 0)
		return;              /* it will be tried again instead */
	failure = &carried->failures[carried->failure_count++];
	memcpy(failure->hash, key->hash, sizeof(failure->hash));
	failure->kind = key->kind;
	failure->status = *status;
}

static bool failed_in_passing(struct carried *carried, const struct cache_key *key,
			      struct cache_found *found)
{
	for (size_t i = 0; i < carried->failure_count; i++) {
		const struct passing_failure *failure = &carried->failures[i];

		if (failure->kind != key->kind ||
		    memcmp(failure->hash, key->hash, sizeof(failure->hash)) != 0)
			continue;
		*found = (struct cache_found){ .state = CACHE_FAILED, .failure = failure->status.kind };
		/* The array may move when another failure is added: the text needs a place to stay. */
		found->details = text_of(arena_strdup(&carried->work.arena, failure->status.text));
		return true;
	}
	return false;
}

static enum resolved resolve_entry(struct resolver *resolver, const struct derive *derive,
				   struct cache_found *found, struct err *err)
{
	struct carried *carried = carried_of(resolver);
	struct shop *shop = carried->shop;
	struct task *task;

	if (failed_in_passing(carried, &derive->key, found))
		return RESOLVED_READY;
	if (cache_find(shop->cache, shop->store, &derive->key, found, err) < 0)
		return RESOLVED_ERROR;
	if (found->is_outdated)
		refresh_ask(resolver, derive);
	if (found->state != CACHE_ABSENT && !derive_is_stale(derive, found))
		return RESOLVED_READY;
	cache_found_release(found);
	*found = (struct cache_found){ .state = CACHE_ABSENT };
	task = task_for(shop, carried, derive, err);
	if (!task)
		return RESOLVED_ERROR;
	task_wait(task, carried);
	return RESOLVED_WAIT;
}

static enum resolved resolve_names(struct resolver *resolver, struct convert_name *names,
				   size_t count, struct arena *arena, struct err *err)
{
	struct carried *carried = carried_of(resolver);

	(void)arena;                 /* other tasks of this job may be using it */
	return asker_resolve(&carried->shop->asker, carried, names, count, err);
}

static void resolve_spoil(struct resolver *resolver, const struct derive *derive,
			  const struct cache_found *found, const char *why)
{
	struct shop *shop = carried_of(resolver)->shop;

	cache_spoil(shop->cache, shop->store, &derive->key, found, why);
}

struct carried *carry_new(struct shop *shop, const struct request_kind *kind, struct text scope,
			  struct err *err)
{
	struct carried *carried = mem_get(sizeof(*carried));

	if (!carried) {
		err_set(err, ERR_NO_MEMORY, "no room for a job");
		return NULL;
	}
	carried->resolver = (struct resolver){
		.entry = resolve_entry, .names = resolve_names, .spoil = resolve_spoil,
		.refresh = refresh_ask,
	};
	carried->shop = shop;
	carried->started_millis = clock_monotonic_millis();
	carried->deadline_millis = carried->started_millis + shop->config->job_seconds * 1000;
	if (work_init(&carried->work, kind, shop->config, &shop->default_sources, scope, err) < 0) {
		mem_give_back(carried);
		return NULL;
	}
	carried->next = shop->carried;
	shop->carried = carried;
	return carried;
}

static void log_end(const struct carried *carried, enum job_state state, const char *why)
{
	log_message(state == JOB_INTERNAL_ERROR ? LOG_ERROR : LOG_INFO, "job_end",
		    carried->has_row ? carried->job.id : NULL, "%s after %lld ms, attempt %lld%s%s",
		    job_state_name(state),
		    (long long)(clock_monotonic_millis() - carried->started_millis),
		    (long long)carried->job.attempt, why[0] ? ": " : "", why);
}

static void keep_candidates(struct carried *carried)
{
	struct buf json;
	struct err err = ERR_INIT;

	buf_init(&json, LIMIT_REPLY_BYTES);
	if (work_candidates(&carried->work, &json, &err) == 0 && carried->has_row &&
	    job_note_candidates(&carried->shop->jobs, carried->job.id, buf_text(&json), &err) < 0)
		log_message(LOG_WARN, "job_candidates", carried->job.id, "%s", err.text);
	if (carried->candidates)
		buf_add_text(carried->candidates, buf_text(&json));
	buf_release(&json);
}

/* A full disk and a locked database pass: the job is still ours, and nothing of it is lost. */
static void try_again(struct carried *carried, const char *doing, const struct err *err)
{
	if (!carried->again_millis)          /* said once, not every second */
		log_message(LOG_ERROR, doing, carried->job.id, "%s; it is tried again", err->text);
	carried->again_millis = clock_monotonic_millis() + AGAIN_MILLIS;
	carried->ready = false;
}

/* The one way a job ends. */
static void end_job(struct carried *carried, enum job_state state, struct text reply, const char *why)
{
	struct shop *shop = carried->shop;
	struct err err = ERR_INIT;

	if (state == JOB_COMPLETED && (carried->has_row || carried->candidates))
		keep_candidates(carried);
	if (carried->has_row &&
	    job_finish(&shop->jobs, &carried->job, shop->owner, state, reply, &err) < 0) {
		try_again(carried, "job_finish", &err);
		return;
	}
	if (carried->reply)
		buf_add_text(carried->reply, reply);
	log_end(carried, state, why);
	if (carried->has_row)
		shop->carried_count--;
	carried->has_row = false;
	carried->ended = true;
	carried->ready = false;
}

static void end_failed(struct carried *carried, const struct err *failure)
{
	bool ours = failure->kind == ERR_INTERNAL || failure->kind == ERR_NO_MEMORY ||
		    failure->kind == ERR_IO || failure->kind == ERR_BUSY;
	struct buf reply;

	buf_init(&reply, LIMIT_REPLY_BYTES);
	if (ours)
		reply_internal(&reply);
	else
		reply_failed(&reply, text_of(failure->text));
	end_job(carried, ours ? JOB_INTERNAL_ERROR : JOB_FAILED, buf_text(&reply), failure->text);
	buf_release(&reply);
}

/* Unfinished, for whoever claims it next: that may be we. */
static void give_back(struct carried *carried)
{
	struct shop *shop = carried->shop;
	struct err err = ERR_INIT;

	if (job_release(&shop->jobs, &carried->job, shop->owner, &err) < 0)
		log_message(LOG_WARN, "job_release", carried->job.id, "%s", err.text);
	carried->has_row = false;
	carried->ended = true;
	shop->carried_count--;
}

/* A refresh is done when all that it makes again is; what came of it may lead to more. */
static void end_refresh(struct carried *carried)
{
	if (carried->refreshes > 0)
		return;
	if (refresh_goes_on(carried))
		give_back(carried);
	else
		end_job(carried, JOB_COMPLETED, TEXT("{}"), "");
}

static void answer(struct carried *carried)
{
	struct err err = ERR_INIT;
	struct buf reply;

	if (carried->is_refresh) {
		end_refresh(carried);
		return;
	}
	buf_init(&reply, LIMIT_REPLY_BYTES);
	if (carried->work.kind->answer(&carried->work, &reply, &err) < 0 || buf_check(&reply, &err) < 0)
		end_failed(carried, &err);
	else
		end_job(carried, JOB_COMPLETED, buf_text(&reply), "");
	buf_release(&reply);
}

/* What our database or disk could not do, they may do in a moment; but not for ever. */
static bool is_worth_another_try(struct carried *carried, const struct err *err)
{
	int64_t now = clock_monotonic_millis();

	if (!carried->has_row || (err->kind != ERR_BUSY && err->kind != ERR_IO))
		return false;
	if (!carried->failing_since_millis)
		carried->failing_since_millis = now;
	return now - carried->failing_since_millis < FAILING_MILLIS;
}

static void go_on(struct carried *carried)
{
	struct err err = ERR_INIT;

	switch (carried->work.kind->step(&carried->work, &carried->resolver, &err)) {
	case STEP_DONE:
		carried->is_done = true;
		carried->again_millis = 0;
		answer(carried);
		break;
	case STEP_WAIT:
		carried->failing_since_millis = 0;
		carried->again_millis = 0;
		break;
	case STEP_ERROR:
		if (is_worth_another_try(carried, &err)) {
			try_again(carried, "job_step", &err);
			break;
		}
		carried->failure = err;
		end_failed(carried, &err);
		break;
	}
}

static void step(struct carried *carried)
{
	carried->ready = false;
	log_set_request_id(carried->job.x_request_id);
	if (carried->failure.kind != ERR_NONE)
		end_failed(carried, &carried->failure);
	else if (carried->is_done)
		answer(carried);
	else
		go_on(carried);
	log_set_request_id(NULL);
}

void carry_step_ready(struct shop *shop)
{
	int64_t now = clock_monotonic_millis();

	for (struct carried *carried = shop->carried; carried; carried = carried->next)
		if (!carried->ended &&
		    (carried->ready || (carried->again_millis && carried->again_millis <= now)))
			step(carried);
}

/* Reads the body of a claimed job and makes it ready. */
static int begin_claimed(struct shop *shop, const struct job *job, struct err *err)
{
	bool is_refresh;
	const struct request_kind *kind = request_kind_named(job_asked_kind(job->kind, &is_refresh));
	struct text scope = job->has_scope ? text_of(job->scope) : TEXT_NONE;
	struct carried *carried;
	struct buf body;
	struct err bad = ERR_INIT;

	if (!kind)
		return err_set(err, ERR_INTERNAL, "job %s is of the unknown kind %s", job->id, job->kind);
	carried = carry_new(shop, kind, scope, err);
	if (!carried)
		return -1;
	carried->job = *job;
	carried->has_row = true;
	carried->is_refresh = is_refresh;
	carried->deadline_millis = carried->started_millis +
				   (job->deadline_at - clock_unix_seconds()) * 1000;
	shop->carried_count++;
	buf_init(&body, LIMIT_REPLY_BYTES);
	if (job_body(&shop->jobs, job, &body, &bad) < 0 ||
	    kind->parse(&carried->work, buf_text(&body), &bad) < 0)
		carried->failure = bad;
	carried->ready = true;
	buf_release(&body);
	return 0;
}

int carry_claim(struct shop *shop, struct err *err)
{
	while (!shop->stopping && shop->carried_count < shop->config->workshop_jobs) {
		struct job job;
		int got = job_claim(&shop->jobs, shop->owner, &job, err);

		if (got <= 0)
			return got;
		if (begin_claimed(shop, &job, err) < 0)
			return -1;
		shop->worked_millis = clock_monotonic_millis();
	}
	return 0;
}

void carry_end_overdue(struct shop *shop)
{
	int64_t now = clock_monotonic_millis();

	for (struct carried *carried = shop->carried; carried; carried = carried->next) {
		struct buf reply;

		if (carried->ended || carried->deadline_millis > now || carried->again_millis > now)
			continue;
		buf_init(&reply, LIMIT_REPLY_BYTES);
		reply_timeout(&reply);
		log_set_request_id(carried->job.x_request_id);
		end_job(carried, JOB_TIMEOUT, buf_text(&reply), "");
		log_set_request_id(NULL);
		buf_release(&reply);
	}
}

void carry_give_back(struct shop *shop)
{
	for (struct carried *carried = shop->carried; carried; carried = carried->next)
		if (carried->has_row)
			give_back(carried);
}

void carry_drop_unreferenced(struct shop *shop)
{
	struct carried **at = &shop->carried;

	while (*at) {
		struct carried *carried = *at;

		if (!carried->ended || carried->references > 0) {
			at = &carried->next;
			continue;
		}
		*at = carried->next;
		work_release(&carried->work);
		asker_forget(carried);
		mem_give_back(carried->failures);
		mem_give_back(carried);
	}
}
