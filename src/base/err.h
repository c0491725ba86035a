/*
 * err -- what went wrong, said once, in a form both code and people can use.
 *
 * Every function that can fail returns int (0 = done, -1 = failed) and takes a
 * `struct err *` as its last argument.  The kind decides what the caller does
 * (answer 404, retry later, remember the miss); the text is for the operator.
 *
 * Ownership: a struct err is plain memory, usually on the stack of the request
 * handler.  It never allocates, so reporting "out of memory" cannot fail.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

enum err_kind {
	ERR_NONE = 0,
	ERR_NOT_FOUND,       /* a fact about the world; may be remembered */
	ERR_DENIED,          /* the source said no; remember per credential */
	ERR_MALFORMED,       /* the bytes are wrong; remember until we change */
	ERR_UNSUPPORTED,     /* the bytes are right, we cannot read them */
	ERR_DOWNLOAD,        /* a source failed us: 5xx, refused, restricted */
	ERR_TIMEOUT,         /* a source was too slow */
	ERR_LIMIT,           /* one of our own budgets stopped the work */
	ERR_CRASHED,         /* a cell died of its own signal */
	ERR_RESOLVE,         /* a host's name leads nowhere now: told, and asked again in seconds */
	ERR_BAD_REQUEST,     /* the client's request cannot be read: 400 */
	ERR_BAD_SHAPE,       /* readable, but not of the schema: 422 */
	ERR_TOO_LARGE,       /* a body over its ceiling: 413 */
	ERR_BUSY,            /* try again: lock held, queue full: 503 */
	ERR_IO,              /* passing: our disk, our descriptors, our database */
	ERR_NO_MEMORY,       /* passing: the system has none for us */
	ERR_INTERNAL,        /* a promise of ours broken; never remembered */
	ERR_KINDS            /* count */
};

#define ERR_TEXT_BYTES 480u

struct err {
	enum err_kind kind;
	int os_errno;                 /* 0 when the system had no say in it */
	char text[ERR_TEXT_BYTES];    /* "outermost: ...: innermost", always NUL-ended */
};

#define ERR_INIT { ERR_NONE, 0, { 0 } }

/* Record a failure.  Returns -1, so that `return err_set(...)` reads well. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

/* As err_set() with ERR_IO (ERR_NO_MEMORY for ENOMEM), errno's number and text appended.  A file
 * that is not there is no fact about the world until its reader says so: err_is_absent(). */
int err_os(struct err *err, int os_errno, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

/* Put what the caller was doing in front of what its callee reported. */
int err_while(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));

/* The static analyzer sees one file at a time, and must know that these always give -1. */
#ifdef __clang_analyzer__
#define err_set(...)   ((void)err_set(__VA_ARGS__), -1)
#define err_os(...)    ((void)err_os(__VA_ARGS__), -1)
#define err_while(...) ((void)err_while(__VA_ARGS__), -1)
#endif

void err_clear(struct err *err);

/* Was it a system call that found no file of that name? */
static inline bool err_is_absent(const struct err *err)
{
	return err->os_errno == ENOENT;
}

/* "not_found", "malformed", ...: stable words, used in JSON, SQL and metrics. */
const char *err_kind_name(enum err_kind kind);

/* May this kind be stored as a placeholder?  One table answers that. */
bool err_kind_is_lasting(enum err_kind kind);

/* Our own failure, and passing: no answer is made of it.  The same table. */
bool err_kind_is_ours(enum err_kind kind);

#endif
