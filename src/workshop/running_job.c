/*
 * running_job.c -- see running_job.h.
 *
 * 1. What is our own failure (err_kind_is_ours) never becomes part of an answer: the job is
 *    held up and tried again, until the whole answer is there or its deadline has come.
 * 2. A step that failed may have left half of what it was about: such a job begins anew, from its
 *    body.  What it had made is in the cache.
 */
#include "workshop/running_job.h"

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
#include "workshop/job_aside.h"
#include "workshop/job_results.h"
#include "workshop/job_verbs.h"
#include "workshop/refresh.h"

#define CLAIM_AGAIN_MILLIS 200
#define BROKEN_MILLIS  30000     /* a broken promise of ours does not mend itself: no longer */
#define PERSON_MILLIS  10000     /* nor does a person at a command line wait longer */
#define HELD_MILLIS 3000              /* a claim is looked at that often */

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

/* --- The resolver ------------------------------------------------------------------------- */

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

/* Of folders nothing is believed that an entry says of a file that is not there, nor of other places what
 * is too old for the job: but by the job that has waited for it, or it would be made again for that job
 * without end (a file that does not hold what its name promises, one that comes and goes, a clock that was
 * set back). */
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

/* Kinds whose answer is worth having without what is still missing: an eighth of the job's time is left
 * to write it. */
static bool may_run_late(const struct running_job *running)
{
	return running->is_begun && !running->is_done && running->end_state == JOB_UNKNOWN &&
	       running->kind->answers_late && !running->is_refresh;
}

