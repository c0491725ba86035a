/*
 * carry.c -- jobs as state machines: claimed, stepped whenever something ended, finished.
 *
 * 1. What is our own failure (err_kind_is_ours) never becomes part of an answer: the job is
 *    held up and tried again, until the whole answer is there or its deadline has come.
 * 2. A step that failed may have left half of what it was about: such a job begins anew, from its
 *    body.  What it had made is in the cache.
 */
#include "workshop/internal.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "board/board.h"
#include "config/config.h"
#include "kinds/kinds.h"

#define BROKEN_MILLIS  30000     /* a broken promise of ours does not mend itself: no longer */
#define PERSON_MILLIS  10000     /* nor does a person at a command line wait longer */

void carry_note_failure(struct carried *carried, const struct cache_key *key,
			const struct err *status)
{
	struct passing_failure *failure;

	if (vec_reserve(&carried->failures, &carried->failure_capacity, carried->failure_count + 1,
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
	if (found->state != CACHE_ABSENT && !derive_is_stale(derive, found, NULL))
		return RESOLVED_READY;
	cache_found_release(found);
	*found = (struct cache_found){ .state = CACHE_ABSENT };
	task = task_for(shop, carried, derive, err);
	return task && task_wait(task, carried, err) == 0 ? RESOLVED_WAIT : RESOLVED_ERROR;
}

static enum resolved resolve_names(struct resolver *resolver, struct convert_name *names,
				   size_t count, struct arena *arena, struct err *err)
{
	struct carried *carried = carried_of(resolver);

	(void)arena;                 /* other tasks of this job may be using it */
	return asker_resolve(&carried->shop->asker, carried, names, count, err);
}

static void resolve_invalidate(struct resolver *resolver, const struct derive *derive,
			  const struct cache_found *found, const char *why)
{
	struct shop *shop = carried_of(resolver)->shop;

	cache_invalidate(shop->cache, shop->store, &derive->key, found, why);
}

struct carried *carry_new(struct shop *shop, struct err *err)
{
	struct carried *carried = mem_get(sizeof(*carried));

	if (!carried) {
		err_set(err, ERR_NO_MEMORY, "no room for a job");
		return NULL;
	}
	carried->resolver = (struct resolver){
		.entry = resolve_entry, .names = resolve_names, .invalidate = resolve_invalidate,
		.refresh = refresh_ask,
	};
	carried->shop = shop;
	carried->body = work_body_of(TEXT_NONE);
	carried->started_millis = clock_monotonic_millis();
	carried->deadline_millis = carried->started_millis + shop->config->job_seconds * 1000;
	carried->ready = true;
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

/* The job is still ours, and nothing of it is lost. */
static void hold_up(struct carried *carried, const char *doing, const struct err *err)
{
	int64_t now = clock_monotonic_millis();

	if (!carried->failing_since_millis) {        /* said once, not at every try */
		carried->failing_since_millis = now;
		log_message(LOG_ERROR, doing, carried->has_row ? carried->job.id : NULL,
			    "%s; it is tried again", err->text);
	}
	carried->trouble = *err;
	carried->again_millis = now + shop_pause_millis(carried->tries++);
	carried->ready = false;
}

static void note_progress(struct carried *carried)
{
	carried->failing_since_millis = 0;
	carried->again_millis = 0;
	carried->tries = 0;
	err_clear(&carried->trouble);
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
		hold_up(carried, "job_finish", &err);
		return;
	}
	if (carried->reply) {
		buf_add_text(carried->reply, reply);
		shop->is_answered = true;
	}
	log_end(carried, state, why);
	if (carried->has_row)
		shop->carried_count--;
	carried->has_row = false;
	carried->ended = true;
	carried->ready = false;
}

/* Without an answer, as end_state and failure say. */
static void end_without(struct carried *carried)
{
	struct buf reply;

	buf_init(&reply, LIMIT_REPLY_BYTES);
	work_end_result(carried->kind, carried->end_state == JOB_TIMEOUT ? WORK_TIMEOUT :
			carried->end_state == JOB_INTERNAL_ERROR ? WORK_INTERNAL : WORK_FAILED,
			&carried->failure, &reply);
	end_job(carried, carried->end_state, buf_text(&reply), carried->failure.text);
	buf_release(&reply);
}

static void end_as(struct carried *carried, enum job_state state, const struct err *failure)
{
	carried->end_state = state;
	carried->failure = *failure;
	if (carried->reply && err_kind_is_ours(failure->kind))
		carried->shop->failure = *failure;
	end_without(carried);
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

/* --- Failures ---------------------------------------------------------------------------- */

/* The same job with nothing behind it.  What the old one had asked for is still being made, in
 * memory of its work. */
static struct carried *begin_anew(struct carried *carried)
{
	struct err err = ERR_INIT;
	struct carried *fresh = carry_new(carried->shop, &err);

	if (!fresh)
		return NULL;
	fresh->kind = carried->kind;
	fresh->job = carried->job;
	fresh->has_row = carried->has_row;
	fresh->is_refresh = carried->is_refresh;
	fresh->body = carried->body;
	carried->body = work_body_of(TEXT_NONE);
	fresh->reply = carried->reply;
	fresh->candidates = carried->candidates;
	fresh->started_millis = carried->started_millis;
	fresh->deadline_millis = carried->deadline_millis;
	fresh->failing_since_millis = carried->failing_since_millis;
	fresh->tries = carried->tries;
	carried->has_row = false;
	carried->ended = true;
	carried->ready = false;
	return fresh;
}

/* A failure of the job itself, in its step or its answer. */
static void met_failure(struct carried *carried, const char *doing, const struct err *err)
{
	struct carried *fresh;

	if (!err_kind_is_ours(err->kind)) {
		end_as(carried, JOB_FAILED, err);
		return;
	}
	if (err->kind == ERR_INTERNAL && carried->failing_since_millis &&
	    clock_monotonic_millis() - carried->failing_since_millis > BROKEN_MILLIS) {
		end_as(carried, JOB_INTERNAL_ERROR, err);
		return;
	}
	fresh = begin_anew(carried);
	carried->has_to_begin_anew = !fresh;
	hold_up(fresh ? fresh : carried, doing, err);
}

/* --- Steps ------------------------------------------------------------------------------- */

static void answer(struct carried *carried)
{
	struct err err = ERR_INIT;
	struct buf reply;

	if (carried->is_refresh) {
		end_refresh(carried);
		return;
	}
	buf_init(&reply, LIMIT_REPLY_BYTES);
	if (work_result(&carried->work, &reply, &err) == 0)
		end_job(carried, JOB_COMPLETED, buf_text(&reply), "");
	else
		met_failure(carried, "job_answer", &err);
	buf_release(&reply);
}

/* Bytes are gone with `spooled`: whoever parses takes what it needs.  A file stays open. */
static int read_body(struct carried *carried, struct buf *spooled, struct err *err)
{
	struct jobs *jobs = &carried->shop->jobs;

	if (carried->kind->takes_file) {
		if ((carried->body.fd < 0 && job_body_open(jobs, &carried->job, &carried->body.fd,
							   &carried->body.size, err) < 0) ||
		    job_fields(jobs, &carried->job, spooled, err) < 0)
			return -1;
		carried->body.bytes = buf_text(spooled);
		return 0;
	}
	if (job_body(jobs, &carried->job, spooled, err) < 0)
		return -1;
	carried->body = work_body_of(buf_text(spooled));
	return 0;
}

static int read_request(struct carried *carried, struct err *err)
{
	struct shop *shop = carried->shop;
	struct text scope = carried->job.has_scope ? text_of(carried->job.scope) : TEXT_NONE;
	struct buf spooled;
	int rc = -1;

	if (!carried->kind)
		return err_set(err, ERR_INTERNAL, "job %s is of the unknown kind %s", carried->job.id,
			       carried->job.kind);
	buf_init(&spooled, LIMIT_REPLY_BYTES);
	if (carried->has_row && read_body(carried, &spooled, err) < 0)
		goto done;
	if (work_init(&carried->work, carried->kind, shop->config, &shop->default_sources, scope,
		      err) == 0)
		rc = work_parse(&carried->work, &carried->body, err);
	if (rc < 0)
		work_release(&carried->work);
done:
	if (carried->has_row)
		carried->body.bytes = TEXT_NONE;
	buf_release(&spooled);
	return rc;
}

static void go_on(struct carried *carried)
{
	struct err err = ERR_INIT;

	switch (work_step(&carried->work, &carried->resolver, &err)) {
	case STEP_DONE:
		carried->is_done = true;
		note_progress(carried);
		answer(carried);
		break;
	case STEP_WAIT:
		note_progress(carried);
		break;
	case STEP_ERROR:
		met_failure(carried, "job_step", &err);
		break;
	}
}

static void begin(struct carried *carried)
{
	struct err err = ERR_INIT;

	if (read_request(carried, &err) == 0) {
		carried->is_begun = true;
		go_on(carried);
	} else {
		met_failure(carried, "job_begin", &err);
	}
}

static void step(struct carried *carried)
{
	const struct err trouble = carried->trouble;

	carried->ready = false;
	carried->again_millis = 0;
	log_set_request_id(carried->job.x_request_id);
	if (carried->has_to_begin_anew)
		met_failure(carried, "job_step", &trouble);
	else if (carried->end_state != JOB_UNKNOWN)
		end_without(carried);
	else if (carried->is_done)
		answer(carried);
	else if (!carried->is_begun)
		begin(carried);
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

static void take(struct carried *carried, const struct job *job)
{
	carried->job = *job;
	carried->kind = request_kind_named(job_asked_kind(job->kind, &carried->is_refresh));
	carried->has_row = true;
	carried->deadline_millis = carried->started_millis + job->deadline_at * 1000 -
				   clock_unix_millis();
	carried->shop->carried_count++;
	carried->shop->worked_millis = carried->started_millis;
}

/* What will carry it is there before the job is ours: a claim without one would never end. */
int carry_claim(struct shop *shop, struct err *err)
{
	while (!shop->stopping && shop->carried_count < shop->config->workshop_jobs) {
		struct carried *carried = carry_new(shop, err);
		struct job job;
		int got = carried ? job_claim(&shop->jobs, shop->owner, &job, err) : -1;

		if (got > 0) {
			take(carried, &job);
			continue;
		}
		if (carried)
			carried->ended = true;
		return got;
	}
	return 0;
}

/* --- Deadlines --------------------------------------------------------------------------- */

static void end_for_trouble(struct carried *carried, const struct err *trouble)
{
	int64_t millis = clock_monotonic_millis() - carried->started_millis;
	struct err words = *trouble;

	err_while(&words, "it could not be done in %lld s", (long long)(millis / 1000));
	end_as(carried, JOB_FAILED, &words);
}

/* What is decided already has nothing to wait for but the database. */
static void end_if_overdue(struct carried *carried, int64_t now)
{
	struct err none = ERR_INIT;
	const struct err *trouble = &carried->trouble;
	int64_t since = carried->failing_since_millis;

	if (carried->ended || carried->is_done || carried->end_state != JOB_UNKNOWN ||
	    (carried->has_row && carried->deadline_millis > now))
		return;
	if (trouble->kind == ERR_NONE)
		trouble = tasks_trouble(carried, &since);
	if (trouble && (carried->deadline_millis <= now ||
			(!carried->has_row && now - since > PERSON_MILLIS)))
		end_for_trouble(carried, trouble);
	else if (carried->deadline_millis <= now)
		end_as(carried, JOB_TIMEOUT, &none);
}

void carry_end_overdue(struct shop *shop)
{
	int64_t now = clock_monotonic_millis();

	for (struct carried *carried = shop->carried; carried; carried = carried->next) {
		log_set_request_id(carried->job.x_request_id);
		end_if_overdue(carried, now);
	}
	log_set_request_id(NULL);
}

int64_t carry_next_millis(const struct shop *shop)
{
	int64_t next = INT64_MAX;

	for (const struct carried *carried = shop->carried; carried; carried = carried->next) {
		if (carried->ended)
			continue;
		if (carried->again_millis && carried->again_millis < next)
			next = carried->again_millis;
		if (!carried->is_done && carried->end_state == JOB_UNKNOWN &&
		    carried->deadline_millis < next)
			next = carried->deadline_millis;
	}
	return next;
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
		if (carried->body.fd >= 0)
			close(carried->body.fd);
		mem_give_back(carried->failures);
		mem_give_back(carried);
	}
}
