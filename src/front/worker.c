/*
 * worker.c -- request threads: accept, take from the lanes, answer.
 *
 *  1. A request thread accepts for itself: nobody hands it a small request while it is free.
 *     What waits for it in the lane of small ones (relief.c) comes before what it would accept.
 *  2. No request thread reads a large body; and the threads for large ones read nothing else.
 */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "config/config.h"
#include "front/front_internal.h"

#define PAUSE_MICROS 10000

/* From a lane: its variables are read. */
static void answer_waiting(struct worker *worker, struct request *request)
{
	worker_show_waiting(worker->front);
	log_set_request_id(request->x_request_id);
	reply_reset(&worker->reply);
	if (request_has_gone(request))
		front_request_drop(worker->front, request);
	else
		worker_answer(worker, request);
	log_set_request_id(NULL);
}

/* --- Small ones -------------------------------------------------------------------------- */

/* The one signal that gets a thread out of accept().  It gets through nowhere else: it would cut
 * short what the library reads of a request, and the request would be lost. */
static void hear_signal(bool is_heard)
{
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, SIGUSR1);
	pthread_sigmask(is_heard ? SIG_UNBLOCK : SIG_BLOCK, &wake, NULL);
}

/* The next connection; -1: a signal, or time to look into the lane. */
static int accept_next(struct worker *worker)
{
	struct front *front = worker->front;
	int fd = -1;

	atomic_store(&worker->accepting, true);
	atomic_fetch_add(&front->free_workers, 1);
	/* Asked once more: from now on whoever puts one there sees that somebody is free. */
	if (lane_count(&front->small) == 0 && !atomic_load(&front->stopping)) {
		hear_signal(true);
		fd = accept4(front->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		hear_signal(false);
		if (fd < 0 && errno != EINTR && errno != EAGAIN && errno != ECONNABORTED)
			usleep(PAUSE_MICROS);        /* no descriptors, no memory, shut down */
	}
	if (atomic_fetch_sub(&front->free_workers, 1) == 1)
		relief_call(front);
	atomic_store(&worker->accepting, false);
	return fd;
}

static bool take_connection(struct worker *worker)
{
	struct front *front = worker->front;
	int fd = accept_next(worker);
	struct request *request;

	if (fd < 0)
		return true;
	request = front_request_take(front);
	if (!request) {
		log_message(LOG_ERROR, "front", NULL, "no room for a request");
		close(fd);
		return false;
	}
	if (request_accept(request, fd, front->config))
		worker_dispatch(worker, request);
	else
		front_request_give_back(front, request);
	return true;
}

void *worker_accepts(void *payload)
{
	struct worker *worker = payload;
	struct front *front = worker->front;
	struct request *waiting;

	while (!atomic_load(&front->stopping)) {
		waiting = lane_take(&front->small);
		if (waiting)
			answer_waiting(worker, waiting);
		else if (!take_connection(worker))
			return NULL;
	}
	/* Until the relief has left, too: what it accepts is for us. */
	while ((waiting = lane_wait(&front->small)) != NULL)
		answer_waiting(worker, waiting);
	return NULL;
}

/* --- Large ones -------------------------------------------------------------------------- */

void *worker_takes_large(void *payload)
{
	struct worker *worker = payload;
	struct front *front = worker->front;
	struct request *request;

	while ((request = lane_wait(&front->large)) != NULL) {
		if (!atomic_load(&front->stopping)) {
			answer_waiting(worker, request);
			continue;
		}
		/* It would not end in time. */
		reply_reset(&worker->reply);
		reply_busy(&worker->reply, RETRY_BUSY_SECONDS, "this process is about to end");
		front_request_finish(front, request, &worker->reply);
	}
	return NULL;
}
