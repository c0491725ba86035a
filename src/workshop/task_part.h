/* task_part.h -- what the steps keep with a task; private to task_steps.c and task_verbs.c. */
#ifndef WORKSHOP_TASK_PART_H
#define WORKSHOP_TASK_PART_H

#include <stddef.h>

#include "workshop/input.h"
#include "workshop/obtain.h"
#include "workshop/running_job.h"
#include "workshop/share.h"
#include "workshop/task_steps.h"

struct task_part {
	struct flight flight;
	struct sharing sharing;
	struct obtaining obtaining;
	struct segments segments;
	struct input input;
	struct cell_task cell;
	struct cache_stale known;    /* id 0: nothing that is past its time is here, */
	bool has_looked;             /* as far as was looked in this try */
	struct derive headed;        /* the task's, with what the head of the answer said */
	struct job_want want;        /* of its cell */
	bool has_want;
	bool has_promise;            /* flight_promise() */
	struct queued_verb verb;            /* of the step under way: all of the task is the thread's while it is asked */
	struct err failure;          /* why it is asked, where it is told afterwards */
};

static inline struct task_part *task_part(struct task *task)
{
	return (struct task_part *)(void *)task->part;
}

#define TASK_OF(member, pointer) \
	((struct task *)(void *)((char *)(pointer) - offsetof(struct task_part, member) - \
				 offsetof(struct task, part)))

static inline struct task_step_means *task_step_means(const struct task *task)
{
	return task->list->means;
}

static inline struct workshop_means *task_means(const struct task *task)
{
	return task_step_means(task)->means;
}

static inline bool task_is_of_job(const struct task *task)
{
	return derived_is_of_job(task->derive->kind);
}

static inline struct running_job *task_maker(const struct task *task)
{
	return running_job_of_waiter(task->maker);
}

#endif
