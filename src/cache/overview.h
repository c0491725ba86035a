/*
 * overview -- what the caches hold and make, summed up and listed for people.
 *
 * Texts of a row are valid until the callback returns; nonzero from it stops.  Each verb returns
 * 0, or -1 with what store_run() says.  May include: what cache.h may.
 */
#ifndef CACHE_OVERVIEW_H
#define CACHE_OVERVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct store;

struct cache_kind_sum {
	struct text kind;
	int64_t version;
	bool is_outdated;            /* a newer version of that kind has entries too */
	uint64_t ready, failures, bytes;
};
typedef int cache_kind_sum_fn(void *payload, const struct cache_kind_sum *sum);
/* The largest first. */
int cache_sum_kinds(struct store *store, cache_kind_sum_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

struct cache_source_sum {
	struct text source;
	uint64_t ready, not_found, denied, failed;
	int64_t newest_at;           /* unix seconds */
};
typedef int cache_source_sum_fn(void *payload, const struct cache_source_sum *sum);
int cache_sum_sources(struct store *store, cache_source_sum_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

struct cache_remembered {
	int64_t id;
	struct text kind, state, source, scope, details, module_id;   /* TEXT_NONE where NULL */
	struct text key_text;        /* TEXT_NONE: of an older program, or too long */
	uint64_t size_bytes;
	bool has_retry;
	int64_t made_at, retry_at, repeats, asks;
};
typedef int cache_remembered_fn(void *payload, const struct cache_remembered *entry);
/* Entries of a module's file name, debug id or code id; sort as cache_filter.sort, or "id". */
int cache_of_module(struct store *store, struct text module, struct text sort, int64_t most,
		    cache_remembered_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

struct cache_flight_line {
	struct text kind, module, key_text, owner;
	int64_t started_at, attempt;
};
typedef int cache_flight_line_fn(void *payload, const struct cache_flight_line *flight);
/* What is downloaded and made at `now` (unix seconds) by that owner; TEXT_NONE: by anybody. */
int cache_list_flights(struct store *store, struct text owner, int64_t now, int64_t most,
		       cache_flight_line_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

#endif
