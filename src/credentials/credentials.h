/*
 * credentials -- tokens and keys that open sources: asked for once, good for all that need the
 * same, kept in memory until they end.
 *
 * Whoever waits for one owns its `struct credential_wait`, zeroed before its first use, and leaves
 * before it goes away.
 *
 * Driven by the fetcher's steps; one thread.  May include: base, fetch, source.
 */
#ifndef CREDENTIALS_PASSES_H
#define CREDENTIALS_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct fetcher;
struct credential;
struct source;

struct credentials {
	struct fetcher *fetcher;             /* outlives them */
	int64_t most_millis;                 /* of each question on the way to one; 0: the source's */
	struct credential *first;
};

struct credential_wait {
	/* There it is, or why not; no wait any more. */
	void (*told)(struct credential_wait *wait, struct text secret, const struct err *failure);
	const struct source *source;
	struct credential *credential;                   /* NULL: waits for none */
	struct credential_wait *next;
};

/* 1: *secret is it, until the next call; 0: wait->told() comes from a later step; -1. */
int  credentials_ask(struct credentials *credentials, struct credential_wait *wait, struct text *secret,
		struct err *err) __attribute__((warn_unused_result));
void credentials_leave(struct credential_wait *wait);           /* fine when it waits for none */
/* The source's server did not take it: the next one is asked for anew, unless this one is but
 * just asked for. */
void credentials_doubt(struct credentials *credentials, const struct source *source);
void credentials_release(struct credentials *credentials);          /* nobody may wait any more */

#endif
