/*
 * crash_host.h -- in cells: stacks of this machine's processor walked by libunwind, over the
 * memory of a crash file and the files of its modules.
 *
 * A module's rules are taken from memory where they lie there whole; else its file is asked for, by
 * a want of the role "image".  Where libunwind stops, the walk of crash_walk.h goes on.
 */
#ifndef CONVERT_CRASH_HOST_H
#define CONVERT_CRASH_HOST_H

#include "convert/crash_walk.h"
#include "unwind/host_walk.h"

struct crash_host_module;

struct crash_host {
	struct crash_walk *walk;
	const struct unwind_memory *memory;
	struct arena *arena;
	struct crash_host_module *modules;   /* parallel to walk->modules.items */
	struct unwind_host unwind;
	struct err *err;                     /* of the walk under way */
	int rc;
};

/* `walk` is open; all are borrowed. */
int crash_host_open(struct crash_host *host, struct crash_walk *walk, enum unwind_arch arch,
		    const struct unwind_memory *memory, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* As crash_walk_thread(). */
int crash_host_thread(struct crash_host *host, const struct unwind_registers *registers,
		      struct err *err) __attribute__((warn_unused_result));

#endif
