/* connect.c -- opening the database: folder, file, journal, pragmas, schema. */
#include "store/store_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"

#define JOURNAL_TRY_MILLIS 20

/* Everything a connection needs to be told; none of these can lose data, so a failure of
 * one is a failure to open. */
static const char connection_pragmas[] =
	"PRAGMA foreign_keys = ON;"
	"PRAGMA trusted_schema = OFF;"
	"PRAGMA cell_size_check = ON;"
	"PRAGMA mmap_size = 0;"
	"PRAGMA temp_store = MEMORY;"
	"PRAGMA synchronous = NORMAL;"
	"PRAGMA journal_size_limit = 8388608;";

/* SQLite would take room for 20 pages for each connection at once, 86 KiB; ours read few.  Where somebody has
 * started it already it refuses, and nothing is lost but that. */
static void take_pages_singly(void)
{
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

static void pause_millis(long millis)
{
	struct timespec pause = { 0, millis * 1000000 };

	nanosleep(&pause, NULL);
}

/* The journal mode we are in after asking for that one: "" when SQLite failed. */
static int journal_mode(struct store *store, const char *sql, char *mode, size_t capacity)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

	mode[0] = '\0';
	if (code == SQLITE_OK) {
		code = sqlite3_step(statement);
		if (code == SQLITE_ROW)
			snprintf(mode, capacity, "%s", (const char *)sqlite3_column_text(statement, 0));
	}
	sqlite3_finalize(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A change of journal mode does not wait for others by itself. */
static int change_journal_mode(struct store *store, const char *sql, char *mode, size_t capacity)
{
	int64_t until = clock_monotonic_millis() + STORE_BUSY_MILLIS;
	int code;

	do {
		code = journal_mode(store, sql, mode, capacity);
		if ((code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED)
			return code;
		pause_millis(JOURNAL_TRY_MILLIS);
	} while (clock_monotonic_millis() < until);
	return code;
}

/* Write-ahead logging needs memory shared between processes.  1 when it works, 0 when this
 * file system has none (network homes of shared hosts), -1 when something else is wrong. */
static int try_wal(struct store *store, struct err *err)
{
	char mode[16];
	int code = change_journal_mode(store, "PRAGMA journal_mode = WAL", mode, sizeof(mode));

	if (code == SQLITE_OK && strcmp(mode, "wal") != 0)
		return 0;
	/* That it was accepted does not mean it works: only using it shows. */
	if (code == SQLITE_OK)
		code = sqlite3_exec(store->db, "BEGIN IMMEDIATE; ROLLBACK", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		return 1;
	store_failed(store, code, "opening the database", err);
	switch (code & 0xff) {
	case SQLITE_IOERR:
	case SQLITE_PROTOCOL:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		return 0;
	default:
		return -1;
	}
}

static int refuse_read_only(struct store *store, struct err *err)
{
	if (!sqlite3_db_readonly(store->db, "main"))
		return 0;
	return err_set(err, ERR_IO, "%s cannot be written: give the service's user the folder "
		       "and what is in it, or make its file system writable", store->path);
}

static void close_files(struct store *store)
{
	if (store->db)
		store_prepare_close(store);
	sqlite3_close(store->db);
	store->db = NULL;
	store_unlock_files(store);
}

static int connect_to(struct store *store, struct err *err)
{
	int code;

	sqlite3_close(store->db);
	store->db = NULL;
	code = sqlite3_open_v2(store->path, &store->db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
			       SQLITE_OPEN_EXRESCODE, NULL);
	if (code != SQLITE_OK)
		return store_failed(store, code, "opening the database", err);
	sqlite3_busy_timeout(store->db, STORE_BUSY_MILLIS);
	/* Plans do not look at values: else a statement whose parameter might decide on a partial index (the
	 * kind of an entry, the state of a job) is prepared anew each time it is given one. */
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
	return refuse_read_only(store, err);
}

/* The old rollback journal.  A database that is in WAL mode already can be brought back by a
 * connection that says at once that it is alone. */
static int use_rollback_journal(struct store *store, struct err *err)
{
	char mode[16];
	int code;

	if (connect_to(store, err) < 0 ||
	    store_execute(store, "PRAGMA locking_mode = EXCLUSIVE", "opening the database", err) < 0)
		return -1;
	code = change_journal_mode(store, "PRAGMA journal_mode = DELETE", mode, sizeof(mode));
	if (code != SQLITE_OK)
		return store_failed(store, code, "choosing a journal", err);
	return connect_to(store, err);
}

static int open_files(struct store *store, struct err *err)
{
	int works;

	if (connect_to(store, err) < 0)
		return -1;
	works = try_wal(store, err);
	if (works < 0 || (works == 0 && use_rollback_journal(store, err) < 0))
		return -1;
	err_clear(err);
	if (store_execute(store, connection_pragmas, "opening the database", err) < 0)
		return -1;
	if (store->is_temporary &&
	    store_execute(store, "PRAGMA synchronous = OFF", "opening the database", err) < 0)
		return -1;
	if (store_migrate(store, err) < 0)
		return -1;
	return 0;
}

/* 1, -1, or 0: once more. */
static int try_open(struct store *store, struct err *err)
{
	struct err locked = ERR_INIT;
	int rc;

	if (store_lock_files(store, &locked) < 0) {
		/* A folder that cannot be written has words of its own. */
		if (locked.kind == ERR_BUSY || connect_to(store, err) == 0)
			*err = locked;
		return -1;
	}
	if (open_files(store, err) < 0)
		return -1;
	rc = store_settle_files(store, err);
	if (rc == 0)
		close_files(store);
	return rc;
}

static int open_database(struct store *store, struct err *err)
{
	int64_t until = clock_monotonic_millis() + STORE_BUSY_MILLIS;

	do {
		int rc = try_open(store, err);

		if (rc != 0)
			return rc < 0 ? -1 : 0;
	} while (clock_monotonic_millis() < until);
	return err_set(err, ERR_BUSY, "%s: its files are replaced again and again", store->path);
}

int store_open(struct store **store, const struct config *config, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct store *made = mem_get(sizeof(*made));
	int size;

	pthread_once(&once, take_pages_singly);
	*store = NULL;
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory for the store");
	made->service_fd = made->files_fd = -1;
	made->is_temporary = config->state_is_temporary;
	made->state_dir = mem_strdup(config->state_dir);
	size = snprintf(made->path, sizeof(made->path), "%s/symgate.db", config->state_dir);
	if (!made->state_dir)
		err_set(err, ERR_NO_MEMORY, "no memory for the store");
	else if (size < 0 || (size_t)size >= sizeof(made->path) - 8)   /* room for "-journal" */
		err_set(err, ERR_IO, "state_dir is too long: %s", config->state_dir);
	else if (file_make_folders(config->state_dir, 0700, err) < 0)
		err_while(err, "state_dir");
	else if (open_database(made, err) == 0) {
		*store = made;
		return 0;
	}
	store_close(made);
	return -1;
}

static void forget_statements(struct store *store)
{
	for (unsigned i = 0; i < STATEMENTS; i++) {
		sqlite3_finalize(store->statements[i]);
		store->statements[i] = NULL;
	}
}

/* What SQLite made of the schema is most of it: 135 KiB.  Where it does not know the word it keeps that. */
void store_rest(struct store *store)
{
	forget_statements(store);
	sqlite3_exec(store->db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL);
	sqlite3_db_release_memory(store->db);
}

static void disconnect(struct store *store)
{
	forget_statements(store);
	close_files(store);
}

int store_reopen(struct store *store, struct err *err)
{
	disconnect(store);
	memset(store->files, 0, sizeof(store->files));
	store->rescued = false;
	if (open_database(store, err) == 0)
		return 0;
	disconnect(store);
	return -1;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	disconnect(store);
	if (store->service_fd >= 0)
		close(store->service_fd);
	mem_give_back(store->state_dir);
	mem_give_back(store);
}
