/* cell_task.h -- a cell that does one operation for a task, its turn, its output and its wants. */
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
	bool (*may_wait)(void *payload);     /* without a nursery: is there another life to wait for? */
	void *payload;
};

enum cell_task_end {
	CELL_TASK_DONE,              /* `reply` and `out` are what it made */
	CELL_TASK_FAILED,            /* as the status says, which is the cell's word */
	CELL_TASK_LOST               /* by no fault of the file */
};

enum cell_task_answer {
	CELL_TASK_ABSENT = CELL_ANSWER_ABSENT, CELL_TASK_FILE = CELL_ANSWER_FILE,
	CELL_TASK_LATE = CELL_ANSWER_LATE,
	CELL_TASK_LATER,             /* cell_task_answer() will say; meanwhile it holds no place */
	CELL_TASK_ENDS               /* there is no answer, and the task has been told */
};

struct cell_task {
	struct cells *cells;         /* these four are the caller's to set */
	void (*told)(struct cell_task *task, enum cell_task_end end, const struct err *status);
	/* The cell asks for a file; FILE with *fd (given away) and *seal. */
	enum cell_task_answer (*wants)(struct cell_task *task, const struct cell_event *event, int *fd,
				       struct checksum_seal *seal);
	struct cell_claim claim;     /* of it job, scope and source */

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
/* It gets in line; told() comes from a later step. */
void cell_task_queue(struct cell_task *task, const struct derived_kind *kind,
		     const struct derive *derive, int input_fd, const struct checksum_seal *seal);
/* What `wants` was to be told later; `fd` is given away. */
void cell_task_answer(struct cell_task *task, enum cell_task_answer answer, int fd,
		      const struct checksum_seal *seal);
void cell_task_stop(struct cell_task *task);         /* no cell, no place, no output */
void cell_task_let_go(struct cell_task *task);       /* no cell, no place; what it made stays */

void cells_start_queued(struct cells *cells);
void cells_hear(struct cell_task *task);             /* its channel can be read */
void cells_end_overdue(struct cells *cells);
void cells_make_way(struct cells *cells);            /* where one has them all for too long */

#endif
