/* store_admin.c -- health, backup, checkpoint. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "store/damage.h"
#include "store/store_internal.h"

/* Below this the log is not worth a checkpoint that stops writers. */
#define CHECKPOINT_FROM_BYTES ((off_t)4 << 20)

int store_check(struct store *store, struct err *err)
{
	struct store_value now = store_int(clock_unix_seconds());
	char words[STORE_DAMAGE_WORDS];

	if (store_damage_is_known(store->state_dir, words))
		return store_is_damaged(store, "the database", words, err);
	return store_run(store, STATEMENT_store_probe, &now, 1, NULL, NULL, err) < 0 ? -1 : 0;
}

static int vacuum_into(struct store *store, const char *path, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(store->db, "VACUUM INTO ?1", -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code != SQLITE_DONE)
		store_failed(store, code, "copying the database", err);
	sqlite3_finalize(statement);
	return code == SQLITE_DONE ? 0 : -1;
}

static int sync_path(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || fsync(fd) < 0)
		rc = err_os(err, errno, "syncing %s", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A consistent copy while everything runs; it appears whole or not at all. */
int store_backup(struct store *store, const char *path, struct err *err)
{
	char partial[STORE_PATH_BYTES];
	int size = snprintf(partial, sizeof(partial), "%s.partial-%ld", path, (long)getpid());
	int fd;

	if (size < 0 || (size_t)size >= sizeof(partial))
		return err_os(err, ENAMETOOLONG, "backup to %s", path);
	/* An empty file is what VACUUM INTO accepts; this one has the right mode. */
	unlink(partial);
	fd = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_os(err, errno, "backup to %s", path);
	close(fd);
	if (vacuum_into(store, partial, err) < 0 || sync_path(partial, err) < 0) {
		unlink(partial);
		return err_while(err, "backup to %s", path);
	}
	if (rename(partial, path) < 0) {
		err_os(err, errno, "backup to %s", path);
		unlink(partial);
		return -1;
	}
	return 0;
}

int store_checkpoint(struct store *store, struct err *err)
{
	char wal[STORE_PATH_BYTES + 8];
	struct stat st;
	int code;

	snprintf(wal, sizeof(wal), "%s-wal", store->path);
	if (stat(wal, &st) < 0 || st.st_size < CHECKPOINT_FROM_BYTES)
		return 0;
	code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	/* Readers in the way: next time. */
	if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED)
		return 0;
	return store_failed(store, code, "checkpoint", err);
}
