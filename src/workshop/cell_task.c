/* cell_task.c -- see cell_task.h: at most workshop.cells run at once; the loop reads their channels. */
#include "workshop/cell_task.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/log.h"
#include "board/board.h"
#include "convert/cell_counters.h"
#include "config/config.h"

#define PARAMETERS_BYTES_MAX ((size_t)64 * 1024)
#define REPLY_BYTES_MAX      ((size_t)16 << 20)

static struct cell_task *task_of(struct cell_claim *claim)
{
	return (struct cell_task *)(void *)((char *)claim - offsetof(struct cell_task, claim));
}

/* --- Begin and end ------------------------------------------------------------------------- */

void cell_task_init(struct cell_task *task)
{
	temporary_init(&task->out);
	buf_init(&task->reply, REPLY_BYTES_MAX);
	task->answer = CELL_TASK_LATER;
	task->answer_fd = -1;
}

void cell_task_queue(struct cell_task *task, const struct derived_kind *kind,
		     const struct derive *derive, int input_fd, const struct checksum_seal *seal)
{
	cell_task_stop(task);
	task->kind = kind;
	task->derive = derive;
	task->input_fd = input_fd;
	task->seal = *seal;
	task->claim.may_park = kind->waits;
	cell_queue_add(&task->cells->queue, &task->claim, clock_monotonic_millis());
}

static void unlink_task(struct cell_task *task)
{
	struct cell_task **at = &task->cells->first;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	task->cells->count--;
}

void cell_task_let_go(struct cell_task *task)
{
	cell_queue_leave(&task->cells->queue, &task->claim);
	if (task->answer_fd >= 0)
		close(task->answer_fd);
	task->answer_fd = -1;
	task->answer = CELL_TASK_LATER;
	if (!task->cell)
		return;
	unlink_task(task);
	cell_kill(task->cell);
	task->cell = NULL;
}

void cell_task_stop(struct cell_task *task)
{
	cell_task_let_go(task);
	temporary_drop(&task->out);
	buf_release(&task->reply);
}

static int spawn(struct cell_task *task, struct err *err)
{
	const struct workshop_means *means = task->cells->means;
	const struct derived_kind *kind = task->kind;
	struct cell_file input = { .fd = task->input_fd }, output = { .fd = -1 };
	struct cell_order order = {
		.operation = kind->operation, .inputs = &input, .input_count = 1,
		.seals = &task->seal, .outputs = &output, .output_count = 1,
		.want_max = kind->waits ? LIMIT_CELL_ENTRIES : 0,
	};
	struct buf parameters;
	int rc = -1;

	snprintf(input.role, sizeof(input.role), "%s", kind->input);
	snprintf(output.role, sizeof(output.role), "%s", kind->output);
	buf_init(&parameters, PARAMETERS_BYTES_MAX);
	if (temporary_make(&task->out, means, err) < 0)
		goto done;
	output.fd = task->out.fd;
	if (kind->parameters && kind->parameters(task->derive, means->config, &parameters, err) < 0)
		goto done;
	order.parameters = buf_text(&parameters);
	rc = nursery_spawn(means->nursery, &order, &task->cell, err);
done:
	buf_release(&parameters);
	if (rc < 0)
		return -1;
	task->next = task->cells->first;
	task->cells->first = task;
	task->cells->count++;
	board_count(means->board, &convert_cells_started, 0, 1);
	return 0;
}

static void lose(struct cell_task *task, const struct err *why)
{
	task->told(task, CELL_TASK_LOST, why);
}

static void count_end(const struct cell_task *task, const struct cell_event *event)
{
	enum cell_end end = CELL_END_DONE;

	if (event->kind == CELL_FAILED)
		end = CELL_END_FAILED;
	else if (event->kind == CELL_DIED)
		end = event->status.kind == ERR_CRASHED ? CELL_END_CRASHED
		      : event->status.kind == ERR_LIMIT ? CELL_END_LIMIT : CELL_END_KILLED;
	board_count(task->cells->means->board, &convert_cells_ended, (unsigned)end, 1);
}

/* --- Wants --------------------------------------------------------------------------------- */

/* A cell that does not take its answer has perhaps ended meanwhile: then that is what counts. */
static void answer_failed(struct cell_task *task, const struct err *why)
{
	struct cell_event event = { 0 };
	struct err err = ERR_INIT;

	if (cell_event(task->cell, &event, &err) == 0 && event.kind == CELL_DIED) {
		count_end(task, &event);
		task->told(task, CELL_TASK_FAILED, &event.status);
	} else {
		lose(task, why);
	}
}

static void send_answer(struct cell_task *task, enum cell_task_answer answer, int fd,
			const struct checksum_seal *seal)
{
	struct err err = ERR_INIT;
	int rc = cell_answer_want(task->cell, (enum cell_answer)answer, fd, seal, &err);

	if (fd >= 0)
		close(fd);
	if (rc < 0)
		answer_failed(task, &err);
}

