/*
 * running_job.h -- jobs as state machines: claimed (job_claim.c), stepped whenever something ended
 * (job_step.c, job_resolver.c), finished or given back (job_end.c) in their time (job_deadline.c).
 *
 * A job is kept while its row is ours or any task was made from its work, since a task's derive
 * lies in that work's arena.
 */
#ifndef WORKSHOP_RUNNING_JOB_H
#define WORKSHOP_RUNNING_JOB_H

#include "base/buf.h"
#include "job/job.h"
#include "workshop/demangle_queue.h"
#include "workshop/means.h"
#include "workshop/task.h"
#include "workshop/verb_queue.h"

#define JOB_AHEAD_MAX 64u            /* entries prefetched for one */

struct fresh_failure;
struct job_result;
struct passing_failure;

struct running_jobs {
	struct workshop_means *means;
	struct task_list *tasks;
	struct demangle_queue *names;
	const struct source_list *default_sources;
	struct jobs rows;            /* which are only looked at */
	struct running_job *first;
	struct queued_verb claim;           /* takes the next job, */
	struct job claimed;          /* this one; */
	struct running_job *spare;   /* what will carry it is there before it is ours */
	int64_t claim_again_millis;  /* after that has failed */
	size_t count;                /* with a row and not ended */
	uint64_t refreshes[CACHE_CATEGORIES];
	bool stopping;               /* nothing new is begun */
	bool is_answered;            /* the command line's one job has ended */
	struct err failure;          /* our own, which it ended with */
	int64_t worked_millis;
};

/* What a cell that works for the job waits for. */
enum job_want_end { JOB_WANT_READY, JOB_WANT_LATE, JOB_WANT_FAILED };
struct job_want {
	struct job_want *next;
	struct work_want want;
	/* READY: want.entry, or NULL for absent; FAILED: as `err` says. */
	void (*told)(struct job_want *want, enum job_want_end end, const struct err *err);
};

/* How a job with a row ends: the thread's while its verb is asked. */
struct job_ending {
	enum job_state state;
	struct buf reply, candidates;
	bool keeps_body;             /* for diagnosis */
};

struct running_job {
	struct resolver resolver;    /* first: the resolver's functions get back here */
	struct task_waiter waiter;
	struct running_jobs *list;
	struct running_job *next;
	struct job job;
	uint32_t generation;         /* of its row when the claim was last seen to stand, */
	int64_t held_millis;         /* and when that was; 0: not yet */
	const struct request_kind *kind;     /* NULL: this build knows none of that name */
	struct work_body body;       /* the command line's, or a row's; its file is ours to close */
	struct work work;            /* once it is_begun */
	bool has_row;                /* false: the command line's, or ended */
	bool is_refresh;             /* nobody waits for its answer: it makes things again */
	unsigned refreshes;          /* tasks of that kind under way */
	bool improved;               /* one of them made something */
	bool ready;                  /* something it waited for has ended: step it */
	bool is_begun;               /* its body is read */
	bool is_done;                /* all its steps are: what is left is the answer */
	bool is_given_back;          /* or is to be, as soon as that can be written */
	bool has_to_begin_anew;      /* as soon as there is memory for it */
	enum job_state end_state;    /* how it ends instead; JOB_UNKNOWN: undecided */
	struct err failure;          /* and why */
	struct queued_verb verb;            /* ends the job or gives it back; while it is asked nothing else happens to it */
	struct job_ending ending;
	struct err trouble;          /* our own failure that holds it up; ERR_NONE: nothing does */
	int64_t failing_since_millis;
	int64_t again_millis;        /* when it is tried again; or 0 */
	unsigned tries;
	int64_t deadline_millis;     /* monotonic */
	int64_t started_millis;
	struct passing_failure *failures;
	size_t failure_count, failure_capacity;
	struct fresh_failure *fresh;
	size_t fresh_count, fresh_capacity;
	struct job_result *results;  /* of its own body */
	bool is_late;                /* what is not there now is told to be late: kind->answers_late */
	struct job_want *wants;      /* open ones */
	struct job_want *ahead;      /* what will be wanted, perhaps */
	unsigned ahead_count;
	struct demangle_order *names;        /* NULL: nothing asked yet */
	struct buf *reply;           /* the command line's: where the reply goes */
	struct buf *candidates;
};

static inline struct running_job *running_job_of(struct resolver *resolver)
{
	return (struct running_job *)(void *)resolver;
}

static inline struct running_job *running_job_of_waiter(struct task_waiter *waiter)
{
	return (struct running_job *)(void *)((char *)waiter - offsetof(struct running_job, waiter));
}

/* running_job.c: the list. */
struct running_job *running_job_new(struct running_jobs *list, struct err *err);
struct running_job *running_job_make(struct running_jobs *list, struct err *err);    /* not in the list: */
void running_job_put_in(struct running_jobs *list, struct running_job *running);     /* now its time begins */
bool running_job_is_at_work(const struct running_job *running);      /* neither over nor about to be */
bool running_job_is_any_ready(const struct running_jobs *list);
void running_job_leave(struct running_job *running);         /* it waits for nothing any more, */
void running_job_let_row_go(struct running_job *running);    /* and no row is ours */
/* Our own failure: the job is still ours, nothing of it is lost, and it is tried again. */
void running_job_hold_up(struct running_job *running, const char *doing, const struct err *err);
void running_job_note_progress(struct running_job *running);
void running_job_end_all(struct running_jobs *list);
void running_job_drop_unreferenced(struct running_jobs *list);

/* job_claim.c: takes a job, should there be one and room for it: a verb, one after the other. */
int  running_job_claim(struct running_jobs *list, struct err *err) __attribute__((warn_unused_result));
void running_job_leave_lost(struct running_jobs *list);      /* those that are no longer ours */
void running_job_give_back(struct running_jobs *list);       /* those without a verb: asks for theirs */

/* job_step.c: those that something happened to, or whose time has come. */
void running_job_step_ready(struct running_jobs *list);

/* job_deadline.c */
void running_job_end_overdue(struct running_jobs *list);
int64_t running_job_next_millis(const struct running_jobs *list);    /* when one is tried again or ends */

/* job_wants.c: a cell of a task of this job wants an entry: told() comes from a later step, or at once (LATE)
 * when the job is over. */
void running_job_want(struct running_job *running, struct job_want *want);
void running_job_unwant(struct running_job *running, struct job_want *want);
/* One that is likely to come: it is looked for side by side with those that have to wait.  Nobody is
 * told; more than JOB_AHEAD_MAX are forgotten. */
void running_job_want_ahead(struct running_job *running, struct job_want *want);

#endif
