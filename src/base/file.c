/* file.c -- see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/hash.h"

#define READ_CHUNK_BYTES ((size_t)64 * 1024)
#define TEMPORARY_TRIES  10u
#define PUBLISH_TRIES    3u
#define RANDOM_NAME_BYTES 8u

int file_map_fd(struct file_map *map, int fd, struct err *err)
{
	struct stat stat;
	void *bytes;

	*map = (struct file_map){ NULL, 0 };
	if (fstat(fd, &stat) < 0)
		return err_os(err, errno, "fstat");
	if (!S_ISREG(stat.st_mode))
		return err_set(err, ERR_IO, "not a regular file");
	if (stat.st_size == 0)
		return 0;
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return err_os(err, errno, "mapping %lld bytes", (long long)stat.st_size);
	map->bytes = bytes;
	map->size = (size_t)stat.st_size;
	return 0;
}

static int open_to_read(const char *path, struct err *err)
{
	/* A pipe somebody left where a file belongs must not hold us up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd >= 0 ? fd : err_os(err, errno, "opening %s", path);
}

int file_map_path(struct file_map *map, const char *path, struct err *err)
{
	int fd = open_to_read(path, err);
	int result;

	*map = (struct file_map){ NULL, 0 };
	if (fd < 0)
		return -1;
	result = file_map_fd(map, fd, err);
	close(fd);
	return result < 0 ? err_while(err, "%s", path) : 0;
}

void file_unmap(struct file_map *map)
{
	if (map->bytes)
		munmap((void *)(uintptr_t)map->bytes, map->size);
	*map = (struct file_map){ NULL, 0 };
}

/* Is there another byte?  0 or 1, or -1 with errno. */
static int has_more(int fd)
{
	char probe;
	ssize_t got;

	do
		got = read(fd, &probe, 1);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -1 : got > 0;
}

