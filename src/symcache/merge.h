/*
 * merge -- the names and functions of all parts put together, each once.
 *
 * Those of the first part stay where they are.  What another part knows is looked for among them
 * by all threads at once; what is not there is then added.
 */
#ifndef SYMCACHE_MERGE_H
#define SYMCACHE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/part.h"

struct err;

/* The numbers of a part's names and functions among all; NULL for the first, whose own they are. */
struct merged {
	uint32_t *names, *functions;
};

/* `names` and `functions` are the first part's, with the tables to find them by, which are gone
 * afterwards.  `merged` has an element for each part, and is the caller's to give back. */
int merge_parts(struct names *names, struct records *functions, const struct part *parts,
		size_t part_count, struct merged *merged, unsigned threads, struct err *err)
	__attribute__((warn_unused_result));

#endif
