/* wakes.c -- see wakes.h: futex words and stripes of the mapped file. */
#include "board/wakes.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "board/board_layout.h"

#define WAIT_MILLIS_MAX 1000

uint32_t board_read(const struct board *board, enum board_word word)
{
	return atomic_load(&board->file->words[word].value);
}

void board_bump(struct board *board, enum board_word word)
{
	_Atomic uint32_t *value = &board->file->words[word].value;

	atomic_fetch_add(value, 1);
	/* Not FUTEX_PRIVATE: the waiters are other processes. */
	syscall(SYS_futex, value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void board_wait(struct board *board, enum board_word word, uint32_t seen, int millis)
{
	struct timespec limit;

	if (millis < 0 || millis > WAIT_MILLIS_MAX)
		millis = WAIT_MILLIS_MAX;
	limit.tv_sec = millis / 1000;
	limit.tv_nsec = (long)(millis % 1000) * 1000000;
	syscall(SYS_futex, &board->file->words[word].value, FUTEX_WAIT, seen, &limit, NULL, 0);
}

static unsigned stripe_of_hash(const uint8_t hash[32])
{
	return (hash[0] | (unsigned)hash[1] << 8) % BOARD_STRIPES;
}

uint32_t board_generation(const struct board *board, const uint8_t hash[32])
{
	return atomic_load(&board->file->generations[stripe_of_hash(hash)]);
}

void board_generation_bump(struct board *board, const uint8_t hash[32])
{
	atomic_fetch_add(&board->file->generations[stripe_of_hash(hash)], 1);
	board_bump(board, BOARD_CACHE_CHANGED);
}

static unsigned stripe_of_job(const char *job_id)
{
	return board_hash(BOARD_HASH_START, text_of(job_id)) % BOARD_STRIPES;
}

uint32_t board_job_generation(const struct board *board, const char *job_id)
{
	return atomic_load(&board->file->job_generations[stripe_of_job(job_id)]);
}

void board_job_generation_bump(struct board *board, const char *job_id)
{
	atomic_fetch_add(&board->file->job_generations[stripe_of_job(job_id)], 1);
}
