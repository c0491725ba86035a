/*
 * source_lines -- a line of a source file and those around it, as answers quote them: long ones are cut.
 */
#ifndef KINDS_SOURCE_LINES_H
#define KINDS_SOURCE_LINES_H

#include <stdint.h>

#include "sourcecache/sourcecache.h"

struct arena;
struct err;

#define CONTEXT_LINES 5u             /* before a frame's line, and as many after */

struct frame_context {
	struct text before[CONTEXT_LINES], line, after[CONTEXT_LINES];
	unsigned before_count, after_count;
};

/* In the arena; *context stays as it is when there is no such line. */
int source_lines_quote(const struct sourcecache_source *source, uint32_t number, struct arena *arena,
		       const struct frame_context **context, struct err *err)
	__attribute__((warn_unused_result));

#endif
