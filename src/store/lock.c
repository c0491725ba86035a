/* lock.c -- see lock.h. */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"

static int set_lock(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0 };
	int rc;

	do
		rc = fcntl(fd, F_OFD_SETLK, &lock);
	while (rc < 0 && errno == EINTR);
	return rc;
}

int store_lock_try(const char *path, bool exclusive, int *fd, struct err *err)
{
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0)
		return err_os(err, errno, "opening the lock %s", path);
	if (set_lock(*fd, exclusive ? F_WRLCK : F_RDLCK) == 0)
		return 1;
	if (errno == EAGAIN || errno == EACCES) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	err_os(err, errno, "locking %s", path);
	close(*fd);
	*fd = -1;
	return -1;
}

int store_lock_share(int fd, struct err *err)
{
	return set_lock(fd, F_RDLCK) == 0 ? 0 : err_os(err, errno, "sharing a lock");
}
