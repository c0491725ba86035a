/*
 * lane -- a bounded FIFO of requests that wait for a thread.
 *
 * Private to front.
 */
#ifndef FRONT_LANE_H
#define FRONT_LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct request;

struct lane {
	pthread_mutex_t lock;        /* guards the rest; `count` may be read without it */
	pthread_cond_t filled;
	struct request *first, **last;
	atomic_size_t count;
	size_t most;
	bool is_closed;
};

void lane_init(struct lane *lane, size_t most);
/* It must be empty. */
void lane_release(struct lane *lane);

/* False: it is full, or closed. */
bool lane_put(struct lane *lane, struct request *request);
/* NULL: it is empty. */
struct request *lane_take(struct lane *lane);
/* Waits for one; NULL: the lane is closed and empty. */
struct request *lane_wait(struct lane *lane);
/* Refuses further requests; lane_wait() returns NULL once it is empty. */
void lane_close(struct lane *lane);

static inline size_t lane_count(struct lane *lane)
{
	return atomic_load_explicit(&lane->count, memory_order_acquire);
}

#endif
