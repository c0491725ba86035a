/*
 * nursery process -- the nursery's own process and the cells it forks.  Private to this component.
 */
#ifndef SANDBOX_NURSERY_PROCESS_H
#define SANDBOX_NURSERY_PROCESS_H

#include <sys/types.h>

#include "sandbox/confine.h"
#include "sandbox/frame.h"

struct nursery_process {
	int control;                         /* orders come here */
	pid_t pid;                           /* the nursery's own */
	const struct config *config;
	const struct cell_operation *operations;
	size_t operation_count;
	struct confinement confinement;
};

/* The nursery process: never returns.  `parent` is who forked it. */
void nursery_process_run(struct nursery_process *process, pid_t parent) __attribute__((noreturn));

/* Makes this process, just forked, the cell of this order: never returns. */
void cell_begin(const struct nursery_process *process, const struct frame *order) __attribute__((noreturn));


#endif
