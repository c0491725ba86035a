/*
 * crash -- when a process of ours dies of its own doing, its stack goes to the log: addresses, offsets
 * in modules, and functions of the program where it has its symbols (`symgate lookup` knows the rest).
 *
 * For processes that read no hostile bytes (front, workshop, keeper, commands): cells die silently
 * and their nursery tells how.
 */
#ifndef SUPERVISOR_CRASH_H
#define SUPERVISOR_CRASH_H

/* Handles SEGV, ABRT, ILL and FPE: writes the stack, then dies of the same signal. */
void crash_install(void);

#endif
