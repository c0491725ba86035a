/* turn.h -- all that a workshop holds, and one turn of its loop. */
#ifndef WORKSHOP_TURN_H
#define WORKSHOP_TURN_H

#include "workshop/running_job.h"
#include "workshop/task_steps.h"

struct workshop {
	struct workshop_means means;
	struct arena arena;          /* default sources */
	struct source_list default_sources;
	struct demangler *demangler;
	struct demangle_queue names;
	struct verb_queue verbs, asides;
	struct store *writing;       /* the verbs' */
	struct queued_verb renew;           /* leases, of: */
	bool renews_claims, renews_jobs;
	struct running_jobs jobs;
	struct task_list tasks;
	struct task_step_means steps;
	struct cells cells;
	struct segments_queue segments;      /* they go on in the next turn */
	int64_t renewed_millis;
	struct fetch_poll *polls;
	size_t poll_capacity;
	struct cell_task **poll_cells;
	size_t poll_cell_capacity;
};

int  workshop_open(struct workshop *workshop, const struct config *config, struct nursery *nursery,
		   const char *name, struct err *err) __attribute__((warn_unused_result));
void workshop_close(struct workshop *workshop);
/* The files of the database were replaced: what we give back from now on has to reach those who come after us.
 * Nothing but workshop_close() may follow. */
void workshop_open_store_again(struct workshop *workshop);
/* One turn: `bells` are descriptors of the caller's to watch as well. */
int  workshop_turn(struct workshop *workshop, struct fetch_poll *bells, size_t bell_count, int millis,
		   struct err *err) __attribute__((warn_unused_result));

#endif
