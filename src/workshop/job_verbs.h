/*
 * job_verbs.h -- what the database is told of running jobs: verbs, for job_claim.c and job_end.c, which say
 * what follows.
 */
#ifndef WORKSHOP_JOB_VERBS_H
#define WORKSHOP_JOB_VERBS_H

#include <stddef.h>

#include "workshop/running_job.h"

typedef void job_verb_told_fn(struct queued_verb *verb);

static inline struct running_job *job_verb_running(struct queued_verb *verb)
{
	return (struct running_job *)(void *)((char *)verb - offsetof(struct running_job, verb));
}

static inline struct running_jobs *job_verb_list(struct queued_verb *verb)
{
	return (struct running_jobs *)(void *)((char *)verb - offsetof(struct running_jobs, claim));
}

/* Ends a job that has a row; *reply is taken over and empty then.  Negative: the row is still ours. */
void job_verb_end(struct running_job *running, enum job_state state, struct buf *reply,
		  job_verb_told_fn *told);
/* Gives the row back, unfinished. */
void job_verb_release(struct running_job *running, job_verb_told_fn *told);
/* 1: list->claimed is ours, 0: there was none, -1. */
void job_verb_claim(struct running_jobs *list, job_verb_told_fn *told);

#endif
