/*
 * passes -- tokens and keys that open sources: asked for once, good for all that need the
 * same, kept in memory until they end.
 *
 * Whoever waits for one owns its `struct pass_wait`, zeroed before its first use, and leaves
 * before it goes away.
 *
 * Driven by the fetcher's steps; one thread.  May include: base, fetch, source.
 */
#ifndef PASSES_PASSES_H
#define PASSES_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct fetcher;
struct pass;
struct source;

struct passes {
	struct fetcher *fetcher;             /* outlives them */
	int64_t most_millis;                 /* of each question on the way to one; 0: the source's */
	struct pass *first;
};

struct pass_wait {
	/* There it is, or why not; no wait any more. */
	void (*told)(struct pass_wait *wait, struct text secret, const struct err *failure);
	const struct source *source;
	struct pass *pass;                   /* NULL: waits for none */
	struct pass_wait *next;
};

/* 1: *secret is it, until the next call; 0: wait->told() comes from a later step; -1. */
int  passes_ask(struct passes *passes, struct pass_wait *wait, struct text *secret,
		struct err *err) __attribute__((warn_unused_result));
void passes_leave(struct pass_wait *wait);           /* fine when it waits for none */
/* The source's server did not take it: the next one is asked for anew, unless this one is but
 * just asked for. */
void passes_doubt(struct passes *passes, const struct source *source);
void passes_release(struct passes *passes);          /* nobody may wait any more */

#endif
