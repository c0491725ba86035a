/*
 * names.c -- the demangler's questions, asked by a thread of their own.
 *
 * A cell that is given hostile names may take its time: only the jobs that ask wait for it,
 * never the loop.  A question's names and arena are the thread's while it is asked; both
 * belong to a carried job that is kept until the answer was collected.
 */
#include "workshop/internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

static void *ask_for_others(void *payload)
{
	struct names *names = payload;

	pthread_mutex_lock(&names->lock);
	for (;;) {
		struct question *question;

		while (!names->asked && !names->stopping)
			pthread_cond_wait(&names->wake, &names->lock);
		if (names->stopping)
			break;
		question = names->asked;
		names->asked = question->next;
		pthread_mutex_unlock(&names->lock);
		question->failed = demangler_ask(names->demangler, question->names, question->count,
						 &question->arena, &question->err) < 0;
		pthread_mutex_lock(&names->lock);
		question->next = names->answered;
		names->answered = question;
		(void)!write(names->fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	}
	pthread_mutex_unlock(&names->lock);
	return NULL;
}

int names_open(struct names *names, struct demangler *demangler, struct err *err)
{
	sigset_t all, before;
	int rc;

	names->demangler = demangler;
	names->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (names->fd < 0)
		return err_os(err, errno, "making an eventfd");
	pthread_mutex_init(&names->lock, NULL);
	pthread_cond_init(&names->wake, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&names->thread, NULL, ask_for_others, names);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	names->has_thread = rc == 0;
	return rc == 0 ? 0 : err_os(err, rc, "starting a thread");
}

void names_forget(struct carried *carried)
{
	if (!carried->question)
		return;
	arena_release(&carried->question->arena);
	mem_give_back(carried->question);
	carried->question = NULL;
}

/* Those left unanswered are dropped: their jobs have been given back. */
void names_close(struct names *names)
{
	if (!names->has_thread)
		goto done;
	demangler_hurry(names->demangler);
	pthread_mutex_lock(&names->lock);
	names->stopping = true;
	pthread_cond_signal(&names->wake);
	pthread_mutex_unlock(&names->lock);
	pthread_join(names->thread, NULL);
	names->has_thread = false;
	for (int i = 0; i < 2; i++)
		for (struct question *question = i ? names->asked : names->answered; question;) {
			struct question *next = question->next;

			question->carried->references--;
			question = next;
		}
	names->asked = NULL;
	names->answered = NULL;
	pthread_cond_destroy(&names->wake);
	pthread_mutex_destroy(&names->lock);
done:
	if (names->fd >= 0)
		close(names->fd);
	names->fd = -1;
}

static int post(struct names *names, struct carried *carried, struct convert_name *asked,
		size_t count, struct err *err)
{
	struct question *question = mem_get(sizeof(*question)), **at = &names->asked;

	if (!question)
		return err_set(err, ERR_NO_MEMORY, "no room for a question");
	question->carried = carried;
	question->names = asked;
	question->count = count;
	arena_init(&question->arena, carried->work.arena.ceiling_bytes);
	carried->question = question;
	carried->references++;
	pthread_mutex_lock(&names->lock);
	while (*at)
		at = &(*at)->next;
	*at = question;
	pthread_cond_signal(&names->wake);
	pthread_mutex_unlock(&names->lock);
	return 0;
}

enum resolved names_resolve(struct names *names, struct carried *carried,
			    struct convert_name *asked, size_t count, struct err *err)
{
	struct question *question = carried->question;

	if (!question)
		return post(names, carried, asked, count, err) < 0 ? RESOLVED_ERROR : RESOLVED_WAIT;
	if (!question->collected)
		return RESOLVED_WAIT;
	if (!question->failed)
		return RESOLVED_READY;
	*err = question->err;
	return RESOLVED_ERROR;
}

void names_collect(struct names *names)
{
	struct question *question;
	uint64_t rings;

	(void)!read(names->fd, &rings, sizeof(rings));
	pthread_mutex_lock(&names->lock);
	question = names->answered;
	names->answered = NULL;
	pthread_mutex_unlock(&names->lock);
	while (question) {
		struct question *next = question->next;

		question->collected = true;
		question->carried->references--;
		question->carried->ready = true;
		question = next;
	}
}
