/* job_aside.h -- what a job does to files that takes time, on a thread of its own (work_aside). */
#ifndef WORKSHOP_JOB_ASIDE_H
#define WORKSHOP_JOB_ASIDE_H

#include "workshop/running_job.h"

/* The job is kept until it has run, and stepped then. */
int job_aside_ask(struct running_job *running, struct work_aside *aside, struct err *err)
	__attribute__((warn_unused_result));

#endif
