/*
 * source_lines -- a line of a source file and those around it, as answers quote them: long ones are cut.
 */
#ifndef KINDS_SOURCE_LINES_H
#define KINDS_SOURCE_LINES_H

#include <stdint.h>

#include "sourcecache/sourcecache.h"

struct arena;
struct err;
struct json_writer;

#define CONTEXT_LINES 5u             /* before a frame's line, and as many after */

struct frame_context {
	struct text before[CONTEXT_LINES], line, after[CONTEXT_LINES];
	unsigned before_count, after_count;
};

/* In the arena; *context stays as it is when there is no such line. */
int source_lines_quote(const struct sourcecache_source *source, uint32_t number, struct arena *arena,
		       const struct frame_context **context, struct err *err)
	__attribute__((warn_unused_result));

/* "pre_context", "context_line" and "post_context", those that are there. */
void source_lines_write(struct json_writer *json, struct text_list before, struct text line,
			struct text_list after);
void source_lines_write_context(struct json_writer *json, const struct frame_context *context);

#endif
