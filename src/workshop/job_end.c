/* job_end.c -- see job_end.h. */
#include "workshop/job_end.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "workshop/job_verbs.h"
#include "workshop/refresh.h"

static void log_end(const struct running_job *running, enum job_state state)
{
	const char *why = running->end_state == JOB_UNKNOWN ? "" : running->failure.text;

	log_message(state == JOB_INTERNAL_ERROR ? LOG_ERROR : LOG_INFO, "job_end",
		    running->has_row ? running->job.id : NULL, "%s after %lld ms, attempt %lld%s%s",
		    job_state_name(state),
		    (long long)(clock_monotonic_millis() - running->started_millis),
		    (long long)running->job.attempt, why[0] ? ": " : "", why);
}

static void end_told(struct queued_verb *verb)
{
	struct running_job *running = job_verb_running(verb);

	log_set_request_id(running->job.x_request_id);
	if (verb->rc < 0) {
		running_job_hold_up(running, "job_finish", &verb->err);
	} else {
		log_end(running, running->ending.state);
		running_job_let_row_go(running);
	}
	log_set_request_id(NULL);
}

static void release_told(struct queued_verb *verb)
{
	struct running_job *running = job_verb_running(verb);

	if (verb->rc < 0 && !running->list->stopping) {
		running_job_hold_up(running, "job_release", &verb->err);
		return;
	}
	if (verb->rc < 0)
		log_message(LOG_WARN, "job_release", running->job.id, "%s; its lease runs out",
			    verb->err.text);
	running_job_let_row_go(running);
}

/* Unfinished, for whoever claims it next: that may be we.  Its lease is renewed with all of ours: while it cannot be
 * written that it is free, nobody else could take it. */
void job_end_give_back(struct running_job *running)
{
	running->is_given_back = true;
	job_verb_release(running, release_told);
}

/* The one way a job ends.  *reply may be taken over. */
void job_end(struct running_job *running, enum job_state state, struct buf *reply)
{
	struct err err = ERR_INIT;

	if (running->has_row) {
		job_verb_end(running, state, reply, end_told);
		return;
	}
	/* Candidates are told if there is memory for them: the answer stands without. */
	if (state == JOB_COMPLETED && running->candidates)
		(void)!work_candidates(&running->work, running->candidates, &err);
	if (running->reply) {
		buf_add_text(running->reply, buf_text(reply));
		running->list->is_answered = true;
	}
	log_end(running, state);
	running_job_leave(running);
}

/* Without an answer, as end_state and failure say. */
void job_end_without_answer(struct running_job *running)
{
	struct buf reply;

	buf_init(&reply, LIMIT_REPLY_BYTES);
	work_end_result(running->kind, running->end_state == JOB_TIMEOUT ? WORK_TIMEOUT :
			running->end_state == JOB_INTERNAL_ERROR ? WORK_INTERNAL : WORK_FAILED,
			&running->failure, &reply);
	job_end(running, running->end_state, &reply);
	buf_release(&reply);
}

void job_end_as(struct running_job *running, enum job_state state, const struct err *failure)
{
	running->end_state = state;
	running->failure = *failure;
	if (running->reply && err_kind_is_ours(failure->kind))
		running->list->failure = *failure;
	job_end_without_answer(running);
}

/* A refresh is done when all that it makes again is; what came of it may lead to more. */
void job_end_refresh(struct running_job *running)
{
	struct buf reply;

	if (running->refreshes > 0)
		return;
	if (refresh_goes_on(running)) {
		job_end_give_back(running);
		return;
	}
	buf_init(&reply, LIMIT_REPLY_BYTES);
	buf_add_string(&reply, "{}");
	job_end(running, JOB_COMPLETED, &reply);
	buf_release(&reply);
}
