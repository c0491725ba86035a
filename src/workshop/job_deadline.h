/*
 * job_deadline.h -- the time of a job: when it is nearly over, kinds that can do so answer with what is there.
 */
#ifndef WORKSHOP_JOB_DEADLINE_H
#define WORKSHOP_JOB_DEADLINE_H

#include "workshop/running_job.h"

/* May it be answered without what is still missing (kind->answers_late)?  From then on. */
bool job_deadline_may_run_late(const struct running_job *running);
int64_t job_deadline_late_millis(const struct running_job *running);

#endif
