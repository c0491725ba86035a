/* job_results.h -- what cells made of a job's own body: the job's alone, and no entries. */
#ifndef WORKSHOP_JOB_RESULTS_H
#define WORKSHOP_JOB_RESULTS_H

#include "workshop/running_job.h"

/* The payload is copied. */
int  job_result_take(struct running_job *running, const struct cache_key *key, struct text payload,
		     struct err *err) __attribute__((warn_unused_result));
/* The payload stays the job's. */
bool job_result_find(const struct running_job *running, const struct cache_key *key,
		     struct cache_found *found);
/* It is made again. */
void job_result_drop(struct running_job *running, const struct cache_key *key);
void job_results_release(struct running_job *running);

#endif
