/* verb_queue.c -- see verb_queue.h. */
#include "workshop/verb_queue.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void empty(struct verb_list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void append(struct verb_list *list, struct queued_verb *verb)
{
	verb->next = NULL;
	*list->end = verb;
	list->end = &verb->next;
}

/* Behind the urgent ones that were asked before. */
static void prepend(struct verb_list *list, struct queued_verb *verb)
{
	struct queued_verb **at = &list->first;

	while (*at && (*at)->is_urgent)
		at = &(*at)->next;
	verb->next = *at;
	*at = verb;
	if (!verb->next)
		list->end = &verb->next;
}

static struct queued_verb *take_first(struct verb_list *list)
{
	struct queued_verb *verb = list->first;

	list->first = verb->next;
	if (!list->first)
		list->end = &list->first;
	return verb;
}

/* The turn it had last; 0: none that is remembered. */
static uint64_t last_turn(const struct verb_queue *queue, const void *whose)
{
	for (size_t i = 0; i < VERB_QUEUE_RECENT; i++)
		if (queue->turns[i].turn && queue->turns[i].whose == whose)
			return queue->turns[i].turn;
	return 0;
}

/* Overwrites its own entry, or the oldest one. */
static void note_turn(struct verb_queue *queue, const void *whose)
{
	struct verb_turn *at = &queue->turns[0];

	for (size_t i = 0; i < VERB_QUEUE_RECENT; i++) {
		if (queue->turns[i].turn && queue->turns[i].whose == whose) {
			at = &queue->turns[i];
			break;
		}
		if (queue->turns[i].turn < at->turn)
			at = &queue->turns[i];
	}
	*at = (struct verb_turn){ whose, ++queue->turn };
}

/* The first of whoever had a turn longest ago; the urgent stand first and are nobody's. */
static struct queued_verb *take_next(struct verb_queue *queue)
{
	struct queued_verb **best = &queue->asked.first, *verb;
	const void *before = (*best)->whose;
	uint64_t best_turn = last_turn(queue, before);

	for (struct queued_verb **at = &(*best)->next; *at && !(*best)->is_urgent && best_turn; at = &(*at)->next) {
		uint64_t turn;

		if ((*at)->whose == before)          /* of many of one job the first is before the others */
			continue;
		before = (*at)->whose;
		turn = last_turn(queue, before);
		if (turn < best_turn) {
			best = at;
			best_turn = turn;
		}
	}
	verb = *best;
	*best = verb->next;
	if (!verb->next)
		queue->asked.end = best;
	if (!verb->is_urgent)
		note_turn(queue, verb->whose);
	return verb;
}

static void *do_verbs(void *payload)
{
	struct verb_queue *queue = payload;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		struct queued_verb *verb;

		while (!queue->asked.first && !queue->stopping)
			pthread_cond_wait(&queue->wake, &queue->lock);
		if (!queue->asked.first)
			break;
		verb = take_next(queue);
		pthread_mutex_unlock(&queue->lock);
		err_clear(&verb->err);
		verb->rc = verb->run(verb, &queue->means, &verb->err);
		pthread_mutex_lock(&queue->lock);
		append(&queue->done, verb);
		pthread_cond_signal(&queue->was_done);
		(void)!write(queue->fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

void verb_queue_init(struct verb_queue *queue)
{
	*queue = (struct verb_queue){ .fd = -1 };
	empty(&queue->asked);
	empty(&queue->done);
}

/* Not what a thread meets by itself: mapped files that were cut short (base/guard.h), and crashes, which
 * are reported. */
static void block_what_is_sent(sigset_t *set)
{
	static const int own[] = { SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT };

	sigfillset(set);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(set, own[i]);
}

int verb_queue_open(struct verb_queue *queue, const struct verb_means *means, struct err *err)
{
	sigset_t all, before;
	int rc;

	queue->means = *means;
	queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (queue->fd < 0)
		return err_os(err, errno, "making an eventfd");
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->wake, NULL);
	pthread_cond_init(&queue->was_done, NULL);
	block_what_is_sent(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&queue->thread, NULL, do_verbs, queue);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	queue->has_thread = rc == 0;
	return rc == 0 ? 0 : err_os(err, rc, "starting a thread");
}

void verb_queue_close(struct verb_queue *queue)
{
	if (queue->has_thread) {
		pthread_mutex_lock(&queue->lock);
		queue->stopping = true;
		pthread_cond_signal(&queue->wake);
		pthread_mutex_unlock(&queue->lock);
		pthread_join(queue->thread, NULL);
		pthread_cond_destroy(&queue->was_done);
		pthread_cond_destroy(&queue->wake);
		pthread_mutex_destroy(&queue->lock);
	}
	if (queue->fd >= 0)
		close(queue->fd);
	verb_queue_init(queue);
}

void verb_queue_ask(struct verb_queue *queue, struct queued_verb *verb)
{
	verb->is_asked = true;
	queue->count++;
	pthread_mutex_lock(&queue->lock);
	if (verb->is_urgent)
		prepend(&queue->asked, verb);
	else
		append(&queue->asked, verb);
	pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
}

static void tell(struct verb_queue *queue, struct verb_list *done)
{
	while (done->first) {
		struct queued_verb *verb = take_first(done);

		verb->is_asked = false;
		queue->count--;
		verb->told(verb);
	}
}

/* With the lock; what was done so far, moved. */
static void take_done(struct verb_queue *queue, struct verb_list *done)
{
	empty(done);
	if (!queue->done.first)
		return;
	*done = queue->done;
	empty(&queue->done);
}

void verb_queue_collect(struct verb_queue *queue)
{
	struct verb_list done;
	uint64_t rings;

	(void)!read(queue->fd, &rings, sizeof(rings));
	pthread_mutex_lock(&queue->lock);
	take_done(queue, &done);
	pthread_mutex_unlock(&queue->lock);
	tell(queue, &done);
}

void verb_queue_drain(struct verb_queue *queue)
{
	while (queue->count > 0) {
		struct verb_list done;

		pthread_mutex_lock(&queue->lock);
		while (!queue->done.first)
			pthread_cond_wait(&queue->was_done, &queue->lock);
		take_done(queue, &done);
		pthread_mutex_unlock(&queue->lock);
		tell(queue, &done);
	}
}
