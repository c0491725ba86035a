/*
 * handle -- what nursery.c and handle.c share of the asking side.  Private to this component.
 */
#ifndef SANDBOX_HANDLE_H
#define SANDBOX_HANDLE_H

#include "sandbox/frame.h"

/* Takes the channel over when it succeeds. */
int handle_new(struct cell_handle **handle, int channel, const struct cell_order *order,
	       struct err *err)
	__attribute__((warn_unused_result));

/* A descriptor of its own on the same file: for reading only, at offset 0. */
int handle_open_for_reading(int fd, int *copy, struct err *err)
	__attribute__((warn_unused_result));

/* How these bytes travel: in the packet (`follows`) or in a memory file (`file`, the caller's
 * to close). */
int handle_body(struct text bytes, struct frame_body *body, struct text *follows, int *file,
		struct err *err) __attribute__((warn_unused_result));

#endif
