/*
 * store_place.c -- are the files we have open still the ones under their names?
 *
 * SQLite goes on in files somebody removed as if nothing had happened, while whoever opens the
 * database afterwards works in others: two halves of a service that never hear of each other
 * (the folder was emptied), or, worse, two logs or two indexes of one database, whose locks do not
 * know each other and whose checkpoints overwrite each other (`rm symgate.db-wal`,
 * https://www.sqlite.org/howtocorrupt.html sections 1.4 and 2.4).  Therefore
 *
 *  1. Whoever has the database open holds the lock STATE/database.lock, shared, and in it stands
 *     which files they are.  Nobody comes in with others: who finds others under the names waits
 *     until the lock is free.  So however files vanish, all who write use the same ones.
 *  2. The files are looked at before every write, and once a second by each process; who has
 *     some that are gone writes no more, and leaves (test_a_log_that_vanishes in
 *     tests/faults/test_state.py).
 *  3. Closing must not finish what another began: SQLite's last connection writes its log into the
 *     database and removes the log by name.  It does not where the name is another file's by now,
 *     nor where the log is still there and only its index is not: the next to open reads it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "store/lock.h"
#include "store/store_internal.h"

#define WAIT_MILLIS 10000        /* a front takes 3 s to leave, after 1 s to notice */
#define TRY_MILLIS  2
#define NOTE_BYTES  192u

static const char *const endings[STORE_FILES] = {
	[STORE_FILE_MAIN] = "", [STORE_FILE_WAL] = "-wal", [STORE_FILE_SHM] = "-shm",
};

enum presence { AS_BEFORE, MISSING, ANOTHER };

static enum presence look_at(const struct store *store, unsigned which, struct store_file *now)
{
	char path[STORE_PATH_BYTES + 8];
	struct stat st;

	*now = (struct store_file){ 0, 0 };
	snprintf(path, sizeof(path), "%s%s", store->path, endings[which]);
	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? MISSING : AS_BEFORE;
	*now = (struct store_file){ st.st_dev, st.st_ino };
	return now->dev == store->files[which].dev && now->ino == store->files[which].ino
	       ? AS_BEFORE : ANOTHER;
}

static void note_files(struct store *store)
{
	for (unsigned i = 0; i < STORE_FILES; i++)
		look_at(store, i, &store->files[i]);
}

/* --- The lock ---------------------------------------------------------------------------- */

static int take_lock(struct store *store, const char *path, bool exclusive, struct err *err)
{
	int taken = store_lock_try(path, exclusive, &store->files_fd, err);

	store->is_alone = taken > 0 && exclusive;
	return taken;
}

static int write_note(struct store *store, struct err *err)
{
	char note[NOTE_BYTES] = "";
	int size = 0;

	for (unsigned i = 0; i < STORE_FILES; i++)
		size += snprintf(note + size, sizeof(note) - (size_t)size, "%20" PRIuMAX " %20" PRIuMAX "\n",
				 (uintmax_t)store->files[i].dev, (uintmax_t)store->files[i].ino);
	/* Always as long, in its place: a full disk takes it too. */
	if (pwrite(store->files_fd, note, (size_t)size, 0) != (ssize_t)size)
		return err_os(err, errno, "writing which files the database has");
	return 0;
}

static bool read_note(const struct store *store, struct store_file files[STORE_FILES])
{
	char note[NOTE_BYTES];
	ssize_t size = pread(store->files_fd, note, sizeof(note) - 1, 0);
	const char *at = note;

	if (size <= 0)
		return false;
	note[size] = '\0';
	for (unsigned i = 0; i < STORE_FILES; i++) {
		uintmax_t dev, ino;
		int used = 0;

		if (sscanf(at, "%" SCNuMAX " %" SCNuMAX "%n", &dev, &ino, &used) != 2)
			return false;
		files[i] = (struct store_file){ (dev_t)dev, (ino_t)ino };
		at += used;
	}
	return true;
}

