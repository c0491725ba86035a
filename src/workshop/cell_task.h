/* cell_task.h -- one operation carried out by a cell for a task: its place in the queue, its output, its wants. */
#ifndef WORKSHOP_CELL_TASK_H
#define WORKSHOP_CELL_TASK_H

#include "base/buf.h"
#include "sandbox/sandbox.h"
#include "work/work.h"
#include "workshop/cell_queue.h"
#include "workshop/temporary.h"

struct cell_task;

struct cells {
	struct workshop_means *means;
	struct cell_queue queue;
	struct cell_task *first;     /* those that have a cell */
	size_t count;
	bool (*may_wait)(void *payload);     /* the nursery has died: will this process be replaced soon, so
	                                        that tasks may wait for that? */
	void *payload;
};

enum cell_task_end {
	CELL_TASK_DONE,              /* `reply` and `out` are what it made */
	CELL_TASK_FAILED,            /* as the status says, which the cell wrote */
	CELL_TASK_LOST               /* the cell ended through no fault of the file */
};

enum cell_task_answer {
	CELL_TASK_ABSENT = CELL_ANSWER_ABSENT, CELL_TASK_FILE = CELL_ANSWER_FILE,
	CELL_TASK_LATE = CELL_ANSWER_LATE,
	CELL_TASK_LATER,             /* cell_task_answer() follows; meanwhile the cell is parked */
	CELL_TASK_ENDS               /* no answer: the task has failed and was told */
};

struct cell_task {
	struct cells *cells;         /* set by the caller, as are told, wants and claim */
	void (*told)(struct cell_task *task, enum cell_task_end end, const struct err *status);
	/* The cell asks for a file.  FILE: *fd, which the cell task then owns, and *seal. */
	enum cell_task_answer (*wants)(struct cell_task *task, const struct cell_event *event, int *fd,
				       struct checksum_seal *seal);
	struct cell_claim claim;     /* the caller sets job, scope and source */

	const struct derived_kind *kind;     /* whose operation it does */
	const struct derive *derive;
	int input_fd;
	struct checksum_seal seal;           /* of the input */

	struct cell_task *next;
	struct cell_handle *cell;
	struct temporary out;
	struct buf reply;
	enum cell_task_answer answer;        /* LATER: it is not known yet, or none is open */
	int answer_fd;
	struct checksum_seal answer_seal;
};

void cell_task_init(struct cell_task *task);
/* Queues for a cell; told() is called from a later turn of the loop. */
void cell_task_queue(struct cell_task *task, const struct derived_kind *kind,
		     const struct derive *derive, int input_fd, const struct checksum_seal *seal);
/* The answer to a want that got CELL_TASK_LATER; takes `fd` over. */
void cell_task_answer(struct cell_task *task, enum cell_task_answer answer, int fd,
		      const struct checksum_seal *seal);
void cell_task_stop(struct cell_task *task);         /* kills the cell, leaves the queue, drops the output */
void cell_task_let_go(struct cell_task *task);       /* the same, but the output stays */

void cells_start_queued(struct cells *cells);
void cells_hear(struct cell_task *task);             /* when its channel is readable */
void cells_end_overdue(struct cells *cells);
void cells_make_way(struct cells *cells);            /* stops a cell of a scope that hogs them */

#endif
