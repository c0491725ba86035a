/*
 * relief.c -- the thread that is there when all request threads are busy.
 *
 * Without it a request for /healthcheck would wait behind whatever the request threads are at, and
 * the listening socket's queue would fill until the web server refuses for us.
 *
 *  1. While a request thread is free it sleeps; the last one that becomes busy calls it.
 *  2. Called, it lets TICK_MILLIS pass first: under an even load some thread is free again by
 *     then, and free threads of other processes have taken what came.
 *  3. It never reads a body and never waits for one connection: what has nothing to read yet
 *     is looked at again at the next tick.
 */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "front/front_internal.h"

#define TICK_MILLIS 4
#define LEAVE_MILLIS 500             /* for accepted connections to say what they want */
#define FRESH_MOST 256u              /* connections that have said nothing yet */
#define ACCEPTED_AT_ONCE 64u

struct relief {
	struct worker worker;
	sem_t called;
	atomic_bool sleeps;
	struct pollfd fresh[FRESH_MOST];
	int64_t since_millis[FRESH_MOST];
	size_t fresh_count;
};

void relief_call(struct front *front)
{
	struct relief *relief = atomic_load_explicit(&front->relief, memory_order_acquire);

	if (relief && atomic_load_explicit(&relief->sleeps, memory_order_acquire) &&
	    atomic_exchange(&relief->sleeps, false))
		sem_post(&relief->called);
}

static bool is_any_worker_free(const struct front *front)
{
	return atomic_load(&front->free_workers) > 0;
}

static void pause_for_a_tick(void)
{
	const struct timespec tick = { .tv_nsec = TICK_MILLIS * 1000000L };

	nanosleep(&tick, NULL);
}

/* --- Connections --------------------------------------------------------------------------- */

static void take(struct relief *relief, int fd)
{
	struct front *front = relief->worker.front;
	struct request *request = front_request_take(front);

	if (!request) {
		log_message(LOG_ERROR, "front", NULL, "no room for a request");
		close(fd);
		return;
	}
	if (request_accept(request, fd, front->config))
		worker_dispatch(&relief->worker, request);
	else
		front_request_give_back(front, request);
}

/* Of those that came together all are accepted before any is read.  True: there may be more. */
static bool accept_some(struct relief *relief)
{
	struct pollfd listening = { .fd = relief->worker.front->listen_fd, .events = POLLIN };

	for (unsigned i = 0; i < ACCEPTED_AT_ONCE && relief->fresh_count < FRESH_MOST; i++) {
		int fd = poll(&listening, 1, 0) > 0 ?
			 accept4(listening.fd, NULL, NULL, SOCK_CLOEXEC) : -1;

		if (fd < 0)
			return false;
		relief->fresh[relief->fresh_count] = (struct pollfd){ .fd = fd, .events = POLLIN };
		relief->since_millis[relief->fresh_count++] = clock_monotonic_millis();
	}
	return relief->fresh_count < FRESH_MOST;
}

/* Those with something to read are taken, oldest first; who says nothing for too long has
 * forgotten us. */
static void read_fresh(struct relief *relief, bool is_leaving)
{
	int64_t patience = relief->worker.front->config->body_wait_seconds * 1000;
	int64_t now = clock_monotonic_millis();
	size_t kept = 0;

	if (relief->fresh_count == 0 || poll(relief->fresh, (nfds_t)relief->fresh_count, 0) < 0)
		return;
	for (size_t i = 0; i < relief->fresh_count; i++) {
		if (relief->fresh[i].revents) {
			take(relief, relief->fresh[i].fd);
		} else if (is_leaving || now - relief->since_millis[i] > patience) {
			close(relief->fresh[i].fd);
		} else {
			relief->fresh[kept] = relief->fresh[i];
			relief->since_millis[kept++] = relief->since_millis[i];
		}
	}
	relief->fresh_count = kept;
}

/* Somebody became free between our look and our putting something into the lane, and may sit
 * in accept() now.  The signal may come a moment too early: then again at the next tick. */
static void wake_free_workers(struct front *front)
{
	if (lane_count(&front->small) == 0 || !is_any_worker_free(front))
		return;
	for (size_t i = 0; i < front->config->pool_threads; i++)
		if (front->workers[i].is_started && atomic_load(&front->workers[i].accepting))
			pthread_kill(front->workers[i].thread, SIGUSR1);
}

/* --- The thread ---------------------------------------------------------------------------- */

static bool has_something_to_do(const struct relief *relief)
{
	struct front *front = relief->worker.front;

	return !is_any_worker_free(front) || relief->fresh_count > 0 || lane_count(&front->small) > 0;
}

static void sleep_until_called(struct relief *relief)
{
	atomic_store(&relief->sleeps, true);
	if (!has_something_to_do(relief) && !atomic_load(&relief->worker.front->stopping))
		while (sem_wait(&relief->called) < 0 && errno == EINTR)
			;
	atomic_store(&relief->sleeps, false);
}

static void *relieve(void *payload)
{
	struct relief *relief = payload;
	struct front *front = relief->worker.front;
	bool is_more = false;

	while (!atomic_load(&front->stopping)) {
		if (!has_something_to_do(relief))
			sleep_until_called(relief);
		if (!is_more)
			pause_for_a_tick();
		is_more = !is_any_worker_free(front) && accept_some(relief);
		read_fresh(relief, false);
		wake_free_workers(front);
	}
	for (int i = 0; i < LEAVE_MILLIS / TICK_MILLIS && relief->fresh_count > 0; i++) {
		read_fresh(relief, false);
		pause_for_a_tick();
	}
	read_fresh(relief, true);
	return NULL;
}

int relief_start(struct front *front, struct err *err)
{
	struct relief *relief = mem_get(sizeof(*relief));

	if (!relief)
		return err_set(err, ERR_NO_MEMORY, "no room for the relief");
	sem_init(&relief->called, 0, 0);
	relief->worker.is_relief = true;
	if (worker_start(&relief->worker, front, relieve, err) == 0) {
		atomic_store(&front->relief, relief);
		return 0;
	}
	sem_destroy(&relief->called);
	mem_give_back(relief);
	return -1;
}

void relief_stop(struct front *front)
{
	struct relief *relief = atomic_load(&front->relief);

	if (!relief)
		return;
	sem_post(&relief->called);
	pthread_join(relief->worker.thread, NULL);
	worker_release(&relief->worker);
}

void relief_free(struct front *front)
{
	struct relief *relief = atomic_load(&front->relief);

	if (!relief)
		return;
	atomic_store(&front->relief, NULL);
	sem_destroy(&relief->called);
	mem_give_back(relief);
}
