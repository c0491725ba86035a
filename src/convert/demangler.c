/* demangler.c -- see demangler.h. */
#include "convert/demangler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "convert/cell_counters.h"
#include "convert/memo.h"
#include "sandbox/sandbox.h"

#define MESSAGE_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define BATCH_NAMES 4000u        /* their answer fits one message, however long they become */
#define ANSWER_MILLIS 2000       /* for one message; a name that takes longer is hostile */
#define ALONE_MILLIS 10000       /* for all names of a batch asked one by one */
#define LOOK_UP_MILLIS 200       /* how soon hurry is noticed */

/* Of those in a hurry: a cell that answers needs microseconds a name, a new one some time to
 * start. */
#define BRIEF_MILLIS 250
#define BRIEF_NEW_CELL_MILLIS 1000
#define BRIEF_NAMES_PER_MILLI 10

struct demangler {
	struct nursery *nursery;
	struct board *board;
	struct convert_memo *memo;
	pthread_mutex_t cell_lock;   /* one question at a time */
	struct cell_handle *cell;    /* NULL until asked, and after it died */
	bool cell_is_proven;         /* it has answered before */
	atomic_bool hurry;
};

int demangler_open(struct demangler **out, struct nursery *nursery, struct board *board,
		   struct err *err)
{
	struct demangler *demangler = mem_get(sizeof(*demangler));

	if (!demangler)
		return err_set(err, ERR_NO_MEMORY, "no room for the demangler");
	if (convert_memo_open(&demangler->memo, err) < 0) {
		mem_give_back(demangler);
		return -1;
	}
	demangler->nursery = nursery;
	demangler->board = board;
	pthread_mutex_init(&demangler->cell_lock, NULL);
	*out = demangler;
	return 0;
}

void demangler_close(struct demangler *demangler)
{
	if (demangler->cell)
		cell_kill(demangler->cell);
	convert_memo_close(demangler->memo);
	pthread_mutex_destroy(&demangler->cell_lock);
	mem_give_back(demangler);
}

static int have_cell(struct demangler *demangler, struct err *err)
{
	struct cell_order order = { .operation = "demangle" };

	if (demangler->cell)
		return 0;
	if (demangler->board)
		board_count(demangler->board, &convert_cells_started, 0, 1);
	demangler->cell_is_proven = false;
	return nursery_spawn(demangler->nursery, &order, &demangler->cell, err);
}

/* The cell's next words, or CELL_NOTHING when the time is up. */
static int hear(struct demangler *demangler, int64_t deadline, struct cell_event *event,
		struct err *err)
{
	int64_t left;

	while (event->kind == CELL_NOTHING && !atomic_load(&demangler->hurry) &&
	       (left = deadline - clock_monotonic_millis()) > 0)
		if (cell_wait_event(demangler->cell, left < LOOK_UP_MILLIS ? (int)left : LOOK_UP_MILLIS,
				   event, err) < 0)
			return -1;
	return 0;
}

/* The cell is of no use any more: 0 the names are to blame, -1 something of our own is.  One that
 * did not take its message may have ended before, and says why. */
static int lose_cell(struct demangler *demangler, bool was_sent, struct cell_event *event,
		     struct err *err)
{
	struct err why = *err;

	if (!was_sent && (cell_event(demangler->cell, event, err) < 0 || event->kind == CELL_NOTHING))
		*err = why;
	else if (event->kind == CELL_DIED || event->kind == CELL_FAILED)
		*err = event->status;
	else if (err->kind == ERR_NONE)
		err_set(err, ERR_CRASHED, "no answer in time");
	log_message(LOG_WARN, "demangler", NULL, "%s", err->text);
	if (demangler->board)
		board_count(demangler->board, &convert_cells_ended, CELL_END_CRASHED, 1);
	cell_kill(demangler->cell);
	demangler->cell = NULL;
	return err_kind_is_ours(err->kind) ? -1 : 0;
}

/* One message and its answer: 1 answered, 0 the names cost us the cell, -1 our own failure. */
static int converse(struct demangler *demangler, struct convert_name *names, size_t count,
		    int64_t patience_millis, struct arena *arena, struct err *err)
{
	int64_t deadline = clock_monotonic_millis() + patience_millis;
	struct cell_event event = { .kind = CELL_NOTHING };
	struct buf message;
	bool was_sent = false;
	int rc = -1;

	buf_init(&message, MESSAGE_BYTES_MAX);
	err_clear(err);
	if (have_cell(demangler, err) < 0 ||
	    convert_names_message(names, count, &message, err) < 0)
		goto done;
	was_sent = cell_send(demangler->cell, buf_text(&message), err) == 0;
	if (was_sent && hear(demangler, deadline, &event, err) == 0 && event.kind == CELL_MESSAGE &&
	    convert_names_reply(event.reply, names, count, arena, err) == 0)
		rc = 1;
	else
		rc = lose_cell(demangler, was_sent, &event, err);
	if (arena->is_full)                  /* no fault of the names, and no better alone */
		rc = err_set(err, ERR_LIMIT, "the request has too many names");
	demangler->cell_is_proven = rc == 1;
done:
	buf_release(&message);
	return rc;
}

/* A cell that has lived for a while may be gone for reasons of its own (its CPU time spent, a
 * nursery stopped, memory short): the names are blamed only by a fresh one. */
