/* lane.c -- see lane.h. */
#include "front/lane.h"

#include "front/front_internal.h"

void lane_init(struct lane *lane, size_t most)
{
	pthread_mutex_init(&lane->lock, NULL);
	pthread_cond_init(&lane->filled, NULL);
	lane->first = NULL;
	lane->last = &lane->first;
	atomic_init(&lane->count, 0);
	lane->most = most;
	lane->is_closed = false;
}

void lane_release(struct lane *lane)
{
	pthread_cond_destroy(&lane->filled);
	pthread_mutex_destroy(&lane->lock);
}

bool lane_put(struct lane *lane, struct request *request)
{
	bool fits;

	pthread_mutex_lock(&lane->lock);
	fits = !lane->is_closed && lane_count(lane) < lane->most;
	if (fits) {
		request->next = NULL;
		*lane->last = request;
		lane->last = &request->next;
		atomic_fetch_add(&lane->count, 1);
		pthread_cond_signal(&lane->filled);
	}
	pthread_mutex_unlock(&lane->lock);
	return fits;
}

/* With the lock held. */
static struct request *take_first(struct lane *lane)
{
	struct request *request = lane->first;

	if (!request)
		return NULL;
	lane->first = request->next;
	if (!lane->first)
		lane->last = &lane->first;
	atomic_fetch_sub(&lane->count, 1);
	return request;
}

struct request *lane_take(struct lane *lane)
{
	struct request *request;

	if (lane_count(lane) == 0)           /* nearly always: no lock for that */
		return NULL;
	pthread_mutex_lock(&lane->lock);
	request = take_first(lane);
	pthread_mutex_unlock(&lane->lock);
	return request;
}

struct request *lane_wait(struct lane *lane)
{
	struct request *request;

	pthread_mutex_lock(&lane->lock);
	while (!lane->first && !lane->is_closed)
		pthread_cond_wait(&lane->filled, &lane->lock);
	request = take_first(lane);
	pthread_mutex_unlock(&lane->lock);
	return request;
}

void lane_close(struct lane *lane)
{
	pthread_mutex_lock(&lane->lock);
	lane->is_closed = true;
	pthread_cond_broadcast(&lane->filled);
	pthread_mutex_unlock(&lane->lock);
}
