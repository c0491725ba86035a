/*
 * orphan.c -- files nobody knows: blobs without a row, temporary files of the dead.
 *
 * Only names of our own making are touched; whatever else lies in cache_dir stays.  A blob is
 * judged in the turn of all entries, where rows and blobs agree.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "cache/sweep.h"
#include "store/statements.h"

#define SUSPECTS_MAX 64u
#define NAME_DIGITS  (2 * HASH_SHA256_BYTES - 2)     /* the first byte is the folder's name */

struct orphan_place {
	char path[CACHE_PATH_BYTES];         /* of the folder */
	enum cache_kind kind;
	int64_t version;
};

struct suspect {
	char name[NAME_DIGITS + 1];          /* the file's */
	uint8_t text_hash[HASH_SHA256_BYTES];
};

/* Exactly that many lower-case digits. */
static bool is_hex(const char *name, size_t digits)
{
	for (size_t i = 0; i < digits; i++)
		if (ascii_hex_value(name[i]) < 0 || name[i] != ascii_lower(name[i]))
			return false;
	return name[digits] == '\0';
}

static uint8_t hex_byte(const char *digits)
{
	return (uint8_t)(ascii_hex_value(digits[0]) << 4 | ascii_hex_value(digits[1]));
}

static bool is_old(int folder, const char *name, int64_t now, int64_t seconds)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       now - st.st_mtime >= seconds;
}

/* A download may rest for long: who makes it has it open. */
static bool is_abandoned(int folder, const char *name, int64_t now)
{
	return is_old(folder, name, now, CACHE_HELD_SECONDS) ||
	       (is_old(folder, name, now, CACHE_ORPHAN_SECONDS) && !file_is_held(folder, name));
}

/* 1 when a row wants that blob, 0, -1. */
static int has_row(const struct sweep *sweep, const struct orphan_place *place,
		   const struct suspect *suspect, struct err *err)
{
	struct store_value values[3] = {
		store_text(text_of(cache_kind_name(place->kind))), store_int(place->version),
		store_bytes(suspect->text_hash, sizeof(suspect->text_hash)),
	};
	int64_t rows = store_run(sweep->store, STATEMENT_cache_has, values, 3, NULL, NULL, err);

	return rows < 0 ? -1 : rows > 0;
}

/* Names of old files without a row, as far as can be seen without a lock. */
static int collect(const struct sweep *sweep, const struct orphan_place *place, DIR *folder,
		   struct suspect *suspects, unsigned *count, struct err *err)
{
	const char *parent = strrchr(place->path, '/') + 1;
	struct dirent *entry;

	*count = 0;
	while (*count < SUSPECTS_MAX && (entry = readdir(folder)) != NULL) {
		struct suspect *suspect = &suspects[*count];
		int wanted;

		if (!is_hex(entry->d_name, NAME_DIGITS) ||
		    !is_old(dirfd(folder), entry->d_name, sweep->cache->now(), CACHE_ORPHAN_SECONDS))
			continue;
		memcpy(suspect->name, entry->d_name, NAME_DIGITS + 1);
		suspect->text_hash[0] = hex_byte(parent);
		for (size_t i = 1; i < HASH_SHA256_BYTES; i++)
			suspect->text_hash[i] = hex_byte(suspect->name + 2 * (i - 1));
		wanted = has_row(sweep, place, suspect, err);
		if (wanted < 0)
			return -1;
		*count += wanted == 0;
	}
	return 0;
}

static int remove_suspects(const struct sweep *sweep, const struct orphan_place *place, int folder,
			   const struct suspect *suspects, unsigned count, struct err *err)
{
	if (sweep->dry_run) {
		sweep->round->orphan_files += count;
		return 0;
	}
	if (store_begin(sweep->store, STORE_TURN_ENTRY, TEXT_NONE, err) < 0)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		int wanted = has_row(sweep, place, &suspects[i], err);

		if (wanted < 0) {
			store_rollback(sweep->store);
			return -1;
		}
		if (wanted == 0 && unlinkat(folder, suspects[i].name, 0) == 0)
			sweep->round->orphan_files++;
	}
	store_rollback(sweep->store);        /* nothing was written: the turn was the point */
	return 0;
}

