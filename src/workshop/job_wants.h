/*
 * job_wants.h -- what the cells of a job wait for, as its steps see it; cells ask by running_job_want().
 */
#ifndef WORKSHOP_JOB_WANTS_H
#define WORKSHOP_JOB_WANTS_H

#include "workshop/running_job.h"

/* Looks what is there, and tells; begins what will be wanted. */
void job_wants_resolve(struct running_job *running);
/* The job is over: all of them come too late. */
void job_wants_end(struct running_job *running);
/* From then on they do: a quarter of the job's time is left to use what came. */
int64_t job_wants_end_millis(const struct running_job *running);

#endif
