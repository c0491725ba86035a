/*
 * sandbox -- cells: processes that may look at hostile bytes.
 *
 * A nursery is a single-threaded child forked before any thread, database or transfer
 * handle exists; it forks cells on demand.  A cell has the descriptors it was given and
 * nothing else: no network, no database, ceilings on memory, CPU and file size; it dies
 * with its parent.  It runs one operation of a const table, reads its inputs, writes its
 * outputs, may ask for more files while it works, and ends with one status.
 *
 * May include: base, config.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/checksum.h"
#include "base/err.h"
#include "base/text.h"

struct buf;
struct config;

#define CELL_FILES_MAX 16u
#define CELL_ROLE_BYTES 24u

struct cell_file { char role[CELL_ROLE_BYTES]; int fd; };

/* --- Inside a cell -------------------------------------------------------------------- */

struct cell {
	struct cell_file inputs[CELL_FILES_MAX];
	unsigned input_count;
	struct cell_file outputs[CELL_FILES_MAX];
	unsigned output_count;
	struct text parameters;      /* whatever the asker and the operation agreed on */
	struct buf *reply;           /* small facts for the asker (JSON) */
	size_t memory_bytes;         /* this cell's ceiling */
	int channel;                 /* the sandbox's own */
};

struct cell_operation {
	const char *name;            /* "inspect", "symcache", "demangle" */
	int (*run)(struct cell *cell, struct err *err);
	/* Before the cell is confined: loads libraries that only this operation needs.  NULL: there are none. */
	void (*prepare)(void);
};
/* An operation of that name starts a program of the operator's (tool.h).  It looks at no byte of its
 * inputs and is not confined: the program is. */
#define CELL_STARTS_PROGRAM "program"

int cell_input(const struct cell *cell, const char *role);    /* descriptor or -1 */
int cell_output(const struct cell *cell, const char *role);   /* descriptor or -1 */

/* The answer to a want. */
enum cell_answer {
	CELL_ANSWER_ABSENT,          /* there is no such file */
	CELL_ANSWER_FILE,
	CELL_ANSWER_LATE,            /* not found out in time: it may exist */
};

/* Asks for another file, and waits for the answer: a cell_answer, with *fd for a FILE; -1 error.
 * The answer may take minutes, which cost no CPU time. */
int cell_want(struct cell *cell, const char *role, struct text id, struct text name, int *fd,
	      struct err *err) __attribute__((warn_unused_result));

/* Resident operations: the next message (1), or 0 when the asker has gone. */
int cell_next_message(struct cell *cell, struct buf *message, struct err *err)
	__attribute__((warn_unused_result));
int cell_send_message(struct cell *cell, struct text message, struct err *err)
	__attribute__((warn_unused_result));

/* --- The asking side ------------------------------------------------------------------ */

enum sandbox_level {             /* what the kernel gave, weakest first */
	SANDBOX_PLAIN,           /* rlimits and no_new_privs only */
	SANDBOX_FILTERED,        /* + seccomp */
	SANDBOX_FULL,            /* + landlock */
};
const char *sandbox_level_name(enum sandbox_level level);

struct nursery;

/* Forks the nursery.  Call before any thread, database or curl handle exists.  The operations
 * may be given back afterwards: the nursery has its own copy.  Fails with words when config asks
 * for sandbox.require: full and the kernel has less. */
int  nursery_start(struct nursery **nursery, const struct config *config,
		   const struct cell_operation *operations, size_t count, struct err *err)
	__attribute__((warn_unused_result));
void nursery_stop(struct nursery *nursery);          /* kills its cells too */
enum sandbox_level nursery_level(const struct nursery *nursery);
/* False once the nursery process is gone: stop it and start another, where that is still
 * possible (no threads yet), or end this process. */
bool nursery_is_alive(const struct nursery *nursery);
/* It is gone, and not because SIGTERM or SIGINT was sent to the whole process group: the caller, who blocks
 * both, has neither pending. */
bool nursery_is_lost(const struct nursery *nursery);

struct cell_order {
	const char *operation;
	struct text parameters;
	const struct cell_file *inputs;      /* the cell gets them opened afresh for reading only,
	                                        at offset 0; the caller keeps its own */
	unsigned input_count;
	const struct checksum_seal *seals;   /* one for each input, verified in the cell; NULL: none is */
	const struct cell_file *outputs;     /* writable descriptors */
	unsigned output_count;
	unsigned want_max;                   /* files it may ask for; 0: LIMIT_CELL_WANTS */
};

/* os_errno of CELL_FAILED: an input does not match its seal, or changed while it was read. */
#define CELL_INPUT_CHANGED ESTALE
struct cell_handle;
int  nursery_spawn(struct nursery *nursery, const struct cell_order *order,
		   struct cell_handle **handle, struct err *err)
	__attribute__((warn_unused_result));
int  cell_channel(const struct cell_handle *handle);  /* poll for reading */
void cell_kill(struct cell_handle *handle);           /* ends and frees it */

enum cell_event_kind {
	CELL_NOTHING,                /* not a whole message yet: poll again */
	CELL_WANTS,                  /* answer with cell_answer_want() */
	CELL_MESSAGE,                /* of a resident operation */
	CELL_DONE,                   /* the operation returned 0; reply holds its facts */
	CELL_FAILED,                 /* it returned -1; status says why */
	CELL_DIED,                   /* status: ERR_CRASHED or ERR_LIMIT (its own doing, to be remembered), or
	                                ERR_IO (killed by us or the system: remember nothing) */
};
struct cell_event {
	enum cell_event_kind kind;
	char role[CELL_ROLE_BYTES];  /* WANTS */
	struct text id, name;        /* WANTS; until the next call */
	struct text reply;           /* DONE, MESSAGE; until the next call */
	struct err status;           /* FAILED, DIED */
};
/* Never blocks.  After DONE, FAILED or DIED only cell_kill() is left to call. */
int cell_event(struct cell_handle *handle, struct cell_event *event, struct err *err)
	__attribute__((warn_unused_result));
/* As cell_event(), waiting at most that long. */
int cell_wait_event(struct cell_handle *handle, int millis, struct cell_event *event, struct err *err)
	__attribute__((warn_unused_result));
int cell_answer_want(struct cell_handle *handle, enum cell_answer answer, int fd /* of a FILE */,
		     const struct checksum_seal *seal /* NULL: it may be anything */, struct err *err)
	__attribute__((warn_unused_result));
int cell_send(struct cell_handle *handle, struct text message, struct err *err)
	__attribute__((warn_unused_result));

#endif
