/*
 * sort_walk.c -- the files of folders, and with inotify those that come to them.
 *
 * Symbolic links are followed where they are named, not where they are found.  What is sorted is not
 * sorted again: OUT is left out when it lies in a folder that is walked.
 */
#include "cli/sort.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#define DEPTH_MAX   64u
#define EVENT_BYTES 65536u
#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK)

struct sort_watched { int id; char *path; };

struct sort_walker {
	struct sort *sort;
	dev_t out_dev;
	ino_t out_ino;
	int notify;                  /* -1: nothing is watched */
	struct sort_watched *watched;
	size_t watched_count, watched_capacity;
};

static volatile sig_atomic_t is_ending;

static void end(int signal)
{
	(void)signal;
	is_ending = 1;
}

/* --- Folders that are watched ---------------------------------------------------------------------- */

static int watch_folder(struct sort_walker *walk, const char *path, struct err *err)
{
	int id = walk->notify < 0 ? -1 : inotify_add_watch(walk->notify, path, EVENTS);
	size_t size = strlen(path) + 1;
	char *copy;

	if (walk->notify < 0)
		return 0;
	if (id < 0)
		return errno == ENOENT ? 0 : err_os(err, errno, "watching %s", path);
	for (size_t i = 0; i < walk->watched_count; i++)
		if (walk->watched[i].id == id)
			return 0;
	copy = mem_get(size);
	if (!copy || vec_reserve(&walk->watched, &walk->watched_capacity, walk->watched_count + 1,
				 sizeof(*walk->watched)) < 0) {
		mem_give_back(copy);
		return err_set(err, ERR_NO_MEMORY, "no memory to watch %s", path);
	}
	memcpy(copy, path, size);
	walk->watched[walk->watched_count++] = (struct sort_watched){ id, copy };
	return 0;
}

static const char *path_of_watch(const struct sort_walker *walk, int id)
{
	for (size_t i = 0; i < walk->watched_count; i++)
		if (walk->watched[i].id == id)
			return walk->watched[i].path;
	return NULL;
}

/* --- Walking --------------------------------------------------------------------------------------- */

static int visit(struct sort_walker *walk, const char *path, bool is_named, unsigned depth, struct err *err);

static int by_name(const struct dirent **left, const struct dirent **right)
{
	return strcmp((*left)->d_name, (*right)->d_name);
}

static int visit_entry(struct sort_walker *walk, const char *folder, const char *name, unsigned depth, struct err *err)
{
	char path[PATH_MAX];

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return 0;                    /* no file can be named so */
	return visit(walk, path, false, depth, err);
}

static int visit_folder(struct sort_walker *walk, const char *path, unsigned depth, struct err *err)
{
	struct dirent **entries;
	int rc = watch_folder(walk, path, err), count;

	if (rc < 0 || depth == DEPTH_MAX)
		return rc;
	count = scandir(path, &entries, NULL, by_name);
	if (count < 0)
		return errno == ENOENT ? 0 : err_os(err, errno, "%s", path);
	for (int i = 0; i < count; i++) {
		if (rc == 0 && !is_ending)
			rc = visit_entry(walk, path, entries[i]->d_name, depth + 1, err);
		(free)(entries[i]);
	}
	(free)(entries);
	return rc;
}

static int visit(struct sort_walker *walk, const char *path, bool is_named, unsigned depth, struct err *err)
{
	struct stat st;

	if ((is_named ? stat(path, &st) : lstat(path, &st)) < 0)
		return is_named ? err_os(err, errno, "%s", path) : 0;
	if (S_ISDIR(st.st_mode))
		return st.st_dev == walk->out_dev && st.st_ino == walk->out_ino
		       ? 0 : visit_folder(walk, path, depth, err);
	return S_ISREG(st.st_mode) ? sort_file(walk->sort, path, err) : 0;
}

static int begin(struct sort_walker *walk, struct sort *sort, struct err *err)
{
	struct stat st;

	*walk = (struct sort_walker){ .sort = sort, .notify = -1 };
	if (stat(sort->options.out, &st) < 0)
		return err_os(err, errno, "%s", sort->options.out);
	walk->out_dev = st.st_dev;
	walk->out_ino = st.st_ino;
	return 0;
}

static int visit_all(struct sort_walker *walk, int count, char **paths, struct err *err)
{
	int rc = 0;

	for (int i = 0; i < count && rc == 0 && !is_ending; i++)
		rc = visit(walk, paths[i], true, 0, err);
	return rc;
}

int sort_walk(struct sort *sort, int count, char **paths, struct err *err)
{
	struct sort_walker walk;

	return begin(&walk, sort, err) < 0 ? -1 : visit_all(&walk, count, paths, err);
}

/* --- Watching -------------------------------------------------------------------------------------- */

/* A file counts when who wrote it is done; a folder at once, with what is in it already. */
static int take_event(struct sort_walker *walk, const struct inotify_event *event, struct err *err)
{
	const char *folder = path_of_watch(walk, event->wd);
	bool is_folder = event->mask & IN_ISDIR;

	if (!folder || event->len == 0 || (!is_folder && !(event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO))))
		return 0;
	return visit_entry(walk, folder, event->name, 1, err);
}

/* 1: more happened than the kernel keeps. */
static int take_events(struct sort_walker *walk, struct err *err)
{
	_Alignas(struct inotify_event) char bytes[EVENT_BYTES];
	ssize_t got = read(walk->notify, bytes, sizeof(bytes));
	int rc = 0;

	if (got < 0)
		return errno == EINTR ? 0 : err_os(err, errno, "watching folders");
	for (size_t at = 0; at + sizeof(struct inotify_event) <= (size_t)got && rc == 0;) {
		const struct inotify_event *event = (const void *)(bytes + at);

		rc = event->mask & IN_Q_OVERFLOW ? 1 : take_event(walk, event, err);
		at += sizeof(*event) + event->len;
	}
	return rc;
}

static int watch(struct sort_walker *walk, int count, char **paths, struct err *err)
{
	int rc = visit_all(walk, count, paths, err);

	while (rc == 0 && !is_ending) {
		rc = sort_end(walk->sort, err);
		fflush(stdout);
		if (rc == 0 && !is_ending)
			rc = take_events(walk, err);
		if (rc > 0)
			rc = visit_all(walk, count, paths, err);
	}
	return rc;
}

int sort_watch(struct sort *sort, int count, char **paths, struct err *err)
{
	const struct sigaction action = { .sa_handler = end };
	struct sort_walker walk;
	int rc = begin(&walk, sort, err);

	if (rc < 0)
		return -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	walk.notify = inotify_init1(IN_CLOEXEC);
	rc = walk.notify < 0 ? err_os(err, errno, "watching folders") : watch(&walk, count, paths, err);
	for (size_t i = 0; i < walk.watched_count; i++)
		mem_give_back(walk.watched[i].path);
	mem_give_back(walk.watched);
	if (walk.notify >= 0)
		close(walk.notify);
	return rc;
}
