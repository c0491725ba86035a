/* absence.c -- see absence.h. */
#include "source/absence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "source/folder_watch.h"
#include "source/source.h"

#define NAMES         2048u
#define FOLDERS       256u
#define WAYS          4u         /* places any one of them may have, so that few drive each other out */
#define PATH_BYTES    256u       /* longer ones are looked at each time */
#define SETTLED_SECONDS 3        /* FAT's clock, the coarsest, ticks every two */

struct stamp {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

struct name {
	char path[PATH_BYTES];
	size_t size;             /* 0: none */
	size_t folder_size;      /* its beginning that names a folder; 0: of no use before learn_at */
	time_t learn_at;         /* CLOCK_MONOTONIC */
	uint64_t used;           /* in which request, the last time */
	struct stamp stamp;
};

struct folder {
	char path[PATH_BYTES];
	size_t size;
	uint64_t used;           /* in which request, the last time */
	uint64_t request;        /* that looked */
	uint64_t epoch, refused; /* of watches: in which it is watched, or cannot be */
	bool is_there;
	struct stamp stamp;
};

struct source_absences {
	uint64_t request;
	struct folder_watch watch;
	struct name names[NAMES / WAYS][WAYS];
	struct folder folders[FOLDERS / WAYS][WAYS];
};

struct source_absences *source_absences_new(void)
{
	struct source_absences *absences = mem_get(sizeof(*absences));

	if (absences)
		folder_watch_init(&absences->watch);
	return absences;
}

void source_absences_free(struct source_absences *absences)
{
	if (absences)
		folder_watch_release(&absences->watch);
	mem_give_back(absences);
}

void source_absences_begin_request(struct source_absences *absences)
{
	absences->request++;
	folder_watch_look(&absences->watch);
}

static struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){ st->st_dev, st->st_ino, st->st_ctim };
}

static bool is_same(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool is_absent(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG);
}

static time_t seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec;
}

/* --- Learning ---------------------------------------------------------------------------- */

/* Folders in files of other machines or made up by programs keep times as they like. */
static bool keeps_times(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && folder_watch_knows(&fs);
}

static bool is_settled(const struct stat *st)
{
	return st->st_ctim.tv_sec <= seconds_of(CLOCK_REALTIME) - SETTLED_SECONDS;
}

enum found_absence { NO_FOLDER, PROVED, NOT_PROVED };

/* Is the component behind `name->path[0, size)` absent from that folder?  All is asked of the one
 * folder that is held open, whatever its path leads to by now. */
static enum found_absence look_in(struct name *name, size_t size)
{
	char folder[PATH_BYTES], next[PATH_BYTES];
	size_t next_size = strcspn(name->path + size + 1, "/");
	enum found_absence found = NOT_PROVED;
	struct stat st, entry;
	int fd;

	memcpy(folder, name->path, size);
	folder[size] = '\0';
	memcpy(next, name->path + size + 1, next_size);
	next[next_size] = '\0';
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? NO_FOLDER : NOT_PROVED;
	if (next_size > 0 && fstat(fd, &st) == 0 && is_settled(&st) && keeps_times(fd) &&
	    fstatat(fd, next, &entry, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
		name->folder_size = size;
		name->stamp = stamp_of(&st);
		found = PROVED;
	}
	close(fd);
	return found;
}

/* True: the name is absent, and why is known.  It takes several calls, so it is not done for a
 * name that was never asked for before, nor again and again for a folder in use. */
static bool learn(struct name *name, const char *path, size_t size, size_t root_size)
{
	time_t now = seconds_of(CLOCK_MONOTONIC);
	enum found_absence found = NO_FOLDER;

	if (name->size != size || memcmp(name->path, path, size) != 0) {
		memcpy(name->path, path, size + 1);
		name->size = size;
		name->folder_size = 0;
		name->learn_at = now;
		return false;
	}
	if (name->folder_size == 0 && now < name->learn_at)
		return false;
	name->folder_size = 0;
	for (size_t end = size; found == NO_FOLDER && end > root_size;) {
		do
			end--;
		while (end > root_size && path[end] != '/');
		if (path[end] == '/')
			found = look_in(name, end);
	}
	name->learn_at = now + SETTLED_SECONDS;
	return found == PROVED;
}

/* --- Asking ------------------------------------------------------------------------------ */

static void look_at_folder(struct folder *folder)
{
	struct stat st;

	folder->is_there = stat(folder->path, &st) == 0;
	if (folder->is_there)
		folder->stamp = stamp_of(&st);
}

/* Before it is looked at. */
static void watch_folder(struct folder_watch *watch, struct folder *folder)
{
	folder->epoch = 0;
	if (folder->refused == watch->epoch || !folder_watch_may_add(watch))
		return;
	if (folder_watch_add(watch, folder->path))
		folder->epoch = watch->epoch;
	else
		folder->refused = watch->epoch;
}

/* That one, or the one that was looked at longest ago. */
static struct folder *folder_of(struct source_absences *absences, const char *path, size_t size)
{
	struct folder *ways = absences->folders[hash_fast(path, size) % (FOLDERS / WAYS)];
	struct folder *oldest = ways;

	for (unsigned i = 0; i < WAYS; i++) {
		if (ways[i].size == size && memcmp(ways[i].path, path, size) == 0)
			return &ways[i];
		if (ways[i].used < oldest->used)
			oldest = &ways[i];
	}
	return oldest;
}

/* Once a request, unless it is watched; NULL: it is no more there. */
static const struct stamp *stamp_now(struct source_absences *absences, const char *path, size_t size)
{
	struct folder *folder = folder_of(absences, path, size);
	bool is_known = folder->size == size && memcmp(folder->path, path, size) == 0;
	struct folder_watch *watch = &absences->watch;

	folder->used = absences->request;
	if (is_known && (folder->request == absences->request || folder->epoch == watch->epoch))
		return folder->is_there ? &folder->stamp : NULL;
	if (is_known) {
		watch_folder(watch, folder);
	} else {                     /* not for the sake of one request */
		memcpy(folder->path, path, size);
		folder->path[size] = '\0';
		folder->size = size;
		folder->epoch = folder->refused = 0;
	}
	folder->request = absences->request;
	look_at_folder(folder);
	return folder->is_there ? &folder->stamp : NULL;
}

static bool is_proved(struct source_absences *absences, const struct name *name, const char *path,
		      size_t size)
{
	const struct stamp *stamp;

	if (name->size != size || name->folder_size == 0 || memcmp(name->path, path, size) != 0)
		return false;
	stamp = stamp_now(absences, path, name->folder_size);
	return stamp && is_same(stamp, &name->stamp);
}

/* That one, or the one that was asked for longest ago. */
static struct name *name_of(struct source_absences *absences, const char *path, size_t size)
{
	struct name *ways = absences->names[hash_fast(path, size) % (NAMES / WAYS)];
	struct name *oldest = ways;

	for (unsigned i = 0; i < WAYS; i++) {
		if (ways[i].size == size && memcmp(ways[i].path, path, size) == 0)
			return &ways[i];
		if (ways[i].used < oldest->used)
			oldest = &ways[i];
	}
	return oldest;
}

bool absence_is_sure(struct source_absences *absences, const char *path, size_t size, size_t root_size)
{
	struct name *name;

	if (!absences || size >= PATH_BYTES || root_size == 0)
		return is_absent(path);
	name = name_of(absences, path, size);
	name->used = absences->request;
	return is_proved(absences, name, path, size) || learn(name, path, size, root_size) ||
	       is_absent(path);
}
