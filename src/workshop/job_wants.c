/* job_wants.c -- see job_wants.h, and running_job.h. */
#include "workshop/job_wants.h"

#include "base/clock.h"
#include "base/err.h"

static void take_out(struct running_job *running, struct job_want *want)
{
	struct job_want **at = &running->wants;

	while (*at && *at != want)
		at = &(*at)->next;
	if (*at)
		*at = want->next;
}

static void tell_want(struct running_job *running, struct job_want *want, enum job_want_end end,
		      const struct err *err)
{
	take_out(running, want);
	want->told(want, end, err);
}

void job_wants_end(struct running_job *running)
{
	while (running->wants)
		tell_want(running, running->wants, JOB_WANT_LATE, NULL);
	running->ahead = NULL;
}

void running_job_want(struct running_job *running, struct job_want *want)
{
	struct job_want **last = &running->wants;

	while (*last)
		last = &(*last)->next;
	*last = want;
	want->next = NULL;
	running->ready = true;
	if (running->waiter.has_left)
		job_wants_end(running);
}

void running_job_unwant(struct running_job *running, struct job_want *want)
{
	take_out(running, want);
}

void running_job_want_ahead(struct running_job *running, struct job_want *want)
{
	if (running->waiter.has_left || running->ahead_count == JOB_AHEAD_MAX)
		return;
	running->ahead_count++;
	want->next = running->ahead;
	running->ahead = want;
}

int64_t job_wants_end_millis(const struct running_job *running)
{
	return running->started_millis + (running->deadline_millis - running->started_millis) / 4 * 3;
}

/* An entry made of the job's body is no file, and the cell that makes it may itself wait for a want. */
static bool is_given_away(const struct work_want *want, struct err *err)
{
	if (!want->entry || !derived_is_of_job(want->entry->kind))
		return true;
	err_set(err, ERR_INTERNAL, "a cell is to be given what was made of the request's body");
	return false;
}

/* Even when it is late, what is there already is given. */
static void resolve_want(struct running_job *running, struct job_want *want, bool is_late)
{
	struct err err = ERR_INIT;

	switch (running->kind->want(&running->work, &want->want, &running->resolver, &err)) {
	case RESOLVED_READY:
		if (is_given_away(&want->want, &err))
			tell_want(running, want, JOB_WANT_READY, NULL);
		else
			tell_want(running, want, JOB_WANT_FAILED, &err);
		break;
	case RESOLVED_ERROR:
		tell_want(running, want, JOB_WANT_FAILED, &err);
		break;
	default:
		if (is_late)
			tell_want(running, want, JOB_WANT_LATE, NULL);
	}
}

/* Failures are ignored: the cell's own want will meet them again. */
static void resolve_ahead(struct running_job *running)
{
	for (struct job_want **at = &running->ahead; *at;) {
		struct err err = ERR_INIT;

		if (running->kind->want(&running->work, &(*at)->want, &running->resolver, &err) ==
		    RESOLVED_WAIT)
			at = &(*at)->next;
		else
			*at = (*at)->next;
	}
}

void job_wants_resolve(struct running_job *running)
{
	bool is_late = clock_monotonic_millis() >= job_wants_end_millis(running);
	struct job_want *next;

	for (struct job_want *want = running->wants; want; want = next) {
		next = want->next;
		resolve_want(running, want, is_late);
	}
	/* While nothing has to be waited for, nothing needs to be begun. */
	if (running->wants && !is_late)
		resolve_ahead(running);
}
