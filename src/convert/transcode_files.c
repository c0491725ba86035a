/* transcode_files.c -- see transcode_files.h. */
#include "convert/transcode_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "sandbox/tool.h"

#define COPY_BYTES ((size_t)1 << 20)
#define DEPTH_MAX 8u
#define ENTRIES_MAX 100000u

/* --- The folder ---------------------------------------------------------------------------------- */

static int open_folder(int parent, const char *path)
{
	return openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Those of processes that were killed with all they had. */
static void sweep(int parent, const char *folder)
{
	int copy = open_folder(parent, ".");
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		char path[TRANSCODE_PATH_BYTES];
		int fd = entry->d_name[0] == '.' ? -1 : open_folder(parent, entry->d_name);

		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < sizeof(path))
			tool_remove_folder(path);
		close(fd);
	}
	if (entries)
		closedir(entries);
	else if (copy >= 0)
		close(copy);
}

static int fill(struct transcode_scratch *scratch, const char *folder, struct err *err)
{
	static const char *const inner[] = { "pdb", "out", "tmp" };

	if ((size_t)snprintf(scratch->path, sizeof(scratch->path), "%s/XXXXXX", folder) >=
	    sizeof(scratch->path) || !mkdtemp(scratch->path))
		return err_os(err, errno, "making a folder in %s", folder);
	scratch->fd = open_folder(AT_FDCWD, scratch->path);
	if (scratch->fd < 0 || flock(scratch->fd, LOCK_EX) < 0)
		return err_os(err, errno, "opening %s", scratch->path);
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		if (mkdirat(scratch->fd, inner[i], 0700) < 0)
			return err_os(err, errno, "making %s/%s", scratch->path, inner[i]);
	return 0;
}

int transcode_scratch_make(struct transcode_scratch *scratch, const char *folder, struct err *err)
{
	int parent, rc = -1;

	scratch->path[0] = '\0';
	scratch->fd = -1;
	if (file_make_folders(folder, 0700, err) < 0)
		return -1;
	parent = open_folder(AT_FDCWD, folder);
	if (parent < 0)
		return err_os(err, errno, "opening %s", folder);
	/* One at a time: nobody removes what is not held yet. */
	if (flock(parent, LOCK_EX) < 0) {
		err_os(err, errno, "locking %s", folder);
	} else {
		sweep(parent, folder);
		rc = fill(scratch, folder, err);
	}
	close(parent);
	if (rc < 0)
		transcode_scratch_remove(scratch);
	return rc;
}

void transcode_scratch_remove(struct transcode_scratch *scratch)
{
	if (scratch->path[0] && scratch->fd >= 0)
		tool_remove_folder(scratch->path);
	if (scratch->fd >= 0)
		close(scratch->fd);
	scratch->fd = -1;
	scratch->path[0] = '\0';
}

/* --- Copies -------------------------------------------------------------------------------------- */

static int copy_all(int from, int to, struct err *err)
{
	char *chunk = mem_get(COPY_BYTES);
	off_t at = 0;
	int rc = 0;

	if (!chunk)
		return err_set(err, ERR_NO_MEMORY, "no memory to copy a file");
	while (rc == 0) {
		ssize_t got = pread(from, chunk, COPY_BYTES, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = err_os(err, errno, "reading a file");
		if (got <= 0)
			break;
		rc = file_write_all(to, chunk, (size_t)got, err);
		at += got;
	}
	mem_give_back(chunk);
	return rc;
}

int transcode_copy(int from, const char *path, int to, struct err *err)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : to;
	int rc;

	if (fd < 0)
		return err_os(err, errno, "making %s", path);
	rc = copy_all(from, fd, err);
	if (path)
		close(fd);
	return rc;
}

/* --- What was written ---------------------------------------------------------------------------- */

struct search {
	struct text ending;          /* "-v3.1.0.symcache" */
	unsigned entries;
	int fd;                      /* of what was found */
	char other[256];             /* a SymCache file of another version */
};

static bool ends_with(struct text name, struct text ending)
{
	return name.size > ending.size &&
	       text_equal_ignoring_case(text_from(name, name.size - ending.size), ending);
}

static void look_at(struct search *search, int folder, const char *name)
{
	if (ends_with(text_of(name), search->ending)) {
		struct stat st;
		int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && search->fd < 0)
			search->fd = fd;
		else if (fd >= 0)
			close(fd);
	} else if (ends_with(text_of(name), TEXT(".symcache"))) {
		snprintf(search->other, sizeof(search->other), "%s", name);
	}
}

static void search_folder(struct search *search, int folder, unsigned depth)
{
	DIR *entries = folder < 0 ? NULL : fdopendir(folder);
	const struct dirent *entry;

	if (!entries) {
		if (folder >= 0)
			close(folder);
		return;
	}
	while ((entry = readdir(entries)) && search->entries++ < ENTRIES_MAX) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		look_at(search, dirfd(entries), entry->d_name);
		if (depth < DEPTH_MAX)
			search_folder(search, open_folder(dirfd(entries), entry->d_name), depth + 1);
	}
	closedir(entries);
}

int transcode_find(const char *folder, const char *version, int *fd, struct err *err)
{
	char ending[64];
	struct search search = { .fd = -1 };
	struct stat st;

	snprintf(ending, sizeof(ending), "-v%s.symcache", version);
	search.ending = text_of(ending);
	search_folder(&search, open_folder(AT_FDCWD, folder), 0);
	*fd = search.fd;
	if (search.fd < 0)
		return err_set(err, ERR_CRASHED, search.other[0] ? "it wrote %.200s, but no file ...%s" :
			       "it wrote%s no file ...%s", search.other, ending);
	if (fstat(search.fd, &st) == 0 && st.st_size > 0)
		return 0;
	close(search.fd);
	*fd = -1;
	return err_set(err, ERR_CRASHED, "it wrote an empty file");
}
