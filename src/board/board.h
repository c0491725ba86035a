/*
 * board -- one mapped file shared by every process of a state folder: what they wake each other
 * with (board/wakes.h), counters for /metrics, facts about the service.
 *
 * The file is STATE_DIR/board-<layout version>-<boot id>; it is made by rename and never
 * truncated.  Nothing on the board needs its writer to stay alive: counters only grow; gauges are sums
 * over owner slots, and a slot whose owner is dead counts as nothing.
 *
 * May include: base, config.
 */
#ifndef BOARD_BOARD_H
#define BOARD_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "board/wakes.h"

struct buf;
struct config;
struct err;
struct board;

/* After board_register_counters(): what counts is part of the layout. */
int  board_open(struct board **board, const struct config *config, struct err *err)
	__attribute__((warn_unused_result));
void board_close(struct board *board);

/* Touches: entries read since, to be written out by the keeper in one batch.  Lossy. */
void     board_touch(struct board *board, int64_t entry_id);
unsigned board_touched(struct board *board, int64_t *entry_ids, unsigned capacity);

/* Entries in use that a workshop may tell the shared cache about: likewise. */
void     board_share(struct board *board, int64_t entry_id);
unsigned board_shared(struct board *board, int64_t *entry_ids, unsigned capacity);

/* --- All that is counted: see board/counters.h --------------------------------------------- */

/* All of it in Prometheus text format. */
void     board_metrics(const struct board *board, struct buf *out);
/* One more gauge after those: what nobody registered. */
void     board_metrics_gauge(struct buf *out, const char *name, const char *help, int64_t value);

/* Service facts other processes ask for.  Whoever writes the boot row sets the first (until
 * then it is when the board was made), whoever starts a nursery the second (-1: not known). */
int64_t  board_boot_started_at(const struct board *board);
int      board_sandbox_level(const struct board *board);
void     board_sandbox_level_set(struct board *board, int level);

/* The last time something could not be kept in the cache, in words: until something could be, in
 * whichever process.  Two who write at once may mix their words up. */
#define BOARD_TROUBLE_BYTES 320u
void     board_trouble_set(struct board *board, int64_t now, const char *words);
void     board_trouble_clear(struct board *board);
/* When it was; 0: all is well. */
int64_t  board_trouble(const struct board *board, char words[BOARD_TROUBLE_BYTES]);

#endif
