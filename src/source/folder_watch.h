/*
 * folder_watch -- is what a path led to still there, and unchanged?  Asked for all watched
 * folders at once, with one call of the kernel.
 *
 * Of a watched folder, inotify tells all that changes its change time, and of every folder above
 * it that it was moved, removed or closed; /proc/self/mountinfo tells that anything was mounted
 * anywhere.  The kernel says so before the call that made the change returns.  Whatever is
 * told, all watches end: there is nothing to keep in step.
 *
 *  1. No part of the path is a symbolic link, which could be led elsewhere.
 *  2. All of it lies on file systems nobody changes but this kernel.
 *  3. At most WATCHES folders are watched; where the kernel gives none, nothing is.
 *
 * Private to source.  One thread's.
 */
#ifndef SOURCE_FOLDER_WATCH_H
#define SOURCE_FOLDER_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/vfs.h>
#include <time.h>

struct folder_watch {
	uint64_t epoch;          /* watches of another have ended */
	int events, mounts;      /* -1: nothing is watched */
	unsigned count;
	time_t again_at;         /* CLOCK_MONOTONIC: nothing is watched before */
};

void folder_watch_init(struct folder_watch *watch);
void folder_watch_release(struct folder_watch *watch);
/* Has anything happened?  Then a new epoch begins. */
void folder_watch_look(struct folder_watch *watch);
/* Not shortly after something happened. */
bool folder_watch_may_add(const struct folder_watch *watch);
/* An absolute path; true: from here on its changes end this epoch.  Look at the folder after that. */
bool folder_watch_add(struct folder_watch *watch, const char *path);

/* Is it one of the machine's own file systems, which keep times as they should? */
bool folder_watch_knows(const struct statfs *fs);

#endif