/* Folders of older programs let others in. */
static void restrict_to_owner(const struct sweep *sweep, int folder)
{
	struct stat st;

	if (!sweep->dry_run && fstat(folder, &st) == 0 && (st.st_mode & 0077))
		(void)fchmod(folder, 0700);
}

static int sweep_folder(const struct sweep *sweep, const struct orphan_place *place,
			struct err *err)
{
	struct suspect suspects[SUSPECTS_MAX];
	DIR *folder = opendir(place->path);
	unsigned count;
	int rc = 0;

	if (!folder)
		return errno == ENOENT || errno == ENOTDIR ? 0
		       : err_os(err, errno, "opening %s", place->path);
	restrict_to_owner(sweep, dirfd(folder));
	do {
		rc = collect(sweep, place, folder, suspects, &count, err);
		if (rc == 0 && count > 0)
			rc = remove_suspects(sweep, place, dirfd(folder), suspects, count, err);
	} while (rc == 0 && count == SUSPECTS_MAX && !sweep_is_stopped(sweep));
	closedir(folder);
	return rc;
}

/* <kind>/v<version>: its 256 folders. */
static int sweep_version(const struct sweep *sweep, enum cache_kind kind, const char *version,
			 struct err *err)
{
	struct orphan_place place = { .kind = kind };
	uint64_t number;

	if (version[0] != 'v' || !text_to_u64(text_of(version + 1), 10, &number) || number > INT32_MAX)
		return 0;
	place.version = (int64_t)number;
	for (unsigned i = 0; i < 256 && !sweep_is_stopped(sweep); i++) {
		if ((size_t)snprintf(place.path, sizeof(place.path), "%s/%s/%s/%02x",
				     sweep->cache->folder, cache_kind_name(kind), version, i) >=
		    sizeof(place.path))
			return err_set(err, ERR_IO, "cache_dir is too long: %s", sweep->cache->folder);
		if (sweep_folder(sweep, &place, err) < 0)
			return -1;
	}
	return 0;
}

int sweep_orphans(struct sweep *sweep, struct err *err)
{
	char path[CACHE_PATH_BYTES];
	int rc = 0;

	for (unsigned kind = 0; kind < CACHE_KINDS && rc == 0; kind++) {
		struct dirent *entry;
		DIR *folder;

		snprintf(path, sizeof(path), "%s/%s", sweep->cache->folder,
			 cache_kind_name((enum cache_kind)kind));
		folder = opendir(path);
		while (folder && rc == 0 && (entry = readdir(folder)) != NULL)
			rc = sweep_version(sweep, (enum cache_kind)kind, entry->d_name, err);
		if (folder)
			closedir(folder);
	}
	return rc;
}

/* A download is made as long as it will be before it has come. */
static uint64_t size_on_disk(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_blocks > 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

int sweep_temporaries(struct sweep *sweep, struct err *err)
{
	char path[CACHE_PATH_BYTES];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/tmp", sweep->cache->folder);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? 0 : err_os(err, errno, "opening %s", path);
	while ((entry = readdir(folder)) != NULL) {
		/* What we renamed away and did not get to delete goes at once. */
		bool gone = strncmp(entry->d_name, "gone-", 5) == 0;

		if (!gone && strncmp(entry->d_name, "tmp-", 4) != 0)
			continue;
		if (!gone && !is_abandoned(dirfd(folder), entry->d_name, sweep->cache->now())) {
			sweep->round->temporary_bytes += size_on_disk(dirfd(folder), entry->d_name);
			continue;
		}
		if (sweep->dry_run || unlinkat(dirfd(folder), entry->d_name, 0) == 0)
			sweep->round->orphan_files++;
	}
	closedir(folder);
	return 0;
}
