/*
 * confine -- what a cell gives up before it sees a hostile byte.  Private to this component.
 *
 * All that costs time is prepared once, in the nursery: the system call filter is compiled
 * to BPF, the landlock ruleset is a descriptor.  A cell only installs them.
 */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <linux/filter.h>
#include <stdint.h>
#include <sys/resource.h>

#include "sandbox/sandbox.h"

struct confinement {
	enum sandbox_level level;    /* what a cell must reach */
	int ruleset;                 /* landlock, no rule in it; -1: the kernel has none */
	struct sock_filter *filter;  /* NULL: none */
	unsigned short filter_count;
	rlim_t memory_bytes;         /* all of it; what the next two are parts of */
	rlim_t data_bytes, stack_bytes;
	rlim_t file_bytes, cpu_seconds;
};

/* Tests lower it to see what happens on a kernel that gives less. */
extern enum sandbox_level sandbox_level_ceiling;

/* Fills everything but `level`: the caller finds that out with a trial cell. */
int  confine_prepare(struct confinement *confinement, const struct config *config,
		     struct err *err) __attribute__((warn_unused_result));
void confine_release(struct confinement *confinement);

/* Closes every descriptor but these (any order, doubles are fine). */
int  confine_descriptors(const int *keep, unsigned count, struct err *err)
	__attribute__((warn_unused_result));

/* This process is killed when its parent ends; it ends at once when `parent` is not its parent any more. */
void confine_die_with(pid_t parent);

/* Ceilings, no capabilities, no new privileges, landlock, filter; *reached tells how far the kernel went.
 * Irrevocable.  -1 only when even the plain level cannot be had. */
int  confine_self(const struct confinement *confinement, enum sandbox_level *reached,
		  struct err *err) __attribute__((warn_unused_result));

/* Of a cell that starts a program: no capabilities, no new privileges, no core. */
int  confine_open(const struct confinement *confinement, struct err *err)
	__attribute__((warn_unused_result));

/* The system call filter as BPF: 0, or -1 when it cannot be made. */
int  filter_build(struct sock_filter **filter, unsigned short *count, struct err *err)
	__attribute__((warn_unused_result));
/* Stands in the filter where the cell's own pid belongs. */
#define FILTER_OWN_PID 0x5e1f91d5u

#endif