/* Are the files under the names those of everybody who has the lock? */
static bool are_everybodys(struct store *store)
{
	struct store_file files[STORE_FILES];

	note_files(store);
	if (!read_note(store, files))
		return false;
	for (unsigned i = 0; i < STORE_FILES; i++)
		if (files[i].dev != store->files[i].dev || files[i].ino != store->files[i].ino)
			return false;
	return true;
}

int store_lock_files(struct store *store, struct err *err)
{
	static const struct timespec pause = { 0, TRY_MILLIS * 1000000 };
	int64_t until = clock_monotonic_millis() + WAIT_MILLIS;
	char path[STORE_PATH_BYTES];
	int taken;

	if ((size_t)snprintf(path, sizeof(path), "%s/database.lock", store->state_dir) >= sizeof(path))
		return err_set(err, ERR_IO, "state_dir is too long: %s", store->state_dir);
	do {
		taken = take_lock(store, path, true, err);
		if (taken == 0)
			taken = take_lock(store, path, false, err);
		if (taken < 0)
			return -1;
		if (taken > 0 && (store->is_alone || are_everybodys(store)))
			return 0;
		store_unlock_files(store);
		nanosleep(&pause, NULL);
	} while (clock_monotonic_millis() < until);
	return err_set(err, ERR_BUSY, "%s: a file of it was removed or replaced, and a process that has "
		       "the old one open has not left for %d s", store->path, WAIT_MILLIS / 1000);
}

int store_settle_files(struct store *store, struct err *err)
{
	if (!store->is_alone)
		return are_everybodys(store);
	note_files(store);
	if (write_note(store, err) < 0 || store_lock_share(store->files_fd, err) < 0)
		return -1;
	store->is_alone = false;
	return 1;
}

void store_unlock_files(struct store *store)
{
	if (store->files_fd >= 0)
		close(store->files_fd);
	store->files_fd = -1;
	store->is_alone = false;
}

/* --- What became of them ------------------------------------------------------------------- */

/* The log has no name any more.  It and its index still belong together, and all of us use them: all
 * of it goes into the main file, where the next to open it finds it. */
static void rescue(struct store *store)
{
	int code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	log_message(LOG_WARN, "store_rescue", NULL, "%s: %s", store->path,
		    code == SQLITE_OK ? "all that was committed is in it" : sqlite3_errmsg(store->db));
}

/* Nothing bears the log's name, or an empty file that somebody made who only read. */
static bool is_log_unnamed(const struct store *store)
{
	char path[STORE_PATH_BYTES + 8];
	struct store_file now;
	struct stat st;

	if (store->files[STORE_FILE_WAL].ino == 0 ||
	    look_at(store, STORE_FILE_WAL, &now) == AS_BEFORE)
		return false;
	snprintf(path, sizeof(path), "%s%s", store->path, endings[STORE_FILE_WAL]);
	return stat(path, &st) < 0 || st.st_size == 0;
}

void store_prepare_close(struct store *store)
{
	struct store_file now;
	bool is_changed = false;

	for (unsigned i = STORE_FILE_WAL; i < STORE_FILES; i++)
		is_changed |= store->files[i].ino != 0 && look_at(store, i, &now) != AS_BEFORE;
	if (is_changed && !is_log_unnamed(store))
		sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

int store_in_place(struct store *store, struct err *err)
{
	enum presence worst = AS_BEFORE;
	struct store_file now;
	unsigned first = 0;

	if (!store->db)
		return err_set(err, ERR_IO, "%s is not open", store->path);
	for (unsigned i = 0; i < STORE_FILES; i++) {
		enum presence presence;

		if (store->files[i].ino == 0)
			continue;
		presence = look_at(store, i, &now);
		if (presence != AS_BEFORE && worst == AS_BEFORE)
			first = i;
		if (presence > worst)
			worst = presence;
	}
	if (worst == AS_BEFORE)
		return 0;
	if (!store->rescued && first != STORE_FILE_MAIN && is_log_unnamed(store) &&
	    sqlite3_get_autocommit(store->db)) {
		store->rescued = true;
		rescue(store);
	}
	return err_set(err, ERR_IO, "%s%s was %s while it was in use; it is opened anew", store->path,
		       endings[first], worst == MISSING ? "removed" : "replaced");
}
