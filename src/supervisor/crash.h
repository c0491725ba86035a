/*
 * crash -- when a process of the service dies of its own doing, its stack goes to the log.
 *
 * For processes that read no hostile bytes (front, workshop, keeper): cells die silently and
 * their nursery tells how.
 */
#ifndef SUPERVISOR_CRASH_H
#define SUPERVISOR_CRASH_H

/* Handles SEGV, ABRT, ILL and FPE: writes the stack, then dies of the same signal. */
void crash_install(void);

#endif
