/*
 * share.h -- an entry asked of the shared cache before it is made, and told to it afterwards.
 *
 * What it says is judged as what was made here would be: objects and maps go through a cell like
 * downloads; of everything else its kind checks the payload.  What does not hold is refused, and
 * the key made as if nothing had been there.
 */
#ifndef WORKSHOP_SHARE_H
#define WORKSHOP_SHARE_H

#include "work/work.h"
#include "workshop/temporary.h"
#include "workshop/verb_queue.h"

struct shared_ask;
struct sharing;

typedef void share_told_fn(struct sharing *sharing, bool is_hit);

struct sharing {
	struct workshop_means *means;        /* these two are the caller's to set */
	share_told_fn *told;
	struct shared_ask *ask;              /* NULL: nothing is asked */
	struct temporary file;               /* what came */
};

/* The configuration was looked at when the service started; a key file that is gone since is no
 * reason not to work. */
void share_open(struct workshop_means *means, bool uploads);

bool share_may_ask_entry(const struct workshop_means *means, const struct derive *derive);
bool share_may_ask_object(const struct workshop_means *means, const struct derive *derive);
/* True: told() comes from a later step. */
bool share_ask(struct sharing *sharing, const struct cache_key *key, uint64_t bytes_max);
void share_stop(struct sharing *sharing);

/* On the verbs' thread: what came is published, when it is what the kind says. */
int  share_publish(struct sharing *sharing, const struct verb_means *means, const struct derive *derive,
		   struct err *err) __attribute__((warn_unused_result));
/* Then, in the loop: `failure` NULL: it was.  1; 0: it was refused; -1. */
int  share_settle(struct sharing *sharing, const struct derive *derive, const struct err *failure)
	__attribute__((warn_unused_result));
void share_refuse(const struct workshop_means *means, const struct derive *derive, const struct err *why);
/* An entry was published: `was_shared` praises what came for it, else it is offered. */
void share_made(const struct workshop_means *means, const struct derive *derive,
		const struct cache_key *key, bool was_shared, uint64_t bytes);
uint64_t share_bytes_max(const struct workshop_means *means, const struct derive *derive);

#endif
