/*
 * asker.c -- the demangler's questions, asked by a thread of their own.
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
	struct asker *asker = payload;

	pthread_mutex_lock(&asker->lock);
	for (;;) {
		struct question *question;

		while (!asker->asked && !asker->stopping)
			pthread_cond_wait(&asker->wake, &asker->lock);
		if (asker->stopping)
			break;
		question = asker->asked;
		asker->asked = question->next;
		pthread_mutex_unlock(&asker->lock);
		question->failed = demangler_ask(asker->demangler, question->names, question->count,
						 &question->arena, &question->err) < 0;
		pthread_mutex_lock(&asker->lock);
		question->next = asker->answered;
		asker->answered = question;
		(void)!write(asker->fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	}
	pthread_mutex_unlock(&asker->lock);
	return NULL;
}

int asker_open(struct asker *asker, struct demangler *demangler, struct err *err)
{
	sigset_t all, before;
	int rc;

	asker->demangler = demangler;
	asker->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (asker->fd < 0)
		return err_os(err, errno, "making an eventfd");
	pthread_mutex_init(&asker->lock, NULL);
	pthread_cond_init(&asker->wake, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&asker->thread, NULL, ask_for_others, asker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	asker->has_thread = rc == 0;
	return rc == 0 ? 0 : err_os(err, rc, "starting a thread");
}

void asker_forget(struct carried *carried)
{
	if (!carried->question)
		return;
	arena_release(&carried->question->arena);
	mem_give_back(carried->question);
	carried->question = NULL;
}

/* Those left unanswered are dropped: their jobs have been given back. */
void asker_close(struct asker *asker)
{
	if (!asker->has_thread)
		goto done;
	demangler_hurry(asker->demangler);
	pthread_mutex_lock(&asker->lock);
	asker->stopping = true;
	pthread_cond_signal(&asker->wake);
	pthread_mutex_unlock(&asker->lock);
	pthread_join(asker->thread, NULL);
	asker->has_thread = false;
	for (int i = 0; i < 2; i++)
		for (struct question *question = i ? asker->asked : asker->answered; question;) {
			struct question *next = question->next;

			question->carried->references--;
			question = next;
		}
	asker->asked = NULL;
	asker->answered = NULL;
	pthread_cond_destroy(&asker->wake);
	pthread_mutex_destroy(&asker->lock);
done:
	if (asker->fd >= 0)
		close(asker->fd);
	asker->fd = -1;
}

static int post(struct asker *asker, struct carried *carried, struct convert_name *asked,
		size_t count, struct err *err)
{
	struct question *question = mem_get(sizeof(*question)), **at = &asker->asked;

	if (!question)
		return err_set(err, ERR_NO_MEMORY, "no room for a question");
	question->carried = carried;
	question->names = asked;
	question->count = count;
	arena_init(&question->arena, carried->work.arena.ceiling_bytes);
	carried->question = question;
	carried->references++;
	pthread_mutex_lock(&asker->lock);
	while (*at)
		at = &(*at)->next;
	*at = question;
	pthread_cond_signal(&asker->wake);
	pthread_mutex_unlock(&asker->lock);
	return 0;
}

enum resolved asker_resolve(struct asker *asker, struct carried *carried,
			    struct convert_name *asked, size_t count, struct err *err)
{
	struct question *question = carried->question;

	if (!question)
		return post(asker, carried, asked, count, err) < 0 ? RESOLVED_ERROR : RESOLVED_WAIT;
	if (!question->collected)
		return RESOLVED_WAIT;
	if (!question->failed)
		return RESOLVED_READY;
	*err = question->err;
	asker_forget(carried);               /* who tries again asks again */
	return RESOLVED_ERROR;
}

void asker_collect(struct asker *asker)
{
	struct question *question;
	uint64_t rings;

	(void)!read(asker->fd, &rings, sizeof(rings));
	pthread_mutex_lock(&asker->lock);
	question = asker->answered;
	asker->answered = NULL;
	pthread_mutex_unlock(&asker->lock);
	while (question) {
		struct question *next = question->next;

		question->collected = true;
		question->carried->references--;
		question->carried->ready = true;
		question = next;
	}
}
