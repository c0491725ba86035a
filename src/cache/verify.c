/*
 * verify.c -- is a blob what was published?
 *
 * 1. When a process first maps a blob, the bytes are compared with the row's checksum, between
 *    two looks at the file (its stamp: device, inode, size, both times).
 * 2. After each use the file is looked at again.  The stamp of 1 is the look before: as long as
 *    it stands, nobody has cut, extended or written the file since its bytes were compared.
 * 3. Kernels keep times to a tick.  A file that was changed within a tick or so of the look may
 *    be changed again without a trace, so until it is older than that the bytes are compared
 *    after each use.
 *
 * What is not noticed: bytes written through a mapping that was writable, and its page dirty,
 * before the bytes were compared (the kernel sets no time then), and a medium that rots after
 * that.  Nothing of ours maps blobs for writing.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/guard.h"
#include "cache/cache_internal.h"

#define NANOS_PER_SECOND INT64_C(1000000000)
#define FRESH_NANOS      (NANOS_PER_SECOND / 10)    /* a tick is 10 ms at most */
#define FRESH_NANOS_FAT  (2 * NANOS_PER_SECOND)   /* file systems that know whole seconds */
#define FDS_SHARE        4u                         /* of what a process may open */

/* --- Stamps ------------------------------------------------------------------------------- */

static bool is_same_time(struct timespec one, struct timespec other)
{
	return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

bool cache_is_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
	       one->st_size == other->st_size && is_same_time(one->st_mtim, other->st_mtim) &&
	       is_same_time(one->st_ctim, other->st_ctim);
}

/* Could a change after this look leave the same stamp? */
static bool is_fresh(const struct stat *st)
{
	bool knows_nanos = st->st_ctim.tv_nsec != 0 || st->st_mtim.tv_nsec != 0;
	int64_t most = knows_nanos ? FRESH_NANOS : FRESH_NANOS_FAT;
	struct timespec now;
	int64_t age;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		return true;
	if (__builtin_sub_overflow((int64_t)now.tv_sec, (int64_t)st->st_ctim.tv_sec, &age) ||
	    __builtin_mul_overflow(age, NANOS_PER_SECOND, &age))
		return false;                /* three centuries apart */
	age += now.tv_nsec - st->st_ctim.tv_nsec;
	return age > -most && age < most;
}

/* --- Descriptors: a few for looking again, the others are found by their path ------------- */

void cache_count_descriptors(struct cache *cache)
{
	struct rlimit limit;

	atomic_init(&cache->kept_fds, 0);
	cache->most_fds = 0;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		cache->most_fds = limit.rlim_cur / FDS_SHARE > CACHE_FDS_MOST
				  ? CACHE_FDS_MOST : (unsigned)(limit.rlim_cur / FDS_SHARE);
}

void cache_keep_descriptor(struct cache *cache, struct cache_hold *hold, int fd)
{
	if (atomic_fetch_add(&cache->kept_fds, 1) < cache->most_fds) {
		hold->fd = fd;
		return;
	}
	atomic_fetch_sub(&cache->kept_fds, 1);
	close(fd);
}

void cache_give_back_descriptor(struct cache_hold *hold)
{
	if (hold->fd < 0)
		return;
	close(hold->fd);
	hold->fd = -1;
	atomic_fetch_sub(&hold->cache->kept_fds, 1);
}

static int look_at(const struct cache_hold *hold, struct stat *st)
{
	char path[CACHE_PATH_BYTES];
	struct err ignored = ERR_INIT;

	if (hold->fd >= 0)
		return fstat(hold->fd, st);
	if (cache_blob_path(hold->cache, hold->entry.kind, hold->entry.version, hold->text_hash,
			    path, sizeof(path), &ignored) < 0)
		return -1;
	return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

/* --- Bytes -------------------------------------------------------------------------------- */

struct summing { const struct file_map *map; uint64_t value; };

static int sum(void *payload)
{
	struct summing *summing = payload;

	summing->value = checksum_of(summing->map->bytes, summing->map->size);
	return 0;
}

/* The file may be cut, or unreadable, under the mapping. */
static bool sum_guarded(const struct file_map *map, uint64_t *value)
{
	struct summing summing = { map, 0 };
	int cut_short;

	if (guard_run(sum, &summing, &cut_short) < 0)
		return false;
	*value = summing.value;
	return true;
}

static bool is_what_was_published(struct cache_hold *hold)
{
	uint64_t value;

	return sum_guarded(&hold->map, &value) && value == hold->entry.seal.value;
}

bool cache_verify_new(struct cache_hold *hold, const struct stat *st)
{
	uint64_t value;

	hold->stamp = *st;
	atomic_init(&hold->is_proven, !is_fresh(st));
	if (!hold->map.bytes)
		return true;
	if (!sum_guarded(&hold->map, &value))
		return false;
	/* Made by a program that kept no checksum: what it is now is what it stays. */
	if (!hold->entry.seal.is_set)
		hold->entry.seal = (struct checksum_seal){ hold->map.size, value, true };
	return value == hold->entry.seal.value;
}

bool cache_is_changed(const struct cache_hold *hold)
{
	struct stat st;

	return hold->map.bytes && (look_at(hold, &st) < 0 || !cache_is_same_file(&hold->stamp, &st));
}

bool cache_found_is_unchanged(const struct cache_found *found)
{
	struct cache_hold *hold = found->hold;
	bool was_fresh;

	if (!hold || !hold->map.bytes)
		return true;                 /* in memory of our own */
	if (atomic_load_explicit(&hold->is_proven, memory_order_relaxed))
		return !cache_is_changed(hold);
	was_fresh = is_fresh(&hold->stamp);
	if (cache_is_changed(hold) || !is_what_was_published(hold))
		return false;
	atomic_store_explicit(&hold->is_proven, !was_fresh, memory_order_relaxed);
	return true;
}

bool cache_found_is_whole(const struct cache_found *found)
{
	return !found->hold || !found->hold->map.bytes || is_what_was_published(found->hold);
}
