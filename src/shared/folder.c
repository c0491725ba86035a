/*
 * folder.c -- a folder as the shared cache.
 *
 *	PATH/<kind>/v<version>/<2 hex>/<2 hex>/<60 hex>   whole files, never written to again
 *	PATH/.tmp/                                        what is being written
 *
 * A file gets its name without replacing another: first come, first kept.  What is made here
 * has the mode of PATH itself, so that whoever shares the folder shares what is in it.
 */
#include "shared/shared_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define PIECE_BYTES   ((size_t)1 << 20)  /* of each file, copied in one step */
#define LEFT_SECONDS  3600               /* a temporary file older than that is nobody's */
#define LEFT_MAX      1000u              /* removed at once */
#define MODE_OF_FIRST 0700               /* of PATH, where we make it */

static int join(char path[PATH_MAX], const char *folder, const char *name, struct err *err)
{
	int size = snprintf(path, PATH_MAX, "%s/%s", folder, name);

	return size > 0 && size < PATH_MAX ? 0 : err_set(err, ERR_IO, "%s is too long", folder);
}

/* --- Copying -------------------------------------------------------------------------------- */

/* Where the system cannot copy from one file system to another by itself. */
static ssize_t copy_by_hand(int from, int to, off_t at, size_t size)
{
	char piece[64 * 1024];
	size_t done = 0;

	while (done < size) {
		size_t want = size - done < sizeof(piece) ? size - done : sizeof(piece);
		ssize_t got = pread(from, piece, want, at + (off_t)done);

		if (got <= 0)
			return done > 0 ? (ssize_t)done : got;
		got = pwrite(to, piece, (size_t)got, at + (off_t)done);
		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int shared_copy_step(struct shared_copy *copy, int64_t now_millis, struct err *err)
{
	uint64_t left = copy->bytes - copy->at;
	size_t size = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
	off_t in = (off_t)copy->at, out = in;
	ssize_t done;

	if (left == 0)
		return 1;
	if (now_millis >= copy->deadline_millis)
		return err_set(err, ERR_TIMEOUT, "copying took longer than %d s",
			       SHARED_TOTAL_MILLIS / 1000);
	done = copy_file_range(copy->from, &in, copy->to, &out, size, 0);
	if (done < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
			 errno == EOPNOTSUPP || errno == EBADF))
		done = copy_by_hand(copy->from, copy->to, (off_t)copy->at, size);
	if (done < 0)
		return errno == EINTR ? 0 : err_os(err, errno, "copying");
	if (done == 0)
		return err_set(err, ERR_IO, "the file was cut short");
	copy->at += (uint64_t)done;
	return copy->at == copy->bytes;
}

/* --- Entries -------------------------------------------------------------------------------- */

int folder_open_entry(const char *folder, const char *name, int *fd, uint64_t *bytes,
		      struct err *err)
{
	char path[PATH_MAX];
	struct stat st;

	*fd = -1;
	if (join(path, folder, name, err) < 0)
		return -1;
	/* Anything may lie in its place: no link is followed, no pipe waited for. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == ENOENT ? err_set(err, ERR_NOT_FOUND, "there is no %s", path)
				       : err_os(err, errno, "opening %s", path);
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*bytes = (uint64_t)st.st_size;
		return 0;
	}
	close(*fd);
	*fd = -1;
	return err_set(err, ERR_IO, "%s is no plain file", path);
}

bool folder_has_entry(const char *folder, const char *name)
{
	struct err err = ERR_INIT;
	char path[PATH_MAX];

	return join(path, folder, name, &err) == 0 && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static unsigned mode_of(const char *folder)
{
	struct stat st;

	return stat(folder, &st) == 0 ? st.st_mode & 07777 : MODE_OF_FIRST;
}

int folder_temporary(const char *folder, char path[PATH_MAX], int *fd, struct err *err)
{
	char inner[PATH_MAX];

	*fd = -1;
	if (join(inner, folder, ".tmp", err) < 0)
		return -1;
	if (file_temporary(inner, path, PATH_MAX, fd, err) == 0)
		return 0;
	if (!err_is_absent(err))
		return -1;
	err_clear(err);
	if (file_make_folders(inner, mode_of(folder), err) < 0)
		return -1;
	return file_temporary(inner, path, PATH_MAX, fd, err);
}

/* 0, or -1 with errno. */
static int give_name(const char *temporary, const char *path)
{
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* Network file systems do not know RENAME_NOREPLACE; link() does not replace either. */
	if (link(temporary, path) == 0)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK)
		return -1;
	if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(temporary, path);
}

static int make_parent(const char *folder, const char *path, struct err *err)
{
	char parent[PATH_MAX];
	size_t size = (size_t)(strrchr(path, '/') - path);

	memcpy(parent, path, size);
	parent[size] = '\0';
	return file_make_folders(parent, mode_of(folder), err);
}

static int publish(const char *folder, int fd, const char *temporary, const char *path,
		   struct err *err)
{
	/* A name that outlives a power cut must not lead to half a file. */
	if (fdatasync(fd) < 0 || fchmod(fd, 0400 | (mode_of(folder) & 0044)) < 0)
		return err_os(err, errno, "writing %s", temporary);
	if (give_name(temporary, path) == 0)
		return 0;
	if (errno == ENOENT) {
		if (make_parent(folder, path, err) < 0)
			return -1;
		if (give_name(temporary, path) == 0)
			return 0;
	}
	if (errno == EEXIST)
		return err_set(err, ERR_BUSY, "it is there already");
	return err_os(err, errno, "publishing %s", path);
}

int folder_publish(const char *folder, int fd, const char *temporary, const char *name,
		   struct err *err)
{
	char path[PATH_MAX];
	int rc = join(path, folder, name, err);

	if (rc == 0)
		rc = publish(folder, fd, temporary, path, err);
	unlink(temporary);
	return rc;
}

void folder_clean(const char *folder)
{
	int64_t now = clock_unix_seconds();
	struct err err = ERR_INIT;
	char inner[PATH_MAX];
	struct dirent *entry;
	unsigned seen = 0;
	DIR *open;

	if (join(inner, folder, ".tmp", &err) < 0)
		return;
	open = opendir(inner);
	while (open && seen++ < LEFT_MAX && (entry = readdir(open)) != NULL) {
		struct stat st;

		if (strncmp(entry->d_name, "tmp-", 4) == 0 &&
		    fstatat(dirfd(open), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && now - st.st_mtime > LEFT_SECONDS)
			unlinkat(dirfd(open), entry->d_name, 0);
	}
	if (open)
		closedir(open);
}
