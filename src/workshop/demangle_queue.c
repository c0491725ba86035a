/* demangle_queue.c -- see demangle_queue.h. */
#include "workshop/demangle_queue.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

static void *ask_for_others(void *payload)
{
	struct demangle_queue *queue = payload;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		struct demangle_order *order;

		while (!queue->asked && !queue->stopping)
			pthread_cond_wait(&queue->wake, &queue->lock);
		if (queue->stopping)
			break;
		order = queue->asked;
		queue->asked = order->next;
		pthread_mutex_unlock(&queue->lock);
		order->failed = demangler_ask(queue->demangler, order->names, order->count,
						 &order->arena, &order->err) < 0;
		pthread_mutex_lock(&queue->lock);
		order->next = queue->answered;
		queue->answered = order;
		(void)!write(queue->fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

int demangle_queue_open(struct demangle_queue *queue, struct demangler *demangler, struct err *err)
{
	sigset_t all, before;
	int rc;

	queue->demangler = demangler;
	queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (queue->fd < 0)
		return err_os(err, errno, "making an eventfd");
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->wake, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&queue->thread, NULL, ask_for_others, queue);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	queue->has_thread = rc == 0;
	return rc == 0 ? 0 : err_os(err, rc, "starting a thread");
}

void demangle_order_free(struct demangle_order *order)
{
	if (!order)
		return;
	arena_release(&order->arena);
	mem_give_back(order);
}

/* Those left unanswered are dropped: their jobs have been given back. */
void demangle_queue_close(struct demangle_queue *queue)
{
	if (!queue->has_thread)
		goto done;
	demangler_hurry(queue->demangler);
	pthread_mutex_lock(&queue->lock);
	queue->stopping = true;
	pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->thread, NULL);
	queue->has_thread = false;
	for (int i = 0; i < 2; i++)
		for (struct demangle_order *order = i ? queue->asked : queue->answered; order;) {
			struct demangle_order *next = order->next;

			order->told(order->payload);
			order = next;
		}
	queue->asked = NULL;
	queue->answered = NULL;
	pthread_cond_destroy(&queue->wake);
	pthread_mutex_destroy(&queue->lock);
done:
	if (queue->fd >= 0)
		close(queue->fd);
	queue->fd = -1;
}

int demangle_queue_post(struct demangle_queue *queue, struct demangle_order **order,
			const struct demangle_order *what, size_t ceiling_bytes, struct err *err)
{
	struct demangle_order *made = mem_get(sizeof(*made)), **at = &queue->asked;

	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no room for an order of names");
	*made = *what;
	made->next = NULL;
	arena_init(&made->arena, ceiling_bytes);
	*order = made;
	pthread_mutex_lock(&queue->lock);
	while (*at)
		at = &(*at)->next;
	*at = made;
	pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
	return 0;
}

void demangle_queue_collect(struct demangle_queue *queue)
{
	struct demangle_order *order;
	uint64_t rings;

	(void)!read(queue->fd, &rings, sizeof(rings));
	pthread_mutex_lock(&queue->lock);
	order = queue->answered;
	queue->answered = NULL;
	pthread_mutex_unlock(&queue->lock);
	while (order) {
		struct demangle_order *next = order->next;

		order->collected = true;
		order->told(order->payload);
		order = next;
	}
}
