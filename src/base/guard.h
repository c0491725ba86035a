/*
 * guard -- a look-up in a mapped file that survives the file being cut short.
 *
 * Anyone may truncate or delete a blob while we read it; the kernel says so with
 * SIGBUS.  Inside guard_run() that ends the call, not the process.  The guarded
 * function must hold no lock and own nothing (only the stack is unwound).
 */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

/* Installs the SIGBUS handler; once per process, before threads. */
int guard_install(void);

/* Runs fn(payload): its result, or -1 when a SIGBUS ended it (then *cut_short is 1). */
int guard_run(int (*fn)(void *payload), void *payload, int *cut_short);

#endif
