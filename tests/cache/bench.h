/*
 * bench -- a cache on a state folder of its own, with a clock the test moves.
 *
 * Every step ends the test when it fails.
 */
#ifndef TEST_CACHE_BENCH_H
#define TEST_CACHE_BENCH_H

#include "base/arena.h"
#include "cache/cache.h"
#include "store/state.h"

struct bench {
	struct state state;
	struct cache *cache;
	struct arena arena;
};

/* What the caches of all benches take for unix time; and milliseconds past the real
 * monotonic clock, to make rows be read again. */
extern int64_t bench_now, bench_millis;

void bench_open(struct bench *bench);
void bench_reopen(struct bench *bench);      /* another process, another boot */
void bench_remove(struct bench *bench);
void bench_set_clock(struct cache *cache);

struct cache_key bench_key(struct bench *bench, enum cache_kind kind, const char *scope,
			   const char *rest);
void bench_put(struct bench *bench, const struct cache_key *key, const char *payload);
void bench_put_small(struct bench *bench, const struct cache_key *key, const char *payload);
void bench_fail(struct bench *bench, const struct cache_key *key, enum err_kind kind);
/* "absent", the payload, or the kind of failure; lives until the next call. */
const char *bench_find(struct bench *bench, const struct cache_key *key);
/* The same after forgetting what this process has read. */
const char *bench_find_anew(struct bench *bench, const struct cache_key *key);
/* Spoils what a look finds. */
void bench_invalidate(struct bench *bench, const struct cache_key *key);
const char *bench_blob(const struct bench *bench, const struct cache_key *key);

#endif
