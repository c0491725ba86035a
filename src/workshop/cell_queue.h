/*
 * cell_queue -- whose turn it is at the cells.
 *
 * Every file to be read claims a cell, for a job, a scope and a source.  A free cell goes to the
 * scope that has the fewest, then to the source that has the fewest, then to whose turn was longest
 * ago, scope before job; within a job and source to who came first.  So while others wait nobody
 * gets a second cell before they have one.  One alone may have them all; when others come they do
 * not wait for its files to end: cell_queue_hog().
 *
 * Plain data, no clock, no memory of its own: claims belong to their callers.
 */
#ifndef WORKSHOP_CELL_QUEUE_H
#define WORKSHOP_CELL_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CELL_QUEUE_RECENT 64u        /* turns remembered; who had none since is first */
#define CELL_QUEUE_PATIENCE_MILLIS 5000

enum cell_claim_state { CELL_CLAIM_NONE, CELL_CLAIM_WAITS, CELL_CLAIM_RUNS };

struct cell_claim {
	struct cell_claim *next;
	enum cell_claim_state state;
	const void *job;
	struct text scope, source;           /* as long as the claim; TEXT_NONE is one of its own */
	int64_t since_millis;                /* it waits or runs */
};

struct cell_turn { uint64_t whose, turn; };

struct cell_queue {
	struct cell_claim *waiting;          /* first come first */
	struct cell_claim *running;          /* the youngest first */
	size_t running_count;
	uint64_t turn;
	struct cell_turn scopes[CELL_QUEUE_RECENT], jobs[CELL_QUEUE_RECENT];
};

void cell_queue_add(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis);
/* The next that gets one of `cells`: it runs from now on.  NULL: nobody waits, or none is free. */
struct cell_claim *cell_queue_take(struct cell_queue *queue, size_t cells, int64_t now_millis);
/* It waits or runs no more; fine when it did neither. */
void cell_queue_leave(struct cell_queue *queue, struct cell_claim *claim);
/* One scope, or one source of it, has all `cells`, and another has waited for five seconds: the
 * youngest of its claims, which has to be stopped and added again.  NULL: all is well, or there
 * is but one cell, and a file cannot be read in parts. */
struct cell_claim *cell_queue_hog(const struct cell_queue *queue, size_t cells, int64_t now_millis);

#endif
