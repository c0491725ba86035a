/*
 * demangle_queue.h -- names for the demangler, asked for by a thread of their own.
 *
 * A cell that is given hostile names may take its time: only the jobs that ask wait for it,
 * never the loop.  An order's names and arena are the thread's while it is asked; both
 * belong to a job that is kept until the answer was collected.
 */
#ifndef WORKSHOP_DEMANGLE_QUEUE_H
#define WORKSHOP_DEMANGLE_QUEUE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/err.h"
#include "convert/demangler.h"
#include "work/work.h"

/* What one job asks of the demangler; it asks once. */
struct demangle_order {
	struct demangle_order *next;
	void (*told)(void *payload);         /* it was answered, or dropped */
	void *payload;
	struct convert_name *names;  /* the thread's while it is asked */
	size_t count;
	struct arena arena;          /* the readable names; lives with the job */
	bool failed, collected;
	struct err err;
};

struct demangle_queue {
	struct demangler *demangler;
	pthread_t thread;
	bool has_thread;
	int fd;                      /* eventfd: something was answered */
	pthread_mutex_t lock;        /* guards the rest */
	pthread_cond_t wake;
	struct demangle_order *asked, *answered;
	bool stopping;
};

int  demangle_queue_open(struct demangle_queue *queue, struct demangler *demangler, struct err *err)
	__attribute__((warn_unused_result));
void demangle_queue_close(struct demangle_queue *queue);
/* A new order in *order: 0, or -1. */
int  demangle_queue_post(struct demangle_queue *queue, struct demangle_order **order,
			 const struct demangle_order *what, size_t ceiling_bytes, struct err *err)
	__attribute__((warn_unused_result));
void demangle_queue_collect(struct demangle_queue *queue);
void demangle_order_free(struct demangle_order *order);      /* that is asked no more; fine on NULL */

#endif
