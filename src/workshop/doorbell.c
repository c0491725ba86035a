/* doorbell.c -- see doorbell.h. */
#include "workshop/doorbell.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"

#define LISTEN_MILLIS 1000

static void *listen_to_word(void *payload)
{
	struct doorbell *bell = payload;
	uint32_t seen = board_read(bell->board, bell->word);

	while (!atomic_load(&bell->stopping)) {
		uint32_t now;

		board_wait(bell->board, bell->word, seen, LISTEN_MILLIS);
		now = board_read(bell->board, bell->word);
		if (now != seen)
			(void)!write(bell->fd, &(uint64_t){ 1 }, sizeof(uint64_t));
		seen = now;
	}
	return NULL;
}

int doorbell_start(struct doorbell *bell, struct board *board, enum board_word word, struct err *err)
{
	sigset_t all, before;
	int rc;

	bell->board = board;
	bell->word = word;
	bell->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bell->fd < 0)
		return err_os(err, errno, "making an eventfd");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&bell->thread, NULL, listen_to_word, bell);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc != 0)
		return err_os(err, rc, "starting a thread");
	bell->has_thread = 1;
	return 0;
}

void doorbell_clear(struct doorbell *bell)
{
	uint64_t count;

	(void)!read(bell->fd, &count, sizeof(count));
}

void doorbell_stop(struct doorbell *bell)
{
	if (bell->has_thread) {
		atomic_store(&bell->stopping, true);
		board_bump(bell->board, bell->word);
		pthread_join(bell->thread, NULL);
	}
	if (bell->fd >= 0)
		close(bell->fd);
	bell->fd = -1;
	bell->has_thread = 0;
}
