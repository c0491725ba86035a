/*
 * wakes -- how processes tell each other that something changed: words to wait on, and generations
 * of cache entries and jobs.
 *
 * All of the contract, whatever carries it (today futex words and numbers in the board's file):
 *
 *  1. A wake is a hint and may be lost; the database row is the truth.  So every wait is bounded,
 *     and who waits looks at the row when it ends.
 *  2. Whoever changes a row bumps its generation afterwards.  Equal generations say that the row was
 *     not changed, as far as this machine knows; unequal ones say nothing but "look again": rows
 *     share stripes.
 *  3. Who waits reads the word, then looks at the row, then waits for the word to differ from what
 *     was read: a change in between ends the wait at once.
 */
#ifndef BOARD_WAKES_H
#define BOARD_WAKES_H

#include <stdint.h>

struct board;

#define BOARD_STRIPES 4096u

enum board_word {
	BOARD_JOBS_NEW,              /* bumped when a job row is inserted */
	BOARD_JOBS_DONE,             /* bumped when any job ends */
	BOARD_STOP,                  /* bumped when the service is asked to stop */
	BOARD_CACHE_CHANGED,         /* bumped with every generation: a flight of another process ended */
	BOARD_WORDS
};

uint32_t board_read(const struct board *board, enum board_word word);
void     board_bump(struct board *board, enum board_word word);      /* increments and wakes all */
/* Waits until the word differs from `seen`, at most `millis` (capped at 1000). */
void     board_wait(struct board *board, enum board_word word, uint32_t seen, int millis);

/* Generations, striped by the key's hash: whoever changes an entry's row bumps its stripe. */
uint32_t board_generation(const struct board *board, const uint8_t hash[32]);
void     board_generation_bump(struct board *board, const uint8_t hash[32]);

/* The same for jobs, by id. */
uint32_t board_job_generation(const struct board *board, const char *job_id);
void     board_job_generation_bump(struct board *board, const char *job_id);

#endif
