/*
 * emit -- numbers everything anew in the order of addresses and writes the file.
 *
 * The order of what the segments mention is the order in the file, so that the same facts
 * give the same bytes whichever thread learnt them.
 */
#ifndef SYMCACHE_EMIT_H
#define SYMCACHE_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/cover.h"
#include "symcache/part.h"
#include "symcache/symcache.h"

struct emit_input {
	const struct object *object; /* its ids */
	struct part *parts;          /* the first gives away its names and functions */
	size_t part_count;
	const struct piece *pieces;  /* all that segments name */
	size_t piece_count;
	const struct segments *segments;
	const struct cover_symbols *symbols;
	unsigned threads;            /* at least 1 */
	struct budget *budget;
};

/* Fills functions, ranges and bytes of the report. */
int emit_file(const struct emit_input *input, int fd, struct symcache_report *report,
	      struct err *err) __attribute__((warn_unused_result));

#endif
