/* task_steps.h -- the steps of a workshop's tasks (task.h), and what each of them keeps. */
#ifndef WORKSHOP_TASK_STEPS_H
#define WORKSHOP_TASK_STEPS_H

#include "workshop/cell_task.h"
#include "workshop/flight.h"
#include "workshop/segments.h"
#include "workshop/task.h"

/* What task_list.means points to. */
struct task_step_means {
	struct workshop_means *means;
	struct cells *cells;
	struct segments_queue *segments;
	struct owed_claims owed;
};

extern const struct task_steps workshop_task_steps;

#endif