static int read_descriptor(int fd, size_t max, struct buf *out, struct err *err)
{
	size_t left = max;
	int more;

	while (left) {
		size_t want = left < READ_CHUNK_BYTES ? left : READ_CHUNK_BYTES;
		char *at = buf_reserve(out, want);
		ssize_t got;

		if (!at)
			return buf_check(out, err);
		got = read(fd, at, want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_os(err, errno, "reading");
		if (got == 0)
			return 0;
		out->size += (size_t)got;
		out->bytes[out->size] = '\0';
		left -= (size_t)got;
	}
	more = has_more(fd);
	if (more < 0)
		return err_os(err, errno, "reading");
	return more ? err_set(err, ERR_TOO_LARGE, "larger than %zu bytes", max) : 0;
}

int file_read_all(const char *path, size_t max, struct buf *out, struct err *err)
{
	int fd = open_to_read(path, err);
	int result;

	if (fd < 0)
		return -1;
	result = read_descriptor(fd, max, out, err);
	close(fd);
	return result < 0 ? err_while(err, "%s", path) : 0;
}

int file_write_all(int fd, const void *bytes, size_t size, struct err *err)
{
	const char *at = bytes;

	while (size) {
		ssize_t put = write(fd, at, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_os(err, errno, "writing");
		at += put;
		size -= (size_t)put;
	}
	return 0;
}

/* One folder with exactly that mode, whatever the umask; an existing one is left alone. */
static int make_folder(const char *path, unsigned mode)
{
	struct stat stat_now;

	if (mkdir(path, (mode_t)mode) == 0)
		return chmod(path, (mode_t)mode);
	if (errno != EEXIST)
		return -1;
	if (stat(path, &stat_now) == 0 && !S_ISDIR(stat_now.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	return 0;
}

int file_make_folders(const char *path, unsigned mode, struct err *err)
{
	char part[PATH_MAX];
	size_t size = strlen(path);

	if (size == 0 || size >= sizeof(part))
		return err_os(err, size ? ENAMETOOLONG : ENOENT, "making a folder");
	memcpy(part, path, size + 1);
	for (size_t i = 1; i < size; i++) {
		if (part[i] != '/' || part[i - 1] == '/')
			continue;
		part[i] = '\0';
		/* A folder above that is there already may be unwritable, even unreadable. */
		if (make_folder(part, mode) < 0 && errno != EACCES && errno != EROFS)
			return err_os(err, errno, "making the folder %s", part);
		part[i] = '/';
	}
	if (make_folder(path, mode) < 0)
		return err_os(err, errno, "making the folder %s", path);
	return 0;
}

int file_temporary(const char *folder, char *path_out, size_t capacity, int *fd, struct err *err)
{
	uint8_t bytes[RANDOM_NAME_BYTES];
	char name[2 * RANDOM_NAME_BYTES + 1];

	*fd = -1;
	for (unsigned i = 0; i < TEMPORARY_TRIES; i++) {
		int size;

		random_bytes(bytes, sizeof(bytes));
		hex_format(bytes, sizeof(bytes), name);
		size = snprintf(path_out, capacity, "%s/tmp-%s", folder, name);
		if (size < 0 || (size_t)size >= capacity)
			return err_os(err, ENAMETOOLONG, "a temporary file in %s", folder);
		*fd = open(path_out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (*fd >= 0) {
			/* For file_is_held().  It may fail where a file system has no locks. */
			flock(*fd, LOCK_SH | LOCK_NB);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	return err_os(err, errno, "making a temporary file in %s", folder);
}

bool file_is_held(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	bool held = true;

	if (fd < 0)
		return errno != ENOENT;
	held = flock(fd, LOCK_EX | LOCK_NB) < 0;
	close(fd);
	return held;
}

/* Whoever may read the file may walk to it. */
static unsigned folder_mode_for(unsigned mode)
{
	return 0700 | (mode & 0044) | (mode & 0044) >> 2;
}

static int make_parent(const char *path, unsigned mode, struct err *err)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t size = slash ? (size_t)(slash - path) : 0;

	if (size == 0)
		return 0;
	if (size >= sizeof(folder))
		return err_os(err, ENAMETOOLONG, "publishing %s", path);
	memcpy(folder, path, size);
	folder[size] = '\0';
	return file_make_folders(folder, folder_mode_for(mode), err);
}

int file_publish(int fd, const char *temporary, const char *path, unsigned mode, struct err *err)
{
	if (fsync(fd) < 0)
		return err_os(err, errno, "syncing %s", temporary);
	if (fchmod(fd, (mode_t)mode) < 0)
		return err_os(err, errno, "setting the mode of %s", temporary);
	for (unsigned i = 0; i < PUBLISH_TRIES; i++) {
		if (rename(temporary, path) == 0)
			return 0;
		if (errno != ENOENT)
			break;
		if (make_parent(path, mode, err) < 0)
			return -1;
		errno = ENOENT;
	}
	return err_os(err, errno, "publishing %s", path);
}

int file_fill_standard_descriptors(struct err *err)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return err_os(err, errno, "opening /dev/null");
	} while (fd <= STDERR_FILENO);
	close(fd);
	return 0;
}

static int folder_of(const char *path, char *folder, size_t capacity, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct text above = slash ? (struct text){ path, (size_t)(slash - path) } : TEXT(".");

	if (slash == path)
		above.size = 1;
	if (above.size >= capacity)
		return err_set(err, ERR_IO, "the name is too long: %s", path);
	memcpy(folder, above.bytes, above.size);
	folder[above.size] = '\0';
	return 0;
}

int file_make(const char *folder, const char *path, unsigned mode, file_fill_fn *fill, void *payload,
	      struct err *err)
{
	char beside[PATH_MAX], temporary[PATH_MAX];
	int fd, rc;

	if (!folder && folder_of(path, beside, sizeof(beside), err) < 0)
		return -1;
	if (file_temporary(folder ? folder : beside, temporary, sizeof(temporary), &fd, err) < 0)
		return -1;
	rc = fill(fd, payload, err);
	if (rc == 0)
		rc = file_publish(fd, temporary, path, mode, err);
	if (rc < 0)
		unlink(temporary);
	close(fd);
	return rc;
}

struct bytes { const void *bytes; size_t size; };

static int put_bytes(int fd, void *payload, struct err *err)
{
	const struct bytes *bytes = payload;

	return file_write_all(fd, bytes->bytes, bytes->size, err);
}

int file_put(const char *folder, const char *path, const void *bytes, size_t size, unsigned mode, struct err *err)
{
	return file_make(folder, path, mode, put_bytes, &(struct bytes){ bytes, size }, err);
}

bool file_name_of(int fd, char *name, size_t capacity)
{
	char link[48];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, name, capacity - 1);
	if (size <= 0 || name[0] != '/')
		return false;
	name[size] = '\0';
	return true;
}
