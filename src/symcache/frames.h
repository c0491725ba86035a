/*
 * frames -- what the addresses of one function after another can be in: the function itself,
 * or one of the calls inlined into it.
 *
 * Of a function's calls those of one place inside one frame are one, and so are frames of one
 * function inside one call; nothing is shared between functions.  So frames and calls of a
 * function lie side by side, parents first, and the writer knows where each will be in the
 * file as soon as it knows where the first is.
 */
#ifndef SYMCACHE_FRAMES_H
#define SYMCACHE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/sets.h"

struct err;

struct frame {
	uint32_t function;           /* the part's number of its record */
	uint32_t call;               /* among the function's; SYMC_NONE: not inlined */
};

struct call {
	uint32_t file, line;         /* where; file: the part's number, or SYMC_NONE */
	uint32_t parent;             /* the frame it is made in */
};

struct frames {
	struct budget *budget;
	struct frame *frames;
	struct call *calls;
	size_t frame_capacity, call_capacity;
	uint32_t frame_count, call_count;
	/* of the function whose frames are being added */
	uint32_t first_frame, first_call;
	struct slots seen;           /* both: number within the function * 2 + which, + 1 */
	size_t seen_capacity;            /* what `seen` could be grown to */
};

/* A function with at most so many frames; the ones added belong to it.  The writer may take the
 * calls away once they are complete. */
int frames_begin(struct frames *frames, size_t most, struct err *err)
	__attribute__((warn_unused_result));

/* The function itself; once, before all inlined into it. */
int frames_add_root(struct frames *frames, uint32_t function, uint32_t *number, struct err *err)
	__attribute__((warn_unused_result));

/* A function inlined by a call: the number of its frame. */
int frames_add(struct frames *frames, uint32_t function, const struct call *call,
	       uint32_t *number, struct err *err) __attribute__((warn_unused_result));

/* Gives back what only adding needs: no more may be added. */
void frames_finish(struct frames *frames);
void frames_release(struct frames *frames);

#endif
