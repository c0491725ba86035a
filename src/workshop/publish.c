/* publish.c -- see publish.h. */
#include "workshop/publish.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "cache/cache.h"
#include "fetch/fetch.h"

/* At least so long that whoever waits for the file can read it, even where its server forbids to keep it; at
 * most a day, whatever its server promises. */
#define FRESH_SECONDS_MIN 60
#define FRESH_SECONDS_MAX ((int64_t)24 * 3600)

struct cache_key publish_key(const struct derive *derive, int64_t fresh_seconds,
			     const struct fetch_validators *validators)
{
	struct cache_key key = derive->key;
	int64_t now = clock_unix_seconds();
	int64_t seconds = fresh_seconds < 0 ? derive->fresh_until - now : fresh_seconds;

	if (!derive->fresh_until)
		return key;
	if (seconds < FRESH_SECONDS_MIN)
		seconds = FRESH_SECONDS_MIN;
	key.fresh_until = now + (seconds > FRESH_SECONDS_MAX ? FRESH_SECONDS_MAX : seconds);
	if (validators) {
		key.etag = text_of(validators->etag);
		key.last_modified = text_of(validators->modified);
	}
	return key;
}

static int read_whole(int fd, char *bytes, size_t size, struct err *err)
{
	size_t at = 0;

	while (at < size) {
		ssize_t got = pread(fd, bytes + at, size - at, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_os(err, got < 0 ? errno : EIO, "reading a payload");
		at += (size_t)got;
	}
	return 0;
}

static int size_of(int fd, size_t *size, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_os(err, errno, "reading the size of a payload");
	*size = (size_t)st.st_size;
	return 0;
}

int publish_row(const struct verb_means *means, const struct cache_key *key, int fd,
		size_t bytes_max, int (*check)(struct text payload, struct err *err),
		struct err *err)
{
	size_t size = 0;
	char *bytes;
	int rc;

	if (size_of(fd, &size, err) < 0)
		return -1;
	if (size > bytes_max)
		return err_set(err, ERR_LIMIT, "%zu bytes are too many for a row", size);
	bytes = mem_get(size + 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for a payload");
	rc = read_whole(fd, bytes, size, err);
	if (rc == 0 && check)
		rc = check((struct text){ bytes, size }, err);
	if (rc == 0)
		rc = cache_publish_small(means->cache, means->store, key,
					 (struct text){ bytes, size }, err);
	mem_give_back(bytes);
	return rc;
}

int publish_file(const struct verb_means *means, const struct cache_key *key,
		 struct temporary *file, size_t row_bytes_max, struct err *err)
{
	size_t size = 0;

	if (row_bytes_max && size_of(file->fd, &size, err) < 0)
		return -1;
	if (row_bytes_max && size <= row_bytes_max)
		return publish_row(means, key, file->fd, row_bytes_max, NULL, err);
	if (cache_publish_file(means->cache, means->store, key, file->fd, file->path, err) < 0)
		return -1;
	file->path[0] = '\0';                /* it has its place now */
	return 0;
}
