/*
 * file_beneath.c -- opening files whose names others chose (see file.h).
 *
 * Two ways to the same answer: openat2(2), and for kernels or sandboxes without it a
 * walk that opens one component at a time and refuses symbolic links itself.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#endif

#include "base/err.h"

/* A pipe or a device among the files must neither block us nor be ours to open. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define RACE_TRIES 8u

/* Neither absolute nor with a ".." among its components. */
static bool stays_beneath(const char *relative)
{
	const char *at = relative;

	if (*at == '/' || *at == '\0')
		return false;
	while (at) {
		if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0'))
			return false;
		at = strchr(at, '/');
		if (at)
			at++;
	}
	return true;
}

/* -1 with ENOSYS where there is no such call. */
static int open_resolved(int folder, const char *relative, int follow)
{
#if defined(SYS_openat2) && defined(HAVE_LINUX_OPENAT2_H)
	struct open_how how = { .flags = OPEN_FLAGS };
	long fd = -1;

	how.resolve = follow ? RESOLVE_NO_MAGICLINKS
			     : RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
	for (unsigned i = 0; i < RACE_TRIES; i++) {
		fd = syscall(SYS_openat2, folder, relative, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return (int)fd;
#else
	(void)folder, (void)relative, (void)follow;
	errno = ENOSYS;
	return -1;
#endif
}

/* A component of the way, opened by name only; a symbolic link is ELOOP. */
static int enter(int folder, const char *name)
{
	struct stat stat;
	int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &stat) == 0 && S_ISLNK(stat.st_mode)) {
		close(fd);
		errno = ELOOP;
		return -1;
	}
	return fd;
}

static int open_by_walking(int folder, const char *relative)
{
	char path[PATH_MAX];
	char *name = path, *slash;
	int at = folder;
	int fd, saved;

	if (strlen(relative) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path, relative, strlen(relative) + 1);
	while ((slash = strchr(name, '/')) != NULL) {
		*slash = '\0';
		fd = enter(at, *name ? name : ".");
		saved = errno;
		if (at != folder)
			close(at);
		errno = saved;
		if (fd < 0)
			return -1;
		at = fd;
		name = slash + 1;
	}
	fd = openat(at, *name ? name : ".", OPEN_FLAGS | O_NOFOLLOW);
	saved = errno;
	if (at != folder)
		close(at);
	errno = saved;
	return fd;
}

static int refuse(int os_errno, const char *relative, struct err *err)
{
	err_os(err, os_errno, "opening %s", relative);
	switch (os_errno) {
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
		err->kind = ERR_NOT_FOUND;
		break;
	case EACCES:
	case EPERM:
	case ELOOP:             /* a symbolic link */
	case EXDEV:             /* it leads out */
	case ENXIO:             /* a socket, or a pipe nobody writes */
		err->kind = ERR_DENIED;
		break;
	default:
		err->kind = ERR_IO;
	}
	return -1;
}

int file_open_beneath(int folder, const char *relative, int follow, int *fd, struct err *err)
{
	struct stat stat;

	*fd = -1;
	if (!stays_beneath(relative))
		return err_set(err, ERR_DENIED, "the path %s leads out of its folder", relative);
	*fd = open_resolved(folder, relative, follow);
	/* Some sandboxes answer EPERM to calls they do not know. */
	if (*fd < 0 && (errno == ENOSYS || errno == EPERM))
		*fd = follow ? openat(folder, relative, OPEN_FLAGS)
			     : open_by_walking(folder, relative);
	if (*fd < 0)
		return refuse(errno, relative, err);
	if (fstat(*fd, &stat) < 0 || (!S_ISREG(stat.st_mode) && !S_ISDIR(stat.st_mode))) {
		close(*fd);
		*fd = -1;
		return err_set(err, ERR_DENIED, "%s is neither a file nor a folder", relative);
	}
	return 0;
}
