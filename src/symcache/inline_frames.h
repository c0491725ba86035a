/*
 * inline_frames -- the frames an address of a function can belong to: the function itself, or one
 * of the calls inlined into it.
 *
 * Within a function, calls from one line of one frame are deduplicated, and so are frames of one
 * callee in one call; nothing is shared between functions.  A function's frames and calls are
 * therefore contiguous, parents first, and the first one's index in the file gives all others'.
 */
#ifndef SYMCACHE_INLINE_FRAMES_H
#define SYMCACHE_INLINE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "symcache/intern.h"

struct err;

struct inline_frame {
	uint32_t function;           /* the shard's number of its record */
	uint32_t call;               /* among the function's; SYMC_NONE: not inlined */
};

struct inline_call {
	uint32_t file, line;         /* where; file: the shard's number, or SYMC_NONE */
	uint32_t parent;             /* the frame it is made in */
};

struct inline_frames {
	struct budget *budget;
	struct inline_frame *frames;
	struct inline_call *calls;
	size_t frame_capacity, call_capacity;
	uint32_t frame_count, call_count;
	/* of the function whose frames are being added */
	uint32_t first_frame, first_call;
	struct slots seen;           /* both: number within the function * 2 + which, + 1 */
	size_t seen_capacity;            /* what `seen` could be grown to */
};

/* Starts a function of at most `most` frames.  The writer may remove the calls of a function that
 * is complete. */
int inline_frames_begin(struct inline_frames *frames, size_t most, struct err *err)
	__attribute__((warn_unused_result));

/* The function itself; once, before all inlined into it. */
int inline_frames_add_root(struct inline_frames *frames, uint32_t function, uint32_t *number,
			   struct err *err)
	__attribute__((warn_unused_result));

/* A function inlined by a call: the number of its frame. */
int inline_frames_add(struct inline_frames *frames, uint32_t function,
		      const struct inline_call *call,
		      uint32_t *number, struct err *err) __attribute__((warn_unused_result));

/* Frees the hash table: nothing may be added afterwards. */
void inline_frames_finish(struct inline_frames *frames);
void inline_frames_release(struct inline_frames *frames);

#endif
