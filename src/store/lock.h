/*
 * lock -- locks on files that end with their holder, whatever ends it.
 *
 * Open file description locks: they belong to the descriptor, not the process; close it
 * to let go.  A child made by fork shares its parent's: close it there.
 */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include <stdbool.h>

struct err;

/* Opens (making it, 0600) and tries to lock: 1 with *fd, 0 when somebody else has it, -1. */
int store_lock_try(const char *path, bool exclusive, int *fd, struct err *err)
	__attribute__((warn_unused_result));
/* Makes an exclusive lock a shared one, without a moment in between. */
int store_lock_share(int fd, struct err *err) __attribute__((warn_unused_result));

#endif
