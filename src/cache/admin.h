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
	struct text hash;            /* of the key's text: hex digits it begins with */
	int64_t id;
	bool failures_only;
	struct text sort;            /* of cache_list(): "newest", "oldest", "size", "used", "asks";
					TEXT_NONE: by id */
};

struct cache_line {
	int64_t id, version;
	struct text kind, state, scope, module, source, details;   /* until the call returns */
	struct text build_id, module_id;
	struct text key_text;        /* TEXT_NONE: of an older program, or too long */
	uint8_t hash[HASH_SHA256_BYTES];
	const char *path;            /* where the blob lies; NULL: the payload stands in the row */
	bool has_file;               /* there is something at `path` */
	bool is_outdated;            /* of an older version: answers until it is made again */
	bool is_expired;             /* counts as absent */
	bool is_personal;            /* a failure that holds for certain credentials only */
	uint64_t size_bytes;
	int64_t made_at, used_at, boot, repeats;
	int64_t expires_at;          /* a failure: when it is tried again; 0: not by time */
	int64_t asks;
};
/* Nonzero stops. */
typedef int cache_line_fn(void *payload, const struct cache_line *line);

/* Matching entries, at most `most` of them. */
int cache_list(struct cache *cache, struct store *store, const struct cache_filter *filter,
	       int64_t most, cache_line_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

/* Who is making that entry (again) now: 1, 0 nobody, -1. */
struct cache_flight { char owner[64]; int64_t attempt, started_at; };
int cache_flight_of(struct store *store, const struct cache_line *line, struct cache_flight *flight,
		    struct err *err) __attribute__((warn_unused_result));

/* Removes matching entries and their blobs: what is wanted again is made again.  round counts. */
int cache_drop(struct cache *cache, struct store *store, const struct cache_filter *filter,
	       bool dry_run, struct cache_round *round, struct err *err)
	__attribute__((warn_unused_result));

#endif
