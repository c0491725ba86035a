/* cells.c -- cells of tasks: at most workshop.cells at once, heard when they speak. */
#include "workshop/internal.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "board/board.h"
#include "board/metrics.h"
#include "config/config.h"

#define PARAMETERS_BYTES_MAX ((size_t)64 * 1024)

static struct task *task_of(struct cell_claim *claim)
{
	return (struct task *)(void *)((char *)claim - offsetof(struct task, claim));
}

void cells_queue(struct task *task)
{
	task->claim.job = task->maker;
	task->claim.scope = task->maker->work.scope;
	task->claim.source = task->derive->location->source->id;
	cell_queue_add(&task->shop->cells, &task->claim, clock_monotonic_millis());
}

/* What the cell of a stage does, with what, and what it makes. */
static const struct derived_kind *errand_of(const struct task *task)
{
	return task->stage == TASK_INSPECTING ? &derived_object_meta : task->derive->kind;
}

static int spawn(struct task *task, struct err *err)
{
	struct shop *shop = task->shop;
	const struct derived_kind *errand = errand_of(task);
	struct cell_file input = { .fd = task->object_fd };
	struct cell_file output = { .fd = -1 };
	struct cell_order order = {
		.operation = errand->operation,
		.inputs = &input, .input_count = 1, .seals = &task->object_seal, .outputs = &output, .output_count = 1,
	};
	struct buf parameters;
	int rc = -1;

	snprintf(input.role, sizeof(input.role), "%s", errand->input);
	snprintf(output.role, sizeof(output.role), "%s", errand->output);
	buf_init(&parameters, PARAMETERS_BYTES_MAX);
	if (cache_temporary(shop->cache, task->out_path, sizeof(task->out_path), &task->out_fd, err) < 0)
		goto done;
	output.fd = task->out_fd;
	if (errand->parameters && errand->parameters(task->derive, shop->config, &parameters, err) < 0)
		goto done;
	order.parameters = buf_text(&parameters);
	rc = nursery_spawn(shop->nursery, &order, &task->cell, err);
done:
	buf_release(&parameters);
	return rc;
}

/* Without a nursery the workshop leaves at its next turn, and the jobs go back as they are: none
 * of them is to be answered with that. */
static bool waits_for_another_life(const struct shop *shop)
{
	return shop->carried_count > 0 && !nursery_is_alive(shop->nursery);
}

void cells_start_queued(struct shop *shop)
{
	struct cell_claim *claim;

	while ((claim = cell_queue_take(&shop->cells, shop->config->workshop_cells,
					clock_monotonic_millis()))) {
		struct task *task = task_of(claim);
		struct err err = ERR_INIT;

		if (spawn(task, &err) == 0) {
			board_count(shop->board, BOARD_CELLS_STARTED, 1);
			continue;
		}
		cell_queue_leave(&shop->cells, claim);
		if (waits_for_another_life(shop))
			return;
		making_cell_lost(task, &err);
	}
}

void cells_kill(struct task *task)
{
	cell_queue_leave(&task->shop->cells, &task->claim);
	cell_kill(task->cell);
	task->cell = NULL;
}

/* What is lost is what the youngest of its cells has done. */
void cells_make_way(struct shop *shop)
{
	int64_t now = clock_monotonic_millis();
	struct cell_claim *hog = cell_queue_hog(&shop->cells, shop->config->workshop_cells, now);
	struct task *task;

	if (!hog)
		return;
	task = task_of(hog);
	log_message(LOG_INFO, "cell_makes_way", NULL, "%.*s: stopped after %lld ms, to be read again: "
		    "its scope or its source has all cells, and others wait",
		    (int)task->derive->location->uri.size, task->derive->location->uri.bytes,
		    (long long)(now - hog->since_millis));
	cells_kill(task);
	making_drop_out(task);
	cells_queue(task);
}

static void count_end(struct shop *shop, const struct cell_event *event)
{
	enum board_counter counter = BOARD_CELLS_DONE;

	if (event->kind == CELL_FAILED)
		counter = BOARD_CELLS_FAILED;
	else if (event->kind == CELL_DIED)
		counter = board_counter_of_cell_death(event->status.kind);
	board_count(shop->board, counter, 1);
}

/* A cell that does not take its answer has perhaps ended meanwhile: then that is what counts. */
static void answer_failed(struct task *task, const struct err *why)
{
	struct cell_event event = { 0 };
	struct err err = ERR_INIT;

	if (cell_event(task->cell, &event, &err) == 0 && event.kind == CELL_DIED) {
		count_end(task->shop, &event);
		making_cell_ended(task, &event);
	} else {
		making_cell_lost(task, why);
	}
}

static void answer_want(struct task *task, const struct cell_event *event)
{
	struct checksum_seal seal;
	struct err err = ERR_INIT;
	int fd = -1;
	int rc = making_companion(task, event, &fd, &seal, &err);

	if (rc < 0)
		making_cell_lost(task, &err);
	else if (cell_answer_want(task->cell, fd, &seal, &err) < 0)
		answer_failed(task, &err);
	if (fd >= 0)
		close(fd);
}

/* The cell has something to say (or is gone). */
void cells_hear(struct task *task)
{
	while (task->cell) {
		struct cell_event event = { 0 };
		struct err err = ERR_INIT;

		if (cell_event(task->cell, &event, &err) < 0) {
			making_cell_lost(task, &err);
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
			count_end(task->shop, &event);
			making_cell_ended(task, &event);
			return;
		}
	}
}

/* CPU time is limited by the kernel; a cell that only sleeps would keep its place for ever.  No
 * job waits longer than this for it. */
void cells_end_overdue(struct shop *shop)
{
	int64_t most_millis = shop->config->job_seconds * 1000;
	int64_t now = clock_monotonic_millis();

	for (struct task *task = shop->tasks; task; task = task->next) {
		struct err err = ERR_INIT;

		if (!task->cell || now - task->claim.since_millis < most_millis)
			continue;
		board_count(shop->board, BOARD_CELLS_LIMIT, 1);
		err_set(&err, ERR_LIMIT, "reading it took longer than %lld s",
			(long long)shop->config->job_seconds);
		task_end(task, &err);
	}
}
