/*
 * trace -- a reply of the service as stack traces people read.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct arena;
struct buf;
struct cJSON;
struct err;

/* Appends all of it.  *found: did any frame get a name?  A reply that is not `completed` is
 * an error with its message. */
int trace_show(struct text reply, bool colour, struct buf *out, bool *found, struct err *err)
	__attribute__((warn_unused_result));

/* Its JSON, which is `completed`; else an error with its message. */
int trace_read(struct text reply, struct arena *arena, struct cJSON **json, struct err *err)
	__attribute__((warn_unused_result));
/* One stack; `requesting` is what the thread is called that it was asked for.  Did any frame get a
 * name? */
bool trace_add_stack(const struct cJSON *stack, size_t index, const char *requesting, bool colour,
		     struct buf *out);

#endif
