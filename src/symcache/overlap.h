/*
 * overlap -- resolves overlapping function ranges: which one answers for an address when several
 * contain it, and what answers where none does.
 *
 * 1. Of ranges of one unit the one starting last wins inside its own addresses; behind its
 *    end the outer one goes on.  Of two with the same addresses the earlier wins.
 * 2. Of different units the one that answers for the address before goes on as long as it
 *    has ranges there; else the first unit wins.  So does llvm-symbolizer.
 * 3. Lines without a function and symbols fill what is left.  A symbol answers from its
 *    address to its end or the next symbol, one without a size to the next symbol (where
 *    symbols end at functions, to the next function at most, so that padding behind it
 *    belongs to none); it gives its name to lines without a function.
 */
#ifndef SYMCACHE_OVERLAP_H
#define SYMCACHE_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/shard.h"

struct segment {
	const struct function_range *range; /* whose entries, or NULL */
	uint32_t from, to;
	uint32_t first, count;       /* entries of its shard; the first answers from `from` on */
	uint32_t symbol;             /* index of the symbol naming it, or SYMC_NONE */
};

struct overlap_segments {
	struct budget *budget;
	struct segment *items;
	size_t capacity, count;
};

void overlap_segments_release(struct overlap_segments *segments);

struct overlap_symbol {
	uint32_t address, size;      /* size 0: to the next */
	uint32_t order;              /* in the symbol table */
	uint32_t name_bytes, file_bytes;
	const char *name, *file;     /* file: where it is known without lines, or NULL */
};

struct overlap_symbols {
	struct budget *budget;
	struct overlap_symbol *items;
	size_t capacity, count;
	bool end_at_functions;
};

/* Resolves ranges of one kind (with function, or without), sorted by start, unit and order. */
int overlap_resolve(const struct shard *shards, const struct function_range *ranges, size_t count,
		    struct overlap_segments *out, struct err *err) __attribute__((warn_unused_result));

/* Sorts by address and leaves one of each: the largest, of those the last. */
void overlap_symbols_sort(struct overlap_symbols *symbols);

/* functions + what fills their gaps, in order, none overlapping. */
int overlap_fill(const struct shard *shards, const struct overlap_segments *functions,
		 const struct overlap_segments *nameless, const struct overlap_symbols *symbols,
		 struct overlap_segments *out, struct err *err) __attribute__((warn_unused_result));

/* Ranges with a function first; then by start, unit and order. */
void function_range_sort(struct function_range *ranges, size_t count);

#endif
