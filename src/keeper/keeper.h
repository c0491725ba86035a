/*
 * keeper -- the service's maintenance: expiry, quota, retention, repair, checkpoints.
 *
 * One per state folder, by a lock (STATE_DIR/keeper.lock) that ends with it.  Everything it
 * does may be cut off at any point and is done again by the next one.
 *
 * May include: base, config, store, board, cache, job, history.
 */
#ifndef KEEPER_KEEPER_H
#define KEEPER_KEEPER_H

#include <stdbool.h>

#include "history/history.h"

struct board;
struct config;
struct err;

/* Works until BOARD_STOP is bumped or the state folder is gone, and leaves within a second
 * then: 0.  While another keeper
 * has the lock it stands by, and takes over when that one dies.  -1 when it cannot work.
 * `meters`: what of the board's counters is sampled each minute. */
int keeper_run(const struct config *config, struct board *board, struct history_meters meters,
	       struct err *err)
	__attribute__((warn_unused_result));

/* One round of all maintenance now, whoever has the lock; for the command line.  dry_run only counts. */
struct cache_round;
int keeper_once(const struct config *config, struct board *board, bool dry_run,
		struct cache_round *round, struct err *err) __attribute__((warn_unused_result));

#endif
