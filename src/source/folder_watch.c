/* folder_watch.c -- see folder_watch.h; inotify(7), proc(5). */
#include "source/folder_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define WATCHES         1024u
#define PATH_BYTES      256u
#define PAUSE_SECONDS   3        /* after a change: there may be more of them */
#define REFUSED_SECONDS 60       /* other programs may give back what they watch */
#define EVENT_BYTES     4096u
#define XFS_MAGIC       0x58465342       /* the kernel's headers name all others */

/* Whatever changes a folder's change time, for the last one; for those above it, the folder itself. */
#define LAST_EVENTS (IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
#define EVENTS (IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD)

static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

bool folder_watch_knows(const struct statfs *fs)
{
	switch ((uint32_t)fs->f_type) {
	case EXT4_SUPER_MAGIC: case XFS_MAGIC: case BTRFS_SUPER_MAGIC: case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC: case OVERLAYFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

static void close_all(struct folder_watch *watch)
{
	if (watch->events >= 0)
		close(watch->events);
	if (watch->mounts >= 0)
		close(watch->mounts);
	watch->events = watch->mounts = -1;
	watch->count = 0;
}

void folder_watch_init(struct folder_watch *watch)
{
	*watch = (struct folder_watch){ .epoch = 1, .events = -1, .mounts = -1 };
}

void folder_watch_release(struct folder_watch *watch)
{
	close_all(watch);
}

static void end_epoch(struct folder_watch *watch, int pause_seconds)
{
	close_all(watch);
	watch->epoch++;
	watch->again_at = seconds_now() + pause_seconds;
}

/* --- Looking ----------------------------------------------------------------------------- */

/* What only an entry's own attributes say is nothing new: if it is a part of a path that is
 * watched, it is watched itself. */
static bool is_of_an_entry(const struct inotify_event *event)
{
	return event->len > 0 && (event->mask & ~(uint32_t)IN_ISDIR) == IN_ATTRIB;
}

static bool are_of_entries(const char *bytes, size_t size)
{
	struct inotify_event event;

	for (size_t at = 0; at + sizeof(event) <= size; at += sizeof(event) + event.len) {
		memcpy(&event, bytes + at, sizeof(event));
		if (!is_of_an_entry(&event))
			return false;
	}
	return true;
}

static bool has_news(const struct folder_watch *watch)
{
	char bytes[EVENT_BYTES];
	ssize_t size;

	while ((size = read(watch->events, bytes, sizeof(bytes))) > 0)
		if (!are_of_entries(bytes, (size_t)size))
			return true;
	return size == 0 || errno != EAGAIN;
}

void folder_watch_look(struct folder_watch *watch)
{
	struct pollfd polled[] = { { .fd = watch->events, .events = POLLIN },
				   { .fd = watch->mounts, .events = POLLPRI } };
	int ready;

	if (watch->count == 0)
		return;
	ready = poll(polled, sizeof(polled) / sizeof(polled[0]), 0);
	if (ready == 0)
		return;
	if (ready < 0 || polled[1].revents || has_news(watch))
		end_epoch(watch, PAUSE_SECONDS);
}

/* --- Watching ---------------------------------------------------------------------------- */

static bool open_all(struct folder_watch *watch)
{
	watch->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	watch->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	return watch->events >= 0 && watch->mounts >= 0;
}

static bool watch_one(const struct folder_watch *watch, const char *path, uint32_t events)
{
	struct statfs fs;

	return inotify_add_watch(watch->events, path, events) >= 0 && statfs(path, &fs) == 0 &&
	       folder_watch_knows(&fs);
}

bool folder_watch_may_add(const struct folder_watch *watch)
{
	return seconds_now() >= watch->again_at;
}

bool folder_watch_add(struct folder_watch *watch, const char *path)
{
	size_t size = strlen(path);
	char above[PATH_BYTES];

	if (path[0] != '/' || size >= sizeof(above))
		return false;
	if (watch->count == WATCHES) {
		end_epoch(watch, PAUSE_SECONDS);
		return false;
	}
	if (watch->events < 0 && !open_all(watch)) {
		end_epoch(watch, REFUSED_SECONDS);
		return false;
	}
	/* From above: what is led elsewhere meanwhile was watched when it was. */
	for (size_t end = 0; end < size; end++) {
		if (path[end] != '/')
			continue;
		memcpy(above, path, end + 1);
		above[end + (end == 0)] = '\0';
		if (!watch_one(watch, above, EVENTS))
			return false;
	}
	if (!watch_one(watch, path, EVENTS | LAST_EVENTS))
		return false;
	watch->count++;
	return true;
}
