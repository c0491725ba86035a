/*
 * parker.c -- requests that wait for their job, all in one thread.
 *
 *  1. A parked request's job generation was read before its job was last looked at, so an
 *     end between the two is seen as a change.
 *  2. The wake is a hint: at least every second every parked request's row is looked at.
 *  3. Who has gone is let go within that second: nobody would read the reply, and others could
 *     not be parked in that place.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"
#include "front/front_counters.h"
#include "front/front_internal.h"

#define LOOK_AGAIN_MILLIS 1000

struct parker {
	struct front *front;
	struct jobs jobs;            /* with the parker's own store */
	pthread_t thread;
	pthread_mutex_t lock;        /* guards the rest */
	struct request *parked;
	size_t count;
	int64_t sleeps_until_millis;
	bool stopping;
};

/* Takes out every request that can be answered now: all when `all`, else those whose
 * generation moved or whose time is up. */
static struct request *take_due(struct parker *parker, bool all, int64_t now, int64_t *next)
{
	struct request **at = &parker->parked, *due = NULL;

	*next = now + LOOK_AGAIN_MILLIS;
	while (*at) {
		struct request *request = *at;

		if (all || request->wake_millis <= now ||
		    board_job_generation(parker->front->board, request->job_id) !=
			    request->job_generation) {
			*at = request->next;
			request->next = due;
			due = request;
			parker->count--;
			continue;
		}
		if (request->wake_millis < *next)
			*next = request->wake_millis;
		at = &request->next;
	}
	return due;
}

static void park_again(struct parker *parker, struct request *request)
{
	pthread_mutex_lock(&parker->lock);
	request->next = parker->parked;
	parker->parked = request;
	parker->count++;
	if (request->wake_millis < parker->sleeps_until_millis)
		parker->sleeps_until_millis = request->wake_millis;
	pthread_mutex_unlock(&parker->lock);
}

/* Some answers take longer to write than all others may be held up by one: a request thread does. */
static void give_back(struct parker *parker, struct request *request, struct reply *reply)
{
	struct front *front = parker->front;

	request->is_back = true;
	if (lane_put(&front->small, request)) {
		worker_show_waiting(front);
		relief_call(front);
	} else {
		worker_refuse(front, &front->small, reply);
		front_request_finish(front, request, reply);
	}
}

static bool has_ended(struct parker *parker, const struct request *request)
{
	struct err err = ERR_INIT;
	enum job_state state;

	return job_look(&parker->jobs, request->job_id, &state, &err) < 0 ||
	       (state != JOB_QUEUED && state != JOB_RUNNING);
}

static void look_at(struct parker *parker, struct request *request, struct reply *reply, bool leaving)
{
	request->job_generation = board_job_generation(parker->front->board, request->job_id);
	reply_reset(reply);
	log_set_request_id(request->x_request_id);
	if (request_has_gone(request)) {
		front_request_drop(parker->front, request);
		return;
	}
	if (request->wants_thread) {
		if (leaving || request->wake_millis <= clock_monotonic_millis() || has_ended(parker, request))
			give_back(parker, request, reply);
		else
			park_again(parker, request);
		return;
	}
	if (!answer_job_if_ended(parker->front, &parker->jobs, request->job_id, reply)) {
		if (!leaving && request->wake_millis > clock_monotonic_millis()) {
			park_again(parker, request);
			return;
		}
		answer_not_yet(request, reply);
	}
	front_request_finish(parker->front, request, reply);
}

static void *keep_parked(void *payload)
{
	struct parker *parker = payload;
	struct board *board = parker->front->board;
	int64_t looked_at_all = clock_monotonic_millis();
	struct reply reply;
	bool leaving = false;

	reply_init(&reply);
	while (!leaving) {
		uint32_t seen = board_read(board, BOARD_JOBS_DONE);
		int64_t now = clock_monotonic_millis(), until;
		bool all = now - looked_at_all >= LOOK_AGAIN_MILLIS;
		struct request *due;

		if (all)
			looked_at_all = now;
		pthread_mutex_lock(&parker->lock);
		leaving = parker->stopping;
		due = take_due(parker, all || leaving, now, &until);
		parker->sleeps_until_millis = until;
		pthread_mutex_unlock(&parker->lock);
		while (due) {
			struct request *next = due->next;

			look_at(parker, due, &reply, leaving);
			due = next;
		}
		pthread_mutex_lock(&parker->lock);
		until = parker->sleeps_until_millis;
		board_gauge_set(board, &front_parked_now, (int64_t)parker->count);
		pthread_mutex_unlock(&parker->lock);
		now = clock_monotonic_millis();
		if (!leaving && until > now)
			board_wait(board, BOARD_JOBS_DONE, seen, (int)(until - now));
	}
	reply_release(&reply);
	return NULL;
}

int parker_start(struct parker **out, struct front *front, struct err *err)
{
	struct parker *parker = mem_get(sizeof(*parker));
	int rc;

	if (!parker)
		return err_set(err, ERR_NO_MEMORY, "no room for the parker");
	parker->front = front;
	pthread_mutex_init(&parker->lock, NULL);
	if (store_open(&parker->jobs.store, front->config, err) < 0)
		goto failed;
	store_rest(parker->jobs.store);
	parker->jobs.config = front->config;
	parker->jobs.board = front->board;
	rc = pthread_create(&parker->thread, NULL, keep_parked, parker);
	if (rc == 0) {
		*out = parker;
		return 0;
	}
	err_os(err, rc, "starting the parker");
	store_close(parker->jobs.store);
failed:
	pthread_mutex_destroy(&parker->lock);
	mem_give_back(parker);
	return -1;
}

void parker_stop(struct parker *parker)
{
	pthread_mutex_lock(&parker->lock);
	parker->stopping = true;
	pthread_mutex_unlock(&parker->lock);
	board_bump(parker->front->board, BOARD_JOBS_DONE);
	pthread_join(parker->thread, NULL);
	store_close(parker->jobs.store);
	pthread_mutex_destroy(&parker->lock);
	mem_give_back(parker);
}

bool parker_park(struct parker *parker, struct request *request)
{
	bool wake, fits;

	pthread_mutex_lock(&parker->lock);
	fits = !parker->stopping && parker->count < parker->front->most_parked;
	wake = fits && request->wake_millis < parker->sleeps_until_millis;
	if (fits) {
		buf_release(&request->body); /* the job has it: thousands may wait */
		request->next = parker->parked;
		parker->parked = request;
		parker->count++;
		if (wake)
			parker->sleeps_until_millis = request->wake_millis;
		/* Its job may have ended, and the parker have looked, before it was here. */
		wake = wake || board_job_generation(parker->front->board, request->job_id) !=
				       request->job_generation;
	}
	pthread_mutex_unlock(&parker->lock);
	if (fits)
		board_count(parker->front->board, &front_parked, 0, 1);
	if (wake)
		board_bump(parker->front->board, BOARD_JOBS_DONE);
	return fits;
}
