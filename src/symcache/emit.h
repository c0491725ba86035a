/*
 * emit -- renumbers everything in the order of addresses and writes the file.
 *
 * Things stand in the file in the order in which the segments refer to them, so that the same
 * input gives the same bytes whatever the number of threads.
 */
#ifndef SYMCACHE_EMIT_H
#define SYMCACHE_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/overlap.h"
#include "symcache/shard.h"
#include "symcache/symcache.h"

struct emit_input {
	const struct object *object; /* its ids */
	struct shard *shards;        /* the first gives away its names and functions */
	size_t shard_count;
	const struct function_range *ranges; /* all that segments name */
	size_t range_count;
	const struct overlap_segments *segments;
	const struct overlap_symbols *symbols;
	unsigned threads;            /* at least 1 */
	struct budget *budget;
};

/* Fills functions, ranges and bytes of the report. */
int emit_file(const struct emit_input *input, int fd, struct symcache_report *report,
	      struct err *err) __attribute__((warn_unused_result));

#endif
