/*
 * merge -- the names and functions of all shards put together, each once.
 *
 * The first shard's pools become the merged ones.  All threads look up the entries of each other
 * shard in them, and those not found are appended.
 */
#ifndef SYMCACHE_MERGE_H
#define SYMCACHE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/shard.h"

struct err;

/* Indices of a shard's names and functions in the merged pools; NULL for the first shard, whose
 * indices do not change. */
struct merged {
	uint32_t *names, *functions;
};

/* `names` and `functions` are the first shard's, still with their hash tables, which are freed.
 * `merged` has an element for each shard; the caller frees what they point to. */
int merge_shards(struct name_pool *names, struct record_pool *functions, const struct shard *shards,
		 size_t shard_count, struct merged *merged, unsigned threads, struct err *err)
	__attribute__((warn_unused_result));

#endif
