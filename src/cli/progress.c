/* progress.c -- see progress.h. */
#include "cli/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli_table.h"

#define FIRST_MILLIS 500
#define STEP_MILLIS 250
#define COLUMNS_USUAL 80u
#define ELLIPSIS_COLUMNS 3u
#define LINE_BYTES 8192u

static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	pthread_t thread;
	const char *what;
	bool runs, stopping, shown;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return COLUMNS_USUAL;
}

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

void progress_line(const char *text, double seconds, size_t columns, char *line, size_t size)
{
	struct text what = text_of(text);
	bool is_cut = false, valid;
	char time[32];
	size_t left;

	left = (size_t)snprintf(time, sizeof(time), " ... %.1f s", seconds);
	/* The last column stays free, and what is cut begins with dots. */
	left = columns > left + 1 ? columns - left - 1 : 0;
	while (what.size > 0 && table_width(what) + (is_cut ? ELLIPSIS_COLUMNS : 0) > left) {
		size_t step = utf8_step(what.bytes, what.size, &valid);

		is_cut = true;
		what = (struct text){ what.bytes + step, what.size - step };
	}
	if (left == 0)
		time[columns > 1 && columns - 1 < strlen(time) ? columns - 1 : strlen(time)] = '\0';
	snprintf(line, size, "%s%.*s%s", is_cut && left >= ELLIPSIS_COLUMNS ? "..." : "",
		 (int)what.size, what.size ? what.bytes : "", time);
}

static void show_line(double seconds)
{
	char line[LINE_BYTES];

	progress_line(progress.what, seconds, terminal_columns(), line, sizeof(line));
	fprintf(stderr, "\r%s\033[K", line);
}

static void *show(void *unused)
{
	int64_t started = clock_monotonic_millis();

	(void)unused;
	pthread_mutex_lock(&progress.lock);
	wait_millis(FIRST_MILLIS);
	while (!progress.stopping) {
		show_line((double)(clock_monotonic_millis() - started) / 1000.0);
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
