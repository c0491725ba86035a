/* listen.c -- the unix socket the web server connects to. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "supervisor/listen.h"
#include "supervisor/supervisor.h"

#define BACKLOG 65535            /* the kernel's ceiling counts: net.core.somaxconn */
#define ACCEPT_MILLIS 250        /* the longest anybody sits in accept() for nothing */

static int somebody_listens(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int connected = fd >= 0 &&
		connect(fd, (const struct sockaddr *)(const void *)address, sizeof(*address)) == 0;

	if (fd >= 0)
		close(fd);
	return connected;
}

int listen_prepare(int fd, struct err *err)
{
	struct timeval limit = { .tv_usec = ACCEPT_MILLIS * 1000 };
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_NONBLOCK && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return err_os(err, errno, "preparing the listening socket");
	return 0;
}

int supervisor_listen(const char *path, bool shared_group, int *out, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t before;
	int fd, rc;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, ERR_IO, "the socket path %s is longer than %zu bytes", path,
			       sizeof(address.sun_path) - 1);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (somebody_listens(&address))
		return err_set(err, ERR_BUSY, "%s is in use: another symgate listens there", path);
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_os(err, errno, "making a socket");
	before = umask(shared_group ? 0117 : 0177);
	rc = bind(fd, (const struct sockaddr *)(const void *)&address, sizeof(address));
	umask(before);
	if (rc < 0 || listen(fd, BACKLOG) < 0) {
		err_os(err, errno, "listening on %s", path);
		close(fd);
		return -1;
	}
	*out = fd;
	return 0;
}
