/*
 * shared_internal -- the component's own: a place, one ask, one upload, the queue.
 *
 * An ask and an upload go the same ways: to a folder by copying a piece in each step, to a
 * bucket by a fetch, perhaps after a wait for a credential.
 */
#ifndef SHARED_SHARED_INTERNAL_H
#define SHARED_SHARED_INTERNAL_H

#include <limits.h>

#include "base/arena.h"
#include "base/err.h"
#include "cache/cache.h"
#include "fetch/fetch.h"
#include "credentials/credentials.h"
#include "shared/shared.h"
#include "shared/shared_counters.h"
#include "source/put.h"

#define SHARED_NAME_BYTES     128u
#define SHARED_CONNECT_MILLIS 500        /* Symbolicator's own */
#define SHARED_HEAD_MILLIS    5000       /* until an answer begins */
#define SHARED_TOTAL_MILLIS   60000      /* one ask, one upload */
#define SHARED_CREDENTIAL_MILLIS    2000       /* each question on the way to a credential */

/* shared_breaker.c: a place that fails is left alone for a while. */
struct shared_breaker {
	unsigned failures;                   /* in a row */
	bool is_open, is_probing;
	int64_t until_millis, pause_millis;
};
enum breaker_says { BREAKER_ASK, BREAKER_PROBE, BREAKER_LEAVE };
enum breaker_says shared_breaker_ask(struct shared_breaker *breaker, int64_t now_millis);
/* True when this closed or opened it. */
bool shared_breaker_note(struct shared_breaker *breaker, bool is_probe, bool failed,
			 int64_t now_millis);
void shared_breaker_forget(struct shared_breaker *breaker, bool is_probe);

/* shared_name.c */
void shared_name(const struct cache_key *key, char name[SHARED_NAME_BYTES]);

/* shared_place.c */
/* The bucket as a source; nothing for a folder. */
int shared_place_open(const struct config *config, struct arena *arena, struct source *source,
		      struct err *err) __attribute__((warn_unused_result));

/* folder.c */
struct shared_copy { int from, to; uint64_t at, bytes; int64_t deadline_millis; };
/* 1: it is all there, 0: there is more, -1. */
int  shared_copy_step(struct shared_copy *copy, int64_t now_millis, struct err *err)
	__attribute__((warn_unused_result));
int  folder_open_entry(const char *folder, const char *name, int *fd, uint64_t *bytes,
		       struct err *err) __attribute__((warn_unused_result));
bool folder_has_entry(const char *folder, const char *name);
int  folder_temporary(const char *folder, char path[PATH_MAX], int *fd, struct err *err)
	__attribute__((warn_unused_result));
/* ERR_BUSY: there is one already.  The temporary file is gone afterwards. */
int  folder_publish(const char *folder, int fd, const char *temporary, const char *name,
		    struct err *err) __attribute__((warn_unused_result));
/* What was left by those who ended while they wrote. */
void folder_clean(const char *folder);

struct shared_queued {
	uint8_t hash[HASH_SHA256_BYTES], text_hash[HASH_SHA256_BYTES];
	enum cache_kind kind;
	enum shared_reason reason;
};

struct shared_upload;

struct shared {
	struct shared_means means;
	struct arena arena;
	struct source source;                /* unless there is a folder */
	const char *folder;
	struct credentials credentials;
	struct shared_breaker breaker;
	struct shared_ask *asks;
	struct shared_upload *uploads;
	size_t upload_count;
	struct shared_queued *queue;         /* a ring of max_queued */
	size_t queue_first, queue_count;
	bool no_conditions;                  /* the bucket's server does not know any */
	int64_t told_millis;                 /* when a failure was last logged */
	uint64_t untold;                     /* since then */
};

#define SHARED_TELL_MILLIS 60000             /* between two failures that are logged */

/* shared_common.c */
/* How many wait, for all to see: whoever has an answer finds what it left to be told there. */
void shared_show(const struct shared *shared);
/* Logs a failure, at most one a minute. */
void shared_log(struct shared *shared, const char *what, const struct err *why);
/* The order's times and limits, and off it goes.  `fd` takes what is answered. */
int  shared_start(struct shared *shared, struct fetch_order *order, int fd, uint64_t max_bytes,
		  fetch_done_fn *done, void *payload, struct fetch **fetch, struct err *err)
	__attribute__((warn_unused_result));

/* ask.c and upload.c: true when something is left to be copied. */
bool shared_asks_step(struct shared *shared, int64_t now_millis);
bool shared_uploads_step(struct shared *shared, int64_t now_millis);
void shared_uploads_close(struct shared *shared);

#endif
