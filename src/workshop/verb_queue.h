/*
 * verb_queue.h -- what writes to the database, done by a thread of its own.
 *
 * Whoever holds the lock to write, here or in another process, holds up this thread and never the
 * loop, whose own connection only reads.  Disks are waited for here, too: a payload is summed, synced and
 * named by the verb that publishes it.  A second queue of the same kind, which at most reads the database, does what
 * takes time and is about files alone (workshop_means.asides).
 *
 * 1. Verbs are done one at a time.  Jobs take turns, so that a huge one holds up no small one; those of one job,
 *    and with them those of one key, never overtake each other.  Urgent ones (leases, claims given up) go
 *    before all others.
 * 2. A verb and all it points to belong to the thread until told(); so its owner stays until then, and
 *    leaves it alone.  Nothing else is shared but what is thread-safe itself (the cache, the board).
 * 3. told() is called in the loop, once for each verb, in the order they were done.
 */
#ifndef WORKSHOP_VERB_QUEUE_H
#define WORKSHOP_VERB_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "job/job.h"

struct cache;
struct store;

/* What verbs work with: the thread's. */
struct verb_means {
	struct cache *cache;
	struct store *store;
	struct jobs rows;
	const char *owner;
};

struct queued_verb {
	struct queued_verb *next;
	/* On the thread; *err where it returns a negative number. */
	int (*run)(struct queued_verb *verb, struct verb_means *means, struct err *err);
	/* In the loop; the verb may be asked again. */
	void (*told)(struct queued_verb *verb);
	const void *whose;           /* the job's, whatever tells it from others */
	bool is_urgent;
	bool is_asked;               /* the loop's: told() is still to come */
	int rc;                      /* what run() returned */
	struct err err;
};

struct verb_list { struct queued_verb *first, **end; };

#define VERB_QUEUE_RECENT 64u        /* turns remembered; whoever is not among them goes first */
struct verb_turn { const void *whose; uint64_t turn; };

struct verb_queue {
	struct verb_means means;
	pthread_t thread;
	bool has_thread;
	int fd;                      /* eventfd: something was done */
	size_t count;                /* the loop's: asked and not told */
	pthread_mutex_t lock;        /* guards the rest */
	pthread_cond_t wake, was_done;
	struct verb_list asked, done;
	struct verb_turn turns[VERB_QUEUE_RECENT];
	uint64_t turn;
	bool stopping;
};

/* Before verb_queue_open(): there is nothing to close. */
void verb_queue_init(struct verb_queue *queue);
/* `means` are the thread's from now on. */
int  verb_queue_open(struct verb_queue *queue, const struct verb_means *means, struct err *err)
	__attribute__((warn_unused_result));
/* After verb_queue_drain(). */
void verb_queue_close(struct verb_queue *queue);
/* One that is not asked. */
void verb_queue_ask(struct verb_queue *queue, struct queued_verb *verb);
/* When the descriptor is readable, and any time: tells what was done. */
void verb_queue_collect(struct verb_queue *queue);
/* Waits until all that was asked is done and told; and what that asks. */
void verb_queue_drain(struct verb_queue *queue);

#endif
