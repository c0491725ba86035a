/*
 * cell_queue -- whose turn it is at the cells.
 *
 * Every file to be read claims a cell, for a job, a scope and a source.  A free cell goes to the
 * scope that has the fewest, then to the source that has the fewest, then to whose turn was longest
 * ago, scope before job; within a job and source to who came first.  So while others wait nobody
 * gets a second cell before they have one.  One alone may have them all; when others come they do
 * not wait for its files to end: cell_queue_hog().
 *
 * A cell that waits for something itself gives its place away (cell_queue_park) and claims it
 * back when that is there.  How many cells that may do so are alive has a limit of its own: they
 * keep their memory.
 *
 * Plain data, no clock, no memory of its own: claims belong to their callers.
 */
#ifndef WORKSHOP_CELL_QUEUE_H
#define WORKSHOP_CELL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CELL_QUEUE_RECENT 64u        /* turns remembered; who had none since is first */
#define CELL_QUEUE_PATIENCE_MILLIS 5000

enum cell_claim_state {
	CELL_CLAIM_NONE, CELL_CLAIM_WAITS, CELL_CLAIM_RUNS,
	CELL_CLAIM_PARKED            /* its cell waits for something itself, and holds no place */
};

struct cell_claim {
	struct cell_claim *next;
	enum cell_claim_state state;
	const void *job;
	struct text scope, source;           /* as long as the claim; TEXT_NONE is one of its own */
	int64_t since_millis;                /* it waits, runs or is parked */
	bool may_park;                       /* its cell may come to wait */
	bool has_cell;                       /* it was parked or runs: to go on, not to begin */
};

struct cell_turn { uint64_t whose, turn; };

struct cell_queue {
	struct cell_claim *waiting;          /* first come first */
	struct cell_claim *running;          /* the youngest first */
	size_t running_count;
	size_t parking_count;                /* that may park, and have a cell */
	uint64_t turn;
	struct cell_turn scopes[CELL_QUEUE_RECENT], jobs[CELL_QUEUE_RECENT];
};

void cell_queue_add(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis);
/* The next that gets one of `cells`: it runs from now on.  NULL: nobody waits that may begin, or
 * none is free.  Of those that may park `parking_max` have a cell at most. */
struct cell_claim *cell_queue_take(struct cell_queue *queue, size_t cells, size_t parking_max,
				   int64_t now_millis);
/* It runs, and waits for something: its place is free.  cell_queue_add() claims it back. */
void cell_queue_park(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis);
/* It waits or runs no more; fine when it did neither. */
void cell_queue_leave(struct cell_queue *queue, struct cell_claim *claim);
/* One scope, or one source of it, has all `cells`, and another has waited for five seconds: the
 * youngest of its claims, which has to be stopped and added again.  NULL: all is well, or there
 * is but one cell, and a file cannot be read in parts. */
struct cell_claim *cell_queue_hog(const struct cell_queue *queue, size_t cells, int64_t now_millis);

#endif