static int64_t late_millis(const struct running_job *running)
{
	return running->deadline_millis - (running->deadline_millis - running->started_millis) / 8;
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

/* Not in the list, and its time has not begun. */
static struct running_job *make(struct running_jobs *list, struct err *err)
{
	struct running_job *running = mem_get(sizeof(*running));

	if (!running) {
		err_set(err, ERR_NO_MEMORY, "no room for a job");
		return NULL;
	}
	running->resolver = (struct resolver){
		.entry = resolve_entry, .names = resolve_names, .invalidate = resolve_invalidate,
		.refresh = refresh_ask, .aside = resolve_aside,
	};
	running->waiter = (struct task_waiter){ .told = task_told, .work = &running->work };
	running->list = list;
	running->body = work_body_of(TEXT_NONE);
	return running;
}

static void put_in(struct running_jobs *list, struct running_job *running)
{
	running->started_millis = clock_monotonic_millis();
	running->deadline_millis = running->started_millis + list->means->config->job_seconds * 1000;
	running->ready = true;
	running->next = list->first;
	list->first = running;
}

struct running_job *running_job_new(struct running_jobs *list, struct err *err)
{
	struct running_job *running = make(list, err);

	if (running)
		put_in(list, running);
	return running;
}

/* Neither over nor about to be. */
static bool is_at_work(const struct running_job *running)
{
	return !running->waiter.has_left && !running->verb.is_asked;
}

/* --- The end ---------------------------------------------------------------------------- */

/* It waits for nothing any more. */
static void leave(struct running_job *running)
{
	running->waiter.has_left = true;
	running->ready = false;
	job_wants_end(running);
}

static void log_end(const struct running_job *running, enum job_state state)
{
	const char *why = running->end_state == JOB_UNKNOWN ? "" : running->failure.text;

	log_message(state == JOB_INTERNAL_ERROR ? LOG_ERROR : LOG_INFO, "job_end",
		    running->has_row ? running->job.id : NULL, "%s after %lld ms, attempt %lld%s%s",
		    job_state_name(state),
		    (long long)(clock_monotonic_millis() - running->started_millis),
		    (long long)running->job.attempt, why[0] ? ": " : "", why);
}

/* The job is still ours, and nothing of it is lost. */
static void hold_up(struct running_job *running, const char *doing, const struct err *err)
{
	int64_t now = clock_monotonic_millis();

	if (!running->failing_since_millis) {        /* said once, not at every try */
		running->failing_since_millis = now;
		log_message(LOG_ERROR, doing, running->has_row ? running->job.id : NULL,
			    "%s; it is tried again", err->text);
	}
	running->trouble = *err;
	running->again_millis = now + workshop_pause_millis(running->tries++);
	running->ready = false;
}

static void note_progress(struct running_job *running)
{
	running->failing_since_millis = 0;
	running->again_millis = 0;
	running->tries = 0;
	err_clear(&running->trouble);
}

/* It waits for nothing any more, and no row is ours. */
static void let_row_go(struct running_job *running)
{
	running->has_row = false;
	running->list->count--;
	leave(running);
}

static void end_told(struct queued_verb *verb)
{
	struct running_job *running = job_verb_running(verb);

	log_set_request_id(running->job.x_request_id);
	if (verb->rc < 0) {
		hold_up(running, "job_finish", &verb->err);
	} else {
		log_end(running, running->ending.state);
		let_row_go(running);
	}
	log_set_request_id(NULL);
}

static void release_told(struct queued_verb *verb)
{
	struct running_job *running = job_verb_running(verb);

	if (verb->rc < 0 && !running->list->stopping) {
		hold_up(running, "job_release", &verb->err);
		return;
	}
	if (verb->rc < 0)
		log_message(LOG_WARN, "job_release", running->job.id, "%s; its lease runs out",
			    verb->err.text);
	let_row_go(running);
}

/* Unfinished, for whoever claims it next: that may be we.  Its lease is renewed with all of ours: while it cannot be
 * written that it is free, nobody else could take it. */
static void give_back(struct running_job *running)
{
	running->is_given_back = true;
	job_verb_release(running, release_told);
}

/* The one way a job ends.  *reply may be taken over. */
static void end_job(struct running_job *running, enum job_state state, struct buf *reply)
{
	struct err err = ERR_INIT;

	if (running->has_row) {
		job_verb_end(running, state, reply, end_told);
		return;
	}
	/* What its answer was made without is said as far as there is memory for it. */
	if (state == JOB_COMPLETED && running->candidates)
		(void)!work_candidates(&running->work, running->candidates, &err);
	if (running->reply) {
		buf_add_text(running->reply, buf_text(reply));
		running->list->is_answered = true;
	}
	log_end(running, state);
	leave(running);
}

/* Without an answer, as end_state and failure say. */
static void end_without(struct running_job *running)
{
	struct buf reply;

	buf_init(&reply, LIMIT_REPLY_BYTES);
	work_end_result(running->kind, running->end_state == JOB_TIMEOUT ? WORK_TIMEOUT :
			running->end_state == JOB_INTERNAL_ERROR ? WORK_INTERNAL : WORK_FAILED,
			&running->failure, &reply);
	end_job(running, running->end_state, &reply);
	buf_release(&reply);
}

static void end_as(struct running_job *running, enum job_state state, const struct err *failure)
{
	running->end_state = state;
	running->failure = *failure;
	if (running->reply && err_kind_is_ours(failure->kind))
		running->list->failure = *failure;
	end_without(running);
}

/* A refresh is done when all that it makes again is; what came of it may lead to more. */
static void end_refresh(struct running_job *running)
{
	struct buf reply;

	if (running->refreshes > 0)
		return;
	if (refresh_goes_on(running)) {
		give_back(running);
		return;
	}
	buf_init(&reply, LIMIT_REPLY_BYTES);
	buf_add_string(&reply, "{}");
	end_job(running, JOB_COMPLETED, &reply);
	buf_release(&reply);
}

/* --- Failures ---------------------------------------------------------------------------- */

/* The same job with nothing behind it.  What the old one had asked for is still being made, in
 * memory of its work. */
static struct running_job *begin_anew(struct running_job *running)
{
	struct err err = ERR_INIT;
	struct running_job *fresh = running_job_new(running->list, &err);

	if (!fresh)
		return NULL;
	fresh->kind = running->kind;
	fresh->job = running->job;
	fresh->has_row = running->has_row;
	fresh->is_refresh = running->is_refresh;
	fresh->body = running->body;
	running->body = work_body_of(TEXT_NONE);
	fresh->reply = running->reply;
	fresh->candidates = running->candidates;
	fresh->started_millis = running->started_millis;
	fresh->deadline_millis = running->deadline_millis;
	fresh->failing_since_millis = running->failing_since_millis;
	fresh->tries = running->tries;
	running->has_row = false;
	leave(running);
	return fresh;
}

/* A failure of the job itself, in its step or its answer. */
static void met_failure(struct running_job *running, const char *doing, const struct err *err)
{
	struct running_job *fresh;

	if (!err_kind_is_ours(err->kind)) {
		end_as(running, JOB_FAILED, err);
		return;
	}
	if (err->kind == ERR_INTERNAL && running->failing_since_millis &&
	    clock_monotonic_millis() - running->failing_since_millis > BROKEN_MILLIS) {
		end_as(running, JOB_INTERNAL_ERROR, err);
		return;
	}
	fresh = begin_anew(running);
	running->has_to_begin_anew = !fresh;
	hold_up(fresh ? fresh : running, doing, err);
}

/* --- Steps ------------------------------------------------------------------------------- */

static void answer(struct running_job *running)
{
	struct err err = ERR_INIT;
	struct buf reply;

	if (running->is_refresh) {
		end_refresh(running);
		return;
	}
	buf_init(&reply, LIMIT_REPLY_BYTES);
	if (work_result(&running->work, &reply, &err) == 0)
		end_job(running, JOB_COMPLETED, &reply);
	else
		met_failure(running, "job_answer", &err);
	buf_release(&reply);
}

/* Bytes are gone with `spooled`: whoever parses takes what it needs.  A file stays open. */
static int read_body(struct running_job *running, struct buf *spooled, struct err *err)
{
	struct jobs *jobs = &running->list->rows;

	if (running->kind->takes_file) {
		if ((running->body.fd < 0 && job_body_open(jobs, &running->job, &running->body.fd,
							   &running->body.size, err) < 0) ||
		    job_fields(jobs, &running->job, spooled, err) < 0)
			return -1;
		running->body.bytes = buf_text(spooled);
		return 0;
	}
	if (job_body(jobs, &running->job, spooled, err) < 0)
		return -1;
	running->body = work_body_of(buf_text(spooled));
	return 0;
}

static int read_request(struct running_job *running, struct err *err)
{
	struct running_jobs *list = running->list;
	struct text scope = running->job.has_scope ? text_of(running->job.scope) : TEXT_NONE;
	struct buf spooled;
	int rc = -1;

	if (!running->kind)
		return err_set(err, ERR_INTERNAL, "job %s is of the unknown kind %s", running->job.id,
			       running->job.kind);
	buf_init(&spooled, LIMIT_REPLY_BYTES);
	if (running->has_row && read_body(running, &spooled, err) < 0)
		goto done;
	if (work_init(&running->work, running->kind, list->means->config, list->default_sources, scope,
		      err) == 0) {
		running->work.board = list->means->board;
		rc = work_parse(&running->work, &running->body, err);
	}
	if (rc < 0)
		work_release(&running->work);
done:
	if (running->has_row)
		running->body.bytes = TEXT_NONE;
	buf_release(&spooled);
	return rc;
}

static void go_on(struct running_job *running)
{
	struct err err = ERR_INIT;

	switch (work_step(&running->work, &running->resolver, &err)) {
	case STEP_DONE:
		running->is_done = true;
		note_progress(running);
		answer(running);
		break;
	case STEP_WAIT:
		note_progress(running);
		break;
	case STEP_ERROR:
		met_failure(running, "job_step", &err);
		break;
	}
}

static void begin(struct running_job *running)
{
	struct err err = ERR_INIT;

	if (read_request(running, &err) == 0) {
		running->is_begun = true;
		go_on(running);
	} else {
		met_failure(running, "job_begin", &err);
	}
}

static void step(struct running_job *running)
{
	const struct err trouble = running->trouble;

	running->ready = false;
	running->again_millis = 0;
	running->is_late = may_run_late(running) && clock_monotonic_millis() >= late_millis(running);
	log_set_request_id(running->job.x_request_id);
	if (running->wants && running->is_begun)
		job_wants_resolve(running);
	if (running->has_to_begin_anew)
		met_failure(running, "job_step", &trouble);
	else if (running->end_state != JOB_UNKNOWN)
		end_without(running);
	else if (running->is_given_back)
		give_back(running);
	else if (running->is_done)
		answer(running);
	else if (!running->is_begun)
		begin(running);
	else
		go_on(running);
	log_set_request_id(NULL);
}

static bool is_due(const struct running_job *running, int64_t now)
{
	return running->ready || (running->again_millis && running->again_millis <= now) ||
	       (running->wants && job_wants_end_millis(running) <= now) ||
	       (may_run_late(running) && !running->is_late && late_millis(running) <= now);
}

void running_job_step_ready(struct running_jobs *list)
{
	int64_t now = clock_monotonic_millis();

	for (struct running_job *running = list->first; running; running = running->next)
		if (is_at_work(running) && is_due(running, now))
			step(running);
}

bool running_job_is_any_ready(const struct running_jobs *list)
{
	for (const struct running_job *running = list->first; running; running = running->next)
		if (running->ready && is_at_work(running))
			return true;
	return false;
}

/* --- Claims ------------------------------------------------------------------------------ */

static void take(struct running_job *running, const struct job *job)
{
	running->job = *job;
	running->kind = request_kind_named(job_asked_kind(job->kind, &running->is_refresh));
	running->has_row = true;
	running->deadline_millis = running->started_millis + job->deadline_at * 1000 -
				   clock_unix_millis();
	running->list->count++;
	running->list->worked_millis = running->started_millis;
}

static void claim_told(struct queued_verb *verb)
{
	struct running_jobs *list = job_verb_list(verb);
	struct running_job *running = list->spare;

	if (verb->rc < 0) {
		log_message(LOG_ERROR, "workshop", NULL, "%s", verb->err.text);
		list->claim_again_millis = clock_monotonic_millis() + CLAIM_AGAIN_MILLIS;
	}
	if (verb->rc <= 0)
		return;
	list->spare = NULL;
	put_in(list, running);
	take(running, &list->claimed);
}

/* A claim without one who carries the job would never end. */
int running_job_claim(struct running_jobs *list, struct err *err)
{
	int any;

	if (list->stopping || list->claim.is_asked || list->count >= list->means->config->workshop_jobs ||
	    clock_monotonic_millis() < list->claim_again_millis)
		return 0;
	if (!list->spare)
		list->spare = make(list, err);
	any = list->spare ? job_is_any_claimable(&list->rows, err) : -1;
	if (any <= 0)
		return any;
	job_verb_claim(list, claim_told);
	return 0;
}

/* Deleted by who had its id, or its lease ran out: nobody wants what comes of it.  Who deletes rows by
 * hand bumps no generation. */
static void leave_if_lost(struct running_job *running, int64_t now)
{
	struct running_jobs *list = running->list;
	uint32_t generation = board_job_generation(list->means->board, running->job.id);
	struct err err = ERR_INIT;
	bool is_held = true;

	/* What is written of it says itself whether it was ours: with an end on its way it is no longer held. */
	if (!running->has_row || running->verb.is_asked ||
	    (running->held_millis && generation == running->generation &&
	     now - running->held_millis < HELD_MILLIS))
		return;
	if (job_is_held(&list->rows, &running->job, list->means->owner, &is_held, &err) < 0) {
		log_message(LOG_WARN, "job_claim", running->job.id, "%s", err.text);
		return;
	}
	running->generation = generation;
	running->held_millis = now;
	if (is_held)
		return;
	log_message(LOG_INFO, "job_end", running->job.id, "given up: it is no longer ours");
	let_row_go(running);
}

/* --- Deadlines --------------------------------------------------------------------------- */

static void end_for_trouble(struct running_job *running, const struct err *trouble)
{
	int64_t millis = clock_monotonic_millis() - running->started_millis;
	struct err words = *trouble;

	err_while(&words, "it could not be done in %lld s", (long long)(millis / 1000));
	end_as(running, JOB_FAILED, &words);
}

/* What is decided already has nothing to wait for but the database. */
static void end_if_overdue(struct running_job *running, int64_t now)
{
	struct err none = ERR_INIT;
	const struct err *trouble = &running->trouble;
	int64_t since = running->failing_since_millis;

	if (!is_at_work(running) || running->is_done || running->end_state != JOB_UNKNOWN ||
	    (running->has_row && running->deadline_millis > now))
		return;
	if (trouble->kind == ERR_NONE)
		trouble = task_trouble(running->list->tasks, &running->waiter, &since);
	if (trouble && (running->deadline_millis <= now ||
			(!running->has_row && now - since > PERSON_MILLIS)))
		end_for_trouble(running, trouble);
	else if (running->deadline_millis <= now)
		end_as(running, JOB_TIMEOUT, &none);
}

void running_job_end_overdue(struct running_jobs *list)
{
	int64_t now = clock_monotonic_millis();

	for (struct running_job *running = list->first; running; running = running->next) {
		log_set_request_id(running->job.x_request_id);
		leave_if_lost(running, now);
		end_if_overdue(running, now);
	}
	log_set_request_id(NULL);
}

int64_t running_job_next_millis(const struct running_jobs *list)
{
	int64_t next = INT64_MAX;

	for (const struct running_job *running = list->first; running; running = running->next) {
		if (!is_at_work(running))
			continue;
		if (running->again_millis && running->again_millis < next)
			next = running->again_millis;
		if (!running->is_done && running->end_state == JOB_UNKNOWN &&
		    running->deadline_millis < next)
			next = running->deadline_millis;
		if (running->wants && job_wants_end_millis(running) < next)
			next = job_wants_end_millis(running);
		if (may_run_late(running) && !running->is_late && late_millis(running) < next)
			next = late_millis(running);
	}
	return next;
}

void running_job_give_back(struct running_jobs *list)
{
	for (struct running_job *running = list->first; running; running = running->next)
		if (running->has_row && !running->verb.is_asked)
			give_back(running);
}

void running_job_end_all(struct running_jobs *list)
{
	for (struct running_job *running = list->first; running; running = running->next)
		leave(running);
	mem_give_back(list->spare);
	list->spare = NULL;
}

void running_job_drop_unreferenced(struct running_jobs *list)
{
	struct running_job **at = &list->first;

	while (*at) {
		struct running_job *running = *at;

		if (!running->waiter.has_left || running->waiter.references > 0) {
			at = &running->next;
			continue;
		}
		*at = running->next;
		work_release(&running->work);
		demangle_order_free(running->names);
		job_results_release(running);
		if (running->body.fd >= 0)
			close(running->body.fd);
		mem_give_back(running->failures);
		mem_give_back(running->fresh);
		mem_give_back(running);
	}
}
