/* progress.c -- see progress.h. */
#include "cli/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define FIRST_MILLIS 500
#define STEP_MILLIS 250

static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	pthread_t thread;
	const char *what;
	bool runs, stopping, shown;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void wait_millis(long millis)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += millis * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!progress.stopping &&
	       pthread_cond_timedwait(&progress.ended, &progress.lock, &until) != ETIMEDOUT)
		;
}

static void *show(void *unused)
{
	int64_t started = clock_monotonic_millis();

	(void)unused;
	pthread_mutex_lock(&progress.lock);
	wait_millis(FIRST_MILLIS);
	while (!progress.stopping) {
		fprintf(stderr, "\r%s ... %.1f s", progress.what,
			(double)(clock_monotonic_millis() - started) / 1000.0);
		fflush(stderr);
		progress.shown = true;
		wait_millis(STEP_MILLIS);
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_start(const char *what)
{
	pthread_condattr_t attributes;

	if (progress.runs || !isatty(STDERR_FILENO))
		return;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.ended, &attributes);
	pthread_condattr_destroy(&attributes);
	progress.what = what;
	progress.stopping = progress.shown = false;
	progress.runs = pthread_create(&progress.thread, NULL, show, NULL) == 0;
}

void progress_stop(void)
{
	if (!progress.runs)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.stopping = true;
	pthread_cond_signal(&progress.ended);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
	pthread_cond_destroy(&progress.ended);
	progress.runs = false;
	if (progress.shown)
		fputs("\r\033[K", stderr);
}
