/*
 * job_counters -- what is counted of jobs.
 */
#ifndef JOB_JOB_COUNTERS_H
#define JOB_JOB_COUNTERS_H

#include "board/counters.h"

extern struct counter_set job_ended;         /* by enum job_state: those in which a job has ended */

extern struct counter_set *const job_counters[];     /* all of them; ends with NULL */

#endif
