/*
 * job_resolver.h -- what a job's steps ask for: entries, which tasks make where they are missing, and names.
 */
#ifndef WORKSHOP_JOB_RESOLVER_H
#define WORKSHOP_JOB_RESOLVER_H

#include "workshop/running_job.h"

void job_resolver_init(struct running_job *running);
void job_resolver_release(struct running_job *running);

#endif
