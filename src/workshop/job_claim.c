/* job_claim.c -- see running_job.h: jobs are taken, looked after and given back. */
#include "base/clock.h"
#include "base/log.h"
#include "board/board.h"
#include "config/config.h"
#include "kinds/kinds.h"
#include "workshop/job_end.h"
#include "workshop/job_verbs.h"
#include "workshop/running_job.h"

#define CLAIM_AGAIN_MILLIS 200
#define HELD_MILLIS 3000              /* a claim is looked at that often */

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
	running_job_put_in(list, running);
	take(running, &list->claimed);
}

/* The running job is allocated before the row is claimed: a claimed row that nothing carries would never end. */
int running_job_claim(struct running_jobs *list, struct err *err)
{
	int any;

	if (list->stopping || list->claim.is_asked || list->count >= list->means->config->workshop_jobs ||
	    clock_monotonic_millis() < list->claim_again_millis)
		return 0;
	if (!list->spare)
		list->spare = running_job_make(list, err);
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

	/* job_finish() and job_release() check the claim themselves; once one of them is done the row is not held. */
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
	running_job_let_row_go(running);
}

void running_job_leave_lost(struct running_jobs *list)
{
	int64_t now = clock_monotonic_millis();

	for (struct running_job *running = list->first; running; running = running->next) {
		log_set_request_id(running->job.x_request_id);
		leave_if_lost(running, now);
	}
	log_set_request_id(NULL);
}

void running_job_give_back(struct running_jobs *list)
{
	for (struct running_job *running = list->first; running; running = running->next)
		if (running->has_row && !running->verb.is_asked)
			job_end_give_back(running);
}
