/*
 * crash_text -- the answer to a crash file as a report people read.
 */
#ifndef CLI_CRASH_TEXT_H
#define CLI_CRASH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct buf;
struct err;

struct crash_text_options {
	bool brief;                  /* only the thread that crashed, and no modules */
	bool colour;
};

/* Appends all of it: what happened, the thread that crashed with its registers, the other threads,
 * the modules.  *threads: how many the answer has.  A reply that is not `completed` is an error
 * with its message. */
int crash_text_show(struct text reply, const struct crash_text_options *options, struct buf *out,
		    size_t *threads, struct err *err) __attribute__((warn_unused_result));

#endif
