/*
 * cell_queue -- fair scheduling of the cells (workshop.cells) among scopes, sources and jobs.
 *
 * Every file to be read claims a cell, for a job, a scope and a source.  A free cell goes to the
 * scope that has the fewest cells, then to the source that has the fewest, then to the scope and the
 * job served longest ago; within a job and source first come, first served.  So nobody gets a second
 * cell while another waits for a first one.  A scope that is alone may have all cells; when another
 * comes and has to wait too long, one of its cells is stopped and queued again: cell_queue_hog().
 *
 * A cell that waits for an answer to a want gives its slot back (cell_queue_park) and queues again
 * when the answer is there.  It keeps its memory meanwhile, so the number of cells that may park has
 * a limit of its own.
 *
 * Plain data, no clock, no memory of its own: claims belong to their callers.
 */
#ifndef WORKSHOP_CELL_QUEUE_H
#define WORKSHOP_CELL_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CELL_QUEUE_RECENT 64u        /* turns remembered; whoever is not among them goes first */
#define CELL_QUEUE_PATIENCE_MILLIS 5000

enum cell_claim_state {
	CELL_CLAIM_NONE, CELL_CLAIM_WAITS, CELL_CLAIM_RUNS,
	CELL_CLAIM_PARKED            /* its cell waits for an answer and holds no slot */
};

struct cell_claim {
	struct cell_claim *next;
	enum cell_claim_state state;
	const void *job;
	struct text scope, source;           /* valid as long as the claim; TEXT_NONE counts as a name */
	int64_t since_millis;                /* when it entered its state, monotonic */
	bool may_park;                       /* its cell may send wants that take time */
	bool has_cell;                       /* its cell was started already: it resumes */
};

struct cell_turn { uint64_t whose, turn; };

struct cell_queue {
	struct cell_claim *waiting;          /* first come first */
	struct cell_claim *running;          /* the youngest first */
	size_t running_count;
	size_t parking_count;                /* claims with may_park and has_cell */
	uint64_t turn;
	struct cell_turn scopes[CELL_QUEUE_RECENT], jobs[CELL_QUEUE_RECENT];
};

void cell_queue_add(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis);
/* Takes the claim that gets a cell next, which then runs; `cells` is how many may run at once.  NULL: none is
 * free, or no waiting claim may start.  At most `parking_max` claims with may_park have a cell. */
struct cell_claim *cell_queue_take(struct cell_queue *queue, size_t cells, size_t parking_max,
				   int64_t now_millis);
/* Its running cell waits for an answer: frees its slot.  cell_queue_add() queues it again. */
void cell_queue_park(struct cell_queue *queue, struct cell_claim *claim, int64_t now_millis);
/* Removes the claim from the queue; fine when it is not in it. */
void cell_queue_leave(struct cell_queue *queue, struct cell_claim *claim);
/* When one scope, or one source of a scope, has all `cells` and another has waited for
 * CELL_QUEUE_PATIENCE_MILLIS: the youngest of its claims, for the caller to stop and to add again.
 * NULL: there is no such case, or only one cell (its work would be lost again and again). */
struct cell_claim *cell_queue_hog(const struct cell_queue *queue, size_t cells, int64_t now_millis);

#endif