static int converse_fairly(struct demangler *demangler, struct convert_name *names, size_t count,
			   struct arena *arena, struct err *err)
{
	bool proven = demangler->cell && demangler->cell_is_proven;
	int rc = converse(demangler, names, count, ANSWER_MILLIS, arena, err);

	return rc < 0 || (rc == 0 && proven) ? converse(demangler, names, count, ANSWER_MILLIS, arena, err) : rc;
}

/* The culprit stands for itself, and so do those for whom no time was left: the latter are
 * asked for again next time. */
static int ask_one_by_one(struct demangler *demangler, struct convert_name *names, size_t count,
			  struct arena *arena, struct err *err)
{
	int64_t deadline = clock_monotonic_millis() + ALONE_MILLIS;

	for (size_t i = 0; i < count; i++) {
		int rc;

		names[i].readable = TEXT_NONE;
		if (clock_monotonic_millis() > deadline || atomic_load(&demangler->hurry))
			continue;
		rc = converse(demangler, &names[i], 1, ANSWER_MILLIS, arena, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			names[i].readable = TEXT_NONE;
		convert_memo_store(demangler->memo, &names[i]);
	}
	return 0;
}

/* Asks for all at once; if that kills the cell, for one at a time. */
static int ask_cell(struct demangler *demangler, struct convert_name *names, size_t count,
		    struct arena *arena, struct err *err)
{
	int rc = converse_fairly(demangler, names, count, arena, err);

	if (rc < 0)
		return -1;
	if (rc == 0)
		return ask_one_by_one(demangler, names, count, arena, err);
	for (size_t i = 0; i < count; i++)
		convert_memo_store(demangler->memo, &names[i]);
	return 0;
}

/* The names nobody remembers, and where each stands among those asked for. */
struct unknown {
	struct convert_name *names;
	size_t *places, count;
};

static int find_unknown(struct demangler *demangler, struct convert_name *names, size_t count,
			struct arena *arena, struct unknown *unknown, struct err *err)
{
	unknown->names = arena_alloc(arena, count ? count : 1, sizeof(*unknown->names));
	unknown->places = arena_alloc(arena, count ? count : 1, sizeof(*unknown->places));
	unknown->count = 0;
	if (!unknown->names || !unknown->places)
		return err_set(err, arena->is_refused ? ERR_NO_MEMORY : ERR_LIMIT,
			       "no room for %zu names", count);
	for (size_t i = 0; i < count; i++) {
		if (convert_memo_lookup(demangler->memo, &names[i], arena))
			continue;
		unknown->places[unknown->count] = i;
		unknown->names[unknown->count++] = names[i];
	}
	if (demangler->board) {
		board_count(demangler->board, &convert_demangle_asked, 0, unknown->count);
		board_count(demangler->board, &convert_demangle_remembered, 0, count - unknown->count);
	}
	return 0;
}

static void fill(struct convert_name *names, const struct unknown *unknown)
{
	for (size_t i = 0; i < unknown->count; i++)
		names[unknown->places[i]].readable = unknown->names[i].readable;
}

int demangler_ask(struct demangler *demangler, struct convert_name *names, size_t count,
		  struct arena *arena, struct err *err)
{
	struct unknown unknown;
	int rc = 0;

	if (find_unknown(demangler, names, count, arena, &unknown, err) < 0)
		return -1;
	if (unknown.count == 0)
		return 0;
	pthread_mutex_lock(&demangler->cell_lock);
	for (size_t at = 0; rc == 0 && at < unknown.count; at += BATCH_NAMES)
		rc = ask_cell(demangler, unknown.names + at, unknown.count - at < BATCH_NAMES ?
			      unknown.count - at : BATCH_NAMES, arena, err);
	pthread_mutex_unlock(&demangler->cell_lock);
	if (rc == 0)
		fill(names, &unknown);
	return rc;
}

/* True: the lock is ours; false: others kept it too long. */
static bool lock_briefly(struct demangler *demangler)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)BRIEF_MILLIS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return pthread_mutex_clocklock(&demangler->cell_lock, CLOCK_MONOTONIC, &until) == 0;
}

int demangler_ask_briefly(struct demangler *demangler, struct convert_name *names, size_t count,
			  struct arena *arena, struct err *err)
{
	struct unknown unknown;
	int rc = 1;

	if (find_unknown(demangler, names, count, arena, &unknown, err) < 0)
		return -1;
	if (unknown.count == 0)
		return 1;
	if (!lock_briefly(demangler))
		return 0;
	for (size_t at = 0; rc == 1 && at < unknown.count; at += BATCH_NAMES) {
		size_t batch = unknown.count - at < BATCH_NAMES ? unknown.count - at : BATCH_NAMES;
		bool is_new = !demangler->cell || !demangler->cell_is_proven;

		rc = converse(demangler, unknown.names + at, batch,
			      (is_new ? BRIEF_NEW_CELL_MILLIS : BRIEF_MILLIS) +
				      (int64_t)(batch / BRIEF_NAMES_PER_MILLI), arena, err);
		for (size_t i = 0; rc == 1 && i < batch; i++)
			convert_memo_store(demangler->memo, &unknown.names[at + i]);
	}
	pthread_mutex_unlock(&demangler->cell_lock);
	if (rc == 1)
		fill(names, &unknown);
	return rc;
}

void demangler_hurry(struct demangler *demangler)
{
	atomic_store(&demangler->hurry, true);
}
