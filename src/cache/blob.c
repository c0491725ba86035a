/* blob.c -- where blobs lie: <kind>/v<version>/<2 hex>/<62 hex> below cache_dir. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/debugid.h"
#include "base/err.h"
#include "board/board.h"
#include "cache/cache_internal.h"

int cache_blob_path(const struct cache *cache, enum cache_kind kind, int64_t version,
		    const uint8_t *text_hash, char *path, size_t capacity, struct err *err)
{
	char hex[2 * HASH_SHA256_BYTES + 1];
	int size;

	hex_format(text_hash, HASH_SHA256_BYTES, hex);
	size = snprintf(path, capacity, "%s/%s/v%lld/%.2s/%s", cache->folder, cache_kind_name(kind),
			(long long)version, hex, hex + 2);
	if (size < 0 || (size_t)size >= capacity)
		return err_set(err, ERR_IO, "cache_dir is too long: %s", cache->folder);
	return 0;
}

int cache_blob_open(const struct cache *cache, const struct cache_key *key,
		    const struct cache_entry *entry, int *fd, struct stat *st, struct err *err)
{
	char path[CACHE_PATH_BYTES];

	*fd = -1;
	if (cache_blob_path(cache, key->kind, entry->version, key->text_hash, path,
			    sizeof(path), err) < 0)
		return -1;
	/* Somebody may have left anything in its place: no link is followed, no pipe waited for. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0) {
		if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR || errno == ENXIO)
			return 0;
		return err_os(err, errno, "opening the blob %s", path);
	}
	if (fstat(*fd, st) == 0 && S_ISREG(st->st_mode) && (uint64_t)st->st_size == entry->size_bytes)
		return 1;
	close(*fd);
	*fd = -1;
	return 0;
}

int cache_temporary(struct cache *cache, char *path, size_t capacity, int *fd, struct err *err)
{
	char folder[CACHE_PATH_BYTES];
	int size = snprintf(folder, sizeof(folder), "%s/tmp", cache->folder);

	*fd = -1;
	if (size < 0 || (size_t)size >= sizeof(folder))
		return err_set(err, ERR_IO, "cache_dir is too long: %s", cache->folder);
	if (file_temporary(folder, path, capacity, fd, err) == 0)
		return 0;
	/* Somebody may have removed the folder. */
	if (!err_is_absent(err) || file_make_folders(folder, 0700, err) < 0 ||
	    file_temporary(folder, path, capacity, fd, err) < 0) {
		board_trouble_set(cache->board, cache->now(), err->text);
		return -1;
	}
	err_clear(err);
	return 0;
}