static void answer_want(struct cell_task *task, const struct cell_event *event)
{
	struct checksum_seal seal = { 0, 0, false };
	int fd = -1;
	enum cell_task_answer answer = task->wants(task, event, &fd, &seal);

	if (answer == CELL_TASK_LATER)
		cell_queue_park(&task->cells->queue, &task->claim, clock_monotonic_millis());
	else if (answer != CELL_TASK_ENDS)
		send_answer(task, answer, fd, &seal);
}

/* The answer is sent when the cell has a slot again. */
void cell_task_answer(struct cell_task *task, enum cell_task_answer answer, int fd,
		      const struct checksum_seal *seal)
{
	task->answer = answer;
	task->answer_fd = fd;
	task->answer_seal = *seal;
	cell_queue_add(&task->cells->queue, &task->claim, clock_monotonic_millis());
}

static void resume(struct cell_task *task)
{
	int fd = task->answer_fd;
	enum cell_task_answer answer = task->answer;

	task->answer_fd = -1;
	task->answer = CELL_TASK_LATER;
	send_answer(task, answer, fd, &task->answer_seal);
}

/* --- The loop's ----------------------------------------------------------------------------- */

void cells_start_queued(struct cells *cells)
{
	const struct config *config = cells->means->config;
	struct cell_claim *claim;

	while ((claim = cell_queue_take(&cells->queue, config->workshop_cells,
					config->workshop_waiting_cells, clock_monotonic_millis()))) {
		struct cell_task *task = task_of(claim);
		struct err err = ERR_INIT;

		if (task->cell) {
			resume(task);
			continue;
		}
		if (spawn(task, &err) == 0)
			continue;
		cell_queue_leave(&cells->queue, claim);
		/* Without a nursery the workshop leaves at its next turn, and the jobs go back as
		 * they are: none of them is to be answered with that. */
		if (!nursery_is_alive(cells->means->nursery) && cells->may_wait(cells->payload))
			return;
		lose(task, &err);
	}
}

static void take_end(struct cell_task *task, const struct cell_event *event)
{
	const struct err status = event->status;
	struct err err = ERR_INIT;

	count_end(task, event);
	if (event->kind != CELL_DONE) {
		task->told(task, CELL_TASK_FAILED, &status);
		return;
	}
	buf_clear(&task->reply);
	buf_add_text(&task->reply, event->reply);
	if (buf_check(&task->reply, &err) < 0)
		lose(task, &err);
	else
		task->told(task, CELL_TASK_DONE, NULL);
}

/* The cell has something to say (or is gone). */
void cells_hear(struct cell_task *task)
{
	while (task->cell) {
		struct cell_event event = { 0 };
		struct err err = ERR_INIT;

		if (cell_event(task->cell, &event, &err) < 0) {
			lose(task, &err);
			return;
		}
		switch (event.kind) {
		case CELL_NOTHING:
		case CELL_MESSAGE:       /* these operations are not resident: nothing to hear */
			return;
		case CELL_WANTS:
			answer_want(task, &event);
			break;
		case CELL_DONE:
		case CELL_FAILED:
		case CELL_DIED:
			take_end(task, &event);
			return;
		}
	}
}

/* CPU time is limited by the kernel; a cell that only sleeps would keep its place for ever.  No
 * job waits longer than this for it. */
void cells_end_overdue(struct cells *cells)
{
	int64_t most_millis = cells->means->config->job_seconds * 1000;
	int64_t now = clock_monotonic_millis();
	struct cell_task *next;

	for (struct cell_task *task = cells->first; task; task = next) {
		struct err err = ERR_INIT;

		next = task->next;
		if (task->claim.state != CELL_CLAIM_RUNS || now - task->claim.since_millis < most_millis)
			continue;
		board_count(cells->means->board, &convert_cells_ended, CELL_END_LIMIT, 1);
		err_set(&err, ERR_LIMIT, "reading it took longer than %lld s",
			(long long)cells->means->config->job_seconds);
		task->told(task, CELL_TASK_FAILED, &err);
	}
}

/* Of the scope or source that has all cells the youngest is stopped: it has done the least work. */
void cells_make_way(struct cells *cells)
{
	int64_t now = clock_monotonic_millis();
	struct cell_claim *hog = cell_queue_hog(&cells->queue, cells->means->config->workshop_cells, now);
	struct text subject;
	struct cell_task *task;

	if (!hog)
		return;
	task = task_of(hog);
	subject = derive_subject(task->derive);
	log_message(LOG_INFO, "cell_makes_way", NULL, "%.*s: stopped after %lld ms, to be read again: "
		    "its scope or its source has all cells, and others wait",
		    (int)subject.size, subject.bytes, (long long)(now - hog->since_millis));
	cell_task_stop(task);
	cell_queue_add(&cells->queue, &task->claim, now);
}
