/*
 * state -- a state folder of one's own for a test: folder, configuration, store, board.
 *
 * Every step ends the test when it fails.
 */
#ifndef TEST_STATE_H
#define TEST_STATE_H

#include <stdint.h>

#include "board/board.h"
#include "config/config.h"
#include "store/store.h"

struct state {
	char folder[256];
	char cache_folder[288];
	struct config config;        /* defaults of the specification, filled by hand */
	struct store *store;
	struct board *board;
};

void state_make(struct state *state);        /* folder and config only */
void state_open(struct state *state);        /* state_make() and store and board */
void state_close(struct state *state);       /* keeps the folder */
void state_remove(struct state *state);      /* closes, removes all; nothing may be live */

/* A path below the folder; the text lives until the next few calls. */
const char *state_path(const struct state *state, const char *relative);
/* Runs SQL in another connection, as an operator would. */
void state_sql(const struct state *state, const char *sql);
/* The first column of the first row in another connection; -1 for none. */
int64_t state_ask(const struct state *state, const char *sql);

void write_file(const char *path, const void *bytes, size_t size);

/* Runs the function in a child process; 0 when it exited with EXIT_SUCCESS. */
int in_child(void (*work)(void *payload), void *payload);
/* In a child: nobody, so that modes of files count even when tests run as root. */
void be_nobody(void);

#endif
