/*
 * admin -- entries for the people who look after them: list, drop, ask again.
 *
 * May include: what cache.h may.
 */
#ifndef CACHE_ADMIN_H
#define CACHE_ADMIN_H

#include "cache/cache.h"

/* Which entries are meant; TEXT_NONE and 0: any. */
struct cache_filter {
	struct text kind, module, source;
	struct text scope;           /* "global" means the global one */
	int64_t id;
	bool failures_only;
};

struct cache_line {
	int64_t id;
	struct text kind, state, scope, module, source, details;   /* until the call returns */
	uint64_t size_bytes;
	int64_t made_at, used_at, retry_at;      /* retry_at 0: not a failure, or never */
	int64_t asks;
};
/* Nonzero stops. */
typedef int cache_line_fn(void *payload, const struct cache_line *line);

/* Matching entries, oldest id first, at most `most` of them. */
int cache_list(struct store *store, const struct cache_filter *filter, int64_t most,
	       cache_line_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

/* Removes matching entries and their blobs: what is wanted again is made again.  round counts. */
int cache_drop(struct cache *cache, struct store *store, const struct cache_filter *filter,
	       bool dry_run, struct cache_round *round, struct err *err)
	__attribute__((warn_unused_result));

#endif
