/* job_deadline.c -- see job_deadline.h, and running_job.h. */
#include "workshop/job_deadline.h"

#include "base/clock.h"
#include "base/log.h"
#include "workshop/job_end.h"
#include "workshop/job_wants.h"

#define PERSON_MILLIS  10000     /* a person at a command line waits no longer for what fails */

/* Kinds whose answer is worth having without what is still missing: an eighth of the job's time is left
 * to write it. */
bool job_deadline_may_run_late(const struct running_job *running)
{
	return running->is_begun && !running->is_done && running->end_state == JOB_UNKNOWN &&
	       running->kind->answers_late && !running->is_refresh;
}

int64_t job_deadline_late_millis(const struct running_job *running)
{
	return running->deadline_millis - (running->deadline_millis - running->started_millis) / 8;
}

static void end_for_trouble(struct running_job *running, const struct err *trouble)
{
	int64_t millis = clock_monotonic_millis() - running->started_millis;
	struct err words = *trouble;

	err_while(&words, "it could not be done in %lld s", (long long)(millis / 1000));
	job_end_as(running, JOB_FAILED, &words);
}

/* What is decided already has nothing to wait for but the database. */
static void end_if_overdue(struct running_job *running, int64_t now)
{
	struct err none = ERR_INIT;
	const struct err *trouble = &running->trouble;
	int64_t since = running->failing_since_millis;

	if (!running_job_is_at_work(running) || running->is_done || running->end_state != JOB_UNKNOWN ||
	    (running->has_row && running->deadline_millis > now))
		return;
	if (trouble->kind == ERR_NONE)
		trouble = task_trouble(running->list->tasks, &running->waiter, &since);
	if (trouble && (running->deadline_millis <= now ||
			(!running->has_row && now - since > PERSON_MILLIS)))
		end_for_trouble(running, trouble);
	else if (running->deadline_millis <= now)
		job_end_as(running, JOB_TIMEOUT, &none);
}

void running_job_end_overdue(struct running_jobs *list)
{
	int64_t now = clock_monotonic_millis();

	for (struct running_job *running = list->first; running; running = running->next) {
		log_set_request_id(running->job.x_request_id);
		end_if_overdue(running, now);
	}
	log_set_request_id(NULL);
}

int64_t running_job_next_millis(const struct running_jobs *list)
{
	int64_t next = INT64_MAX;

	for (const struct running_job *running = list->first; running; running = running->next) {
		if (!running_job_is_at_work(running))
			continue;
		if (running->again_millis && running->again_millis < next)
			next = running->again_millis;
		if (!running->is_done && running->end_state == JOB_UNKNOWN &&
		    running->deadline_millis < next)
			next = running->deadline_millis;
		if (running->wants && job_wants_end_millis(running) < next)
			next = job_wants_end_millis(running);
		if (job_deadline_may_run_late(running) && !running->is_late && job_deadline_late_millis(running) < next)
			next = job_deadline_late_millis(running);
	}
	return next;
}
