/* job_verbs.c -- see job_verbs.h. */
#include "workshop/job_verbs.h"

#include "base/limits.h"
#include "base/log.h"

static void ask(struct running_job *running, int (*run)(struct queued_verb *verb, struct verb_means *means,
							struct err *err), job_verb_told_fn *told)
{
	running->verb.run = run;
	running->verb.told = told;
	running->verb.whose = &running->waiter;
	verb_queue_ask(running->list->means->verbs, &running->verb);
}

/* --- Ends ---------------------------------------------------------------------------------- */

static int run_end(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	struct running_job *running = job_verb_running(verb);
	struct job_ending *ending = &running->ending;
	const struct job *job = &running->job;
	struct err why = ERR_INIT;
	int rc;

	log_set_request_id(job->x_request_id);
	if (ending->candidates.size > 0 &&
	    job_note_candidates(&means->rows, job->id, buf_text(&ending->candidates), &why) < 0)
		log_message(LOG_WARN, "job_candidates", job->id, "%s", why.text);
	if (ending->keeps_body && job_keep_for_diagnosis(&means->rows, job, &why) < 0)
		log_message(LOG_WARN, "job_diagnosis", job->id, "%s", why.text);
	rc = job_finish(&means->rows, job, means->owner, ending->state, buf_text(&ending->reply), err);
	log_set_request_id(NULL);
	buf_release(&ending->candidates);
	buf_release(&ending->reply);
	return rc;
}

static bool keeps_body(const struct running_job *running, enum job_state state)
{
	return (state == JOB_FAILED || state == JOB_INTERNAL_ERROR) && !running->is_refresh &&
	       running->kind && running->kind->keeps_failed;
}

void job_verb_end(struct running_job *running, enum job_state state, struct buf *reply,
		  job_verb_told_fn *told)
{
	struct job_ending *ending = &running->ending;
	struct err err = ERR_INIT;

	*ending = (struct job_ending){ .state = state, .reply = *reply,
				       .keeps_body = keeps_body(running, state) };
	buf_init(reply, LIMIT_REPLY_BYTES);
	buf_init(&ending->candidates, LIMIT_REPLY_BYTES);
	if (state == JOB_COMPLETED && work_candidates(&running->work, &ending->candidates, &err) < 0)
		buf_clear(&ending->candidates);      /* nobody is told of half of them */
	ask(running, run_end, told);
}

static int run_release(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	return job_release(&means->rows, &job_verb_running(verb)->job, means->owner, err);
}

void job_verb_release(struct running_job *running, job_verb_told_fn *told)
{
	ask(running, run_release, told);
}

/* --- Claims -------------------------------------------------------------------------------- */

static int run_claim(struct queued_verb *verb, struct verb_means *means, struct err *err)
{
	return job_claim(&means->rows, means->owner, &job_verb_list(verb)->claimed, err);
}

void job_verb_claim(struct running_jobs *list, job_verb_told_fn *told)
{
	list->claim.run = run_claim;
	list->claim.told = told;
	list->claim.whose = list;
	verb_queue_ask(list->means->verbs, &list->claim);
}
