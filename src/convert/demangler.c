/* demangler.c -- see demangler.h. */
#include "convert/demangler.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "convert/memo.h"
#include "sandbox/sandbox.h"

#define MESSAGE_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define BATCH_NAMES 4000u        /* their answer fits one message, however long they become */
#define ANSWER_MILLIS 2000       /* for one message; a name that takes longer is hostile */
#define ALONE_MILLIS 10000       /* for all names of a batch asked one by one */

struct demangler {
	struct nursery *nursery;
	struct board *board;
	struct convert_memo *memo;
	pthread_mutex_t cell_lock;   /* one question at a time */
	struct cell_handle *cell;    /* NULL until asked, and after it died */
	bool cell_is_proven;         /* it has answered before */
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
		board_count(demangler->board, BOARD_CELLS_STARTED, 1);
	demangler->cell_is_proven = false;
	return nursery_hatch(demangler->nursery, &order, &demangler->cell, err);
}

static void lose_cell(struct demangler *demangler, const char *why)
{
	log_message(LOG_WARN, "demangler", NULL, "%s", why);
	if (demangler->board)
		board_count(demangler->board, BOARD_CELLS_CRASHED, 1);
	cell_kill(demangler->cell);
	demangler->cell = NULL;
}

/* One message and its answer: 1 answered, 0 the cell is gone, -1 no cell or no memory. */
static int converse(struct demangler *demangler, struct convert_name *names, size_t count,
		    struct arena *arena, struct err *err)
{
	int64_t deadline = clock_monotonic_millis() + ANSWER_MILLIS;
	struct cell_news news = { .kind = CELL_NOTHING };
	struct buf message;
	int rc = -1;

	buf_init(&message, MESSAGE_BYTES_MAX);
	if (have_cell(demangler, err) < 0 ||
	    convert_names_message(names, count, &message, err) < 0)
		goto done;
	rc = 0;
	if (cell_send(demangler->cell, buf_text(&message), err) < 0) {
		lose_cell(demangler, err->text);
		goto done;
	}
	while (news.kind == CELL_NOTHING && clock_monotonic_millis() < deadline)
		if (cell_wait_news(demangler->cell, (int)(deadline - clock_monotonic_millis()),
				   &news, err) < 0)
			break;
	if (news.kind != CELL_MESSAGE)
		lose_cell(demangler, news.kind == CELL_DIED ? news.status.text : "no answer in time");
	else if (convert_names_reply(news.reply, names, count, arena, err) < 0)
		lose_cell(demangler, err->text);
	else
		rc = 1;
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
	int rc = converse(demangler, names, count, arena, err);

	return rc == 0 && proven ? converse(demangler, names, count, arena, err) : rc;
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
		if (clock_monotonic_millis() > deadline)
			continue;
		rc = converse(demangler, &names[i], 1, arena, err);
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

int demangler_ask(struct demangler *demangler, struct convert_name *names, size_t count,
		  struct arena *arena, struct err *err)
{
	struct convert_name *unknown;
	size_t *places, unknown_count = 0;
	int rc = 0;

	unknown = arena_alloc(arena, count ? count : 1, sizeof(*unknown));
	places = arena_alloc(arena, count ? count : 1, sizeof(*places));
	if (!unknown || !places)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu names", count);
	for (size_t i = 0; i < count; i++) {
		if (convert_memo_lookup(demangler->memo, &names[i], arena))
			continue;
		places[unknown_count] = i;
		unknown[unknown_count++] = names[i];
	}
	if (demangler->board) {
		board_count(demangler->board, BOARD_DEMANGLE_ASKED, unknown_count);
		board_count(demangler->board, BOARD_DEMANGLE_REMEMBERED, count - unknown_count);
	}
	if (unknown_count == 0)
		return 0;
	pthread_mutex_lock(&demangler->cell_lock);
	for (size_t at = 0; rc == 0 && at < unknown_count; at += BATCH_NAMES)
		rc = ask_cell(demangler, unknown + at, unknown_count - at < BATCH_NAMES ?
			      unknown_count - at : BATCH_NAMES, arena, err);
	pthread_mutex_unlock(&demangler->cell_lock);
	for (size_t i = 0; rc == 0 && i < unknown_count; i++)
		names[places[i]].readable = unknown[i].readable;
	return rc;
}
