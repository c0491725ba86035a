/*
 * tool -- runs a program of the operator's choice, from a cell whose operation says so (sandbox.h).
 *
 *  1. The program may write to its folder and those that are named, where the kernel has landlock; and
 *     has no TCP where that can be forbidden.  It gets no descriptor of ours but what it says.
 *  2. It ends with all it started, whatever groups they made for themselves: when it is done, when its
 *     time is over, and when the cell is killed.
 *  3. Of what it says the first bytes are kept, the rest is read and forgotten.
 *
 * May include: base.
 */
#ifndef SANDBOX_TOOL_H
#define SANDBOX_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define TOOL_SAID_BYTES 1024u

struct tool_order {
	const char *const *command;          /* these lists end with NULL; the first is a path */
	const char *const *environment;      /* "NAME=value": all there is */
	const char *const *writable;         /* folders it may write to */
	const char *folder;                  /* it works there */
	const char *scratch;                 /* goes with all in it, should the cell be killed */
	int64_t timeout_millis;
	uint64_t memory_bytes, file_bytes;   /* ceilings of each process; UINT64_MAX: none */
	uint64_t cpu_seconds;
};

enum tool_end_kind {
	TOOL_EXITED,                 /* with `code` */
	TOOL_KILLED,                 /* by the signal `code` */
	TOOL_NOT_STARTED,            /* errno is `code` */
	TOOL_TIMEOUT,
};

struct tool_end {
	uint32_t kind;               /* enum tool_end_kind */
	int32_t code;
	char said[TOOL_SAID_BYTES];  /* of its standard output and error; NUL-ended, no control bytes but '\n' */
};

/* Runs it and waits for its end. */
int tool_run(const struct tool_order *order, struct tool_end *end, struct err *err)
	__attribute__((warn_unused_result));

/* Removes a folder with all in it; follows no links, and goes as far as it can. */
void tool_remove_folder(const char *path);

#endif
