/*
 * job_step.c -- see running_job.h: a job begins, goes on, and answers.
 *
 * 1. What is our own failure (err_kind_is_ours) never becomes part of an answer: the job is
 *    held up and tried again, until the whole answer is there or its deadline has come.
 * 2. A step that failed may have left half of what it was about: such a job begins anew, from its
 *    body.  What it had made is in the cache.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "workshop/job_deadline.h"
#include "workshop/job_end.h"
#include "workshop/job_wants.h"
#include "workshop/running_job.h"

#define BROKEN_MILLIS  30000     /* an internal error is unlikely to pass: no longer */

/* --- Failures ---------------------------------------------------------------------------- */

/* Moves the job into a fresh struct.  The old one stays, without a row, as long as tasks use the memory
 * of its work. */
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
	running_job_leave(running);
	return fresh;
}

/* A failure of the job itself, in its step or its answer. */
static void met_failure(struct running_job *running, const char *doing, const struct err *err)
{
	struct running_job *fresh;

	if (!err_kind_is_ours(err->kind)) {
		job_end_as(running, JOB_FAILED, err);
		return;
	}
	if (err->kind == ERR_INTERNAL && running->failing_since_millis &&
	    clock_monotonic_millis() - running->failing_since_millis > BROKEN_MILLIS) {
		job_end_as(running, JOB_INTERNAL_ERROR, err);
		return;
	}
	fresh = begin_anew(running);
	running->has_to_begin_anew = !fresh;
	running_job_hold_up(fresh ? fresh : running, doing, err);
}

/* --- Steps ------------------------------------------------------------------------------- */

static void answer(struct running_job *running)
{
	struct err err = ERR_INIT;
	struct buf reply;

	if (running->is_refresh) {
		job_end_refresh(running);
		return;
	}
	buf_init(&reply, LIMIT_REPLY_BYTES);
	if (work_result(&running->work, &reply, &err) == 0)
		job_end(running, JOB_COMPLETED, &reply);
	else
		met_failure(running, "job_answer", &err);
	buf_release(&reply);
}

/* The bytes live as long as `spooled`: parse() copies what it keeps.  A file stays open. */
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
		running_job_note_progress(running);
		answer(running);
		break;
	case STEP_WAIT:
		running_job_note_progress(running);
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
	running->is_late = job_deadline_may_run_late(running) && clock_monotonic_millis() >= job_deadline_late_millis(running);
	log_set_request_id(running->job.x_request_id);
	if (running->wants && running->is_begun)
		job_wants_resolve(running);
	if (running->has_to_begin_anew)
		met_failure(running, "job_step", &trouble);
	else if (running->end_state != JOB_UNKNOWN)
		job_end_without_answer(running);
	else if (running->is_given_back)
		job_end_give_back(running);
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
	       (job_deadline_may_run_late(running) && !running->is_late && job_deadline_late_millis(running) <= now);
}

void running_job_step_ready(struct running_jobs *list)
{
	int64_t now = clock_monotonic_millis();

	for (struct running_job *running = list->first; running; running = running->next)
		if (running_job_is_at_work(running) && is_due(running, now))
			step(running);
}

