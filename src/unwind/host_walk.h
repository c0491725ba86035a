/*
 * host_walk -- stacks of the processor this program runs on, walked by libunwind.
 *
 * libunwind reads DWARF rules where they lay in the process: in its memory, or in the read-only
 * segments of the files its modules came from, each through accessors of ours, which are bounded.
 * It knows which frames a signal interrupted.  It stops where a module's .eh_frame_hdr is not to be had; then
 * the walk of unwind.h goes on from the last frame.
 *
 * A walk is a function of registers, memory, modules and images.  Nothing here allocates, but
 * libunwind does.  Source: libunwind 1.6, libunwind(3), unw_create_addr_space(3).
 */
#ifndef UNWIND_HOST_WALK_H
#define UNWIND_HOST_WALK_H

#include "unwind/unwind.h"

/* Words read for one thread: expressions may loop, and rules may be as long as a file. */
#define UNWIND_LIMIT_HOST_READS (1u << 20)
/* ... and for all threads of a process. */
#define UNWIND_LIMIT_HOST_ALL_READS (1u << 26)

/* Of a module, for libunwind. */
struct unwind_image {
	struct unwind_memory memory;         /* what a process cannot have changed, at its addresses there */
	uint64_t table_base;                 /* address of .eh_frame_hdr */
	uint64_t table;                      /* of its search table */
	uint64_t table_count;                /* entries of two 32-bit offsets; 0: there is no table */
};

struct unwind_host {
	enum unwind_arch arch;
	const struct unwind_memory *memory;  /* of the process */
	struct unwind_modules *modules;
	/* Of a module; NULL: it has none.  Asked once and again; `is_needed`: the walk ends without. */
	const struct unwind_image *(*image)(void *payload, uint32_t module, bool is_needed);
	void *payload;
	struct unwind_frame *frames;
	size_t capacity;                     /* at least 1 */

	size_t frame_count;                  /* never more than the capacity */
	struct unwind_registers last;        /* of the last frame */
	bool has_ended;                      /* the rules say that nobody called it */

	/* Private. */
	const struct unwind_registers *first;
	uint64_t reads_left;
	uint64_t all_reads;                  /* of all walks until now */
};

/* Does libunwind walk stacks of this processor here? */
bool unwind_host_can(enum unwind_arch arch);

/* The frames of a thread, at least the first where its program counter is known.  The rest of `host` stays between walks. */
void unwind_host_walk(struct unwind_host *host, const struct unwind_registers *registers);

/* Finds the search table of .eh_frame_hdr at `address` in `memory`, into `image`; false: there is
 * none that is sorted and of 32-bit offsets, as linkers make them. */
bool unwind_image_open(struct unwind_image *image, const struct unwind_memory *memory, uint64_t address);

#endif
