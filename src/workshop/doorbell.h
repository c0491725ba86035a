/*
 * doorbell -- a word of the board as a descriptor that can be polled.
 *
 * A small thread waits on the word and writes an eventfd; the event loop reads it.
 */
#ifndef WORKSHOP_DOORBELL_H
#define WORKSHOP_DOORBELL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "board/board.h"

struct err;

struct doorbell {
	struct board *board;
	enum board_word word;
	int fd;
	pthread_t thread;
	atomic_bool stopping;
	int has_thread;
};

int  doorbell_start(struct doorbell *bell, struct board *board, enum board_word word,
		    struct err *err) __attribute__((warn_unused_result));
void doorbell_clear(struct doorbell *bell);   /* after it was heard */
void doorbell_stop(struct doorbell *bell);    /* fine on one that never started (fd -1) */

#endif
