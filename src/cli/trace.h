/*
 * trace -- a reply of the service as stack traces people read.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>

#include "base/text.h"

struct buf;
struct err;

/* Appends all of it.  *found: did any frame get a name?  A reply that is not `completed` is
 * an error with its message. */
int trace_show(struct text reply, bool colour, struct buf *out, bool *found, struct err *err)
	__attribute__((warn_unused_result));

#endif
