/* running_job.c -- see running_job.h: the list of them. */
#include "workshop/running_job.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "workshop/job_resolver.h"
#include "workshop/job_results.h"
#include "workshop/job_wants.h"

struct running_job *running_job_make(struct running_jobs *list, struct err *err)
{
	struct running_job *running = mem_get(sizeof(*running));

	if (!running) {
		err_set(err, ERR_NO_MEMORY, "no room for a job");
		return NULL;
	}
	job_resolver_init(running);
	running->list = list;
	running->body = work_body_of(TEXT_NONE);
	return running;
}

void running_job_put_in(struct running_jobs *list, struct running_job *running)
{
	running->started_millis = clock_monotonic_millis();
	running->deadline_millis = running->started_millis + list->means->config->job_seconds * 1000;
	running->ready = true;
	running->next = list->first;
	list->first = running;
}

struct running_job *running_job_new(struct running_jobs *list, struct err *err)
{
	struct running_job *running = running_job_make(list, err);

	if (running)
		running_job_put_in(list, running);
	return running;
}

bool running_job_is_at_work(const struct running_job *running)
{
	return !running->waiter.has_left && !running->verb.is_asked;
}

bool running_job_is_any_ready(const struct running_jobs *list)
{
	for (const struct running_job *running = list->first; running; running = running->next)
		if (running->ready && running_job_is_at_work(running))
			return true;
	return false;
}

void running_job_leave(struct running_job *running)
{
	running->waiter.has_left = true;
	running->ready = false;
	job_wants_end(running);
}

void running_job_let_row_go(struct running_job *running)
{
	running->has_row = false;
	running->list->count--;
	running_job_leave(running);
}

void running_job_hold_up(struct running_job *running, const char *doing, const struct err *err)
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

void running_job_note_progress(struct running_job *running)
{
	running->failing_since_millis = 0;
	running->again_millis = 0;
	running->tries = 0;
	err_clear(&running->trouble);
}

void running_job_end_all(struct running_jobs *list)
{
	for (struct running_job *running = list->first; running; running = running->next)
		running_job_leave(running);
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
		job_resolver_release(running);
		job_results_release(running);
		if (running->body.fd >= 0)
			close(running->body.fd);
		mem_give_back(running);
	}
}
