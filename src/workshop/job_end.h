/*
 * job_end.h -- how a job ends: with an answer, without one, or given back unfinished.
 */
#ifndef WORKSHOP_JOB_END_H
#define WORKSHOP_JOB_END_H

#include "workshop/running_job.h"

/* With an answer; *reply may be taken over. */
void job_end(struct running_job *running, enum job_state state, struct buf *reply);
/* Without one: what was decided is tried again for as long as it cannot be written. */
void job_end_as(struct running_job *running, enum job_state state, const struct err *failure);
void job_end_without_answer(struct running_job *running);    /* as decided */
/* Nobody waits for its answer: it ends, or goes back for another round. */
void job_end_refresh(struct running_job *running);
/* Unfinished, for whoever claims it next: that may be we. */
void job_end_give_back(struct running_job *running);

#endif
