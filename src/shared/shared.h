/*
 * shared -- the shared cache: what other instances made is taken over, what was made here is
 * told to them.  A folder, a bucket of Google Cloud Storage, or one of S3 (doc/shared-cache.md).
 *
 * An object is called <kind>/v<version>/<2 hex>/<2 hex>/<60 hex>, after the SHA-256 of the key's
 * text, in which the scope stands.  It holds an entry's payload and nothing else.  Nothing here
 * is waited for: asks and uploads move on with the fetcher's steps and shared_step(), within
 * limits of their own, and whatever goes wrong is a miss.
 *
 * What it says is as foreign as what a symbol server says: the caller judges it.
 *
 * One thread, but for the files of entries, which are opened and summed aside (shared_means.aside).  May
 * include: base, config, board, fetch, source, credentials, cache.
 */
#ifndef SHARED_SHARED_H
#define SHARED_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board;
struct buf;
struct cache;
struct cache_key;
struct config;
struct err;
struct fetcher;
struct shared;
struct shared_ask;
struct store;

/* What takes a disk's time, done on another thread. */
struct shared_aside {
	/* There, with a store of that thread's.  *err where it returns a negative number. */
	int  (*run)(struct shared_aside *aside, struct store *store, struct err *err);
	void (*told)(struct shared_aside *aside, int rc, const struct err *err);     /* here */
};

/* All of them outlive it. */
struct shared_means {
	const struct config *config;
	struct board *board;
	struct fetcher *fetcher;
	struct cache *cache;
	struct store *store;
	bool uploads;                        /* else it is only asked; with them: */
	/* Has that done; told() comes from then on, in this call or later.  Negative: it never will. */
	int  (*aside)(void *payload, struct shared_aside *aside, struct err *err);
	void *aside_payload;
};
/* *shared is NULL where none is configured; every function below takes that.  ERR_BAD_SHAPE,
 * ERR_IO: the configuration cannot be used. */
int  shared_open(struct shared **shared, const struct shared_means *means, struct err *err)
	__attribute__((warn_unused_result));
/* No callbacks; the queue is dropped.  Nothing is aside any more. */
void shared_close(struct shared *shared);

/* Checks the configuration as far as that can be done without a connection. */
int  shared_check(const struct config *config, struct err *err) __attribute__((warn_unused_result));
/* Where it is, for people: "gs://bucket/prefix". */
void shared_name_place(const struct config *config, struct buf *out);

/* The file is filled (hit), or empty.  After a hit the caller says what it is worth. */
typedef void shared_told_fn(void *payload, bool is_hit);
/* Asks for an entry; true: told() will come from a later step.  False: there is none, or it is
 * no use to ask now.  The file is the caller's and empty. */
bool shared_ask(struct shared *shared, const struct cache_key *key, int fd, uint64_t max_bytes,
		shared_told_fn *told, void *payload, struct shared_ask **ask);
void shared_ask_cancel(struct shared_ask *ask);          /* no callback; NULL is fine */
/* After a hit: it was good, or not what it should be. */
void shared_praise(struct shared *shared, uint64_t bytes);
void shared_refuse(struct shared *shared, const struct cache_key *key, const struct err *why);

enum shared_reason { SHARED_NEW, SHARED_REFRESH, SHARED_REASONS };
/* Queues an entry of ours for upload; it is left out when the queue is full. */
void shared_offer(struct shared *shared, const struct cache_key *key, enum shared_reason reason);
/* Entries in use, as the fronts tell, are offered; uploads begin; files are copied on for a
 * moment.  True: call again at once. */
bool shared_step(struct shared *shared);
bool shared_is_idle(const struct shared *shared);

#endif
