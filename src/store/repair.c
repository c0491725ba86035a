/* repair.c -- see repair.h. */
#include "store/repair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/config.h"
#include "store/damage.h"
#include "store/lock.h"
#include "store/store_internal.h"

#define SQL_BYTES_MAX ((size_t)64 * 1024)
#define ASIDE_TRIES   100

/* A table with something in it that somebody would miss, and the order its pages have. */
struct carried_table {
	const char *name;
	const char *order[2];        /* forwards and backwards */
	const char *place;           /* a number that grows in that order */
	unsigned more_at_a_place;    /* rows with the same number, at most, besides the first */
};

enum { TABLE_BOOT, TABLE_ENTRY, TABLE_JOB, TABLE_KEY, TABLE_SAMPLE, TABLES };
#define BY_ROWID { "rowid", "rowid DESC" }, "rowid", 0
static const struct carried_table tables[TABLES] = {
	[TABLE_BOOT] = { "boot", BY_ROWID },
	[TABLE_ENTRY] = { "cache_entry", BY_ROWID },
	[TABLE_JOB] = { "job", BY_ROWID },
	[TABLE_KEY] = { "apikey", BY_ROWID },
	/* A row for each node that counted then. */
	[TABLE_SAMPLE] = { "sample", { "span, at, node", "span DESC, at DESC, node DESC" },
			   "span * 1000000000000 + at", 1000 },
};

static int path_below(const struct config *config, const char *name, char *path, size_t capacity,
		      struct err *err)
{
	int size = snprintf(path, capacity, "%s/%s", config->state_dir, name);

	return size > 0 && (size_t)size < capacity ? 0
	       : err_set(err, ERR_IO, "state_dir is too long: %s", config->state_dir);
}

/* --- Looking --------------------------------------------------------------------------------- */

static void note_words(struct store_repair *repair, const char *words)
{
	/* A heading; what it is about stands in the next line. */
	if (strncmp(words, "***", 3) == 0 && words[strcspn(words, "\n")])
		words += strcspn(words, "\n") + 1;
	snprintf(repair->words, sizeof(repair->words), "%.*s", (int)strcspn(words, "\n"), words);
}

/* The first thing that is wrong, or "ok". */
static int check_pages(sqlite3 *db, struct store_repair *repair)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &statement, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW) {
		note_words(repair, (const char *)sqlite3_column_text(statement, 0));
		repair->is_sound = strcmp(repair->words, "ok") == 0;
	} else {
		note_words(repair, sqlite3_errmsg(db));
	}
	sqlite3_finalize(statement);
	return code;
}

/* Fills is_sound and words.  -1 when it cannot be told: it may be busy, or not ours to read. */
static int look_at(const char *path, struct store_repair *repair, struct err *err)
{
	sqlite3 *db = NULL;
	int code, rc = 0;

	repair->is_sound = false;
	code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
			       SQLITE_OPEN_EXRESCODE, NULL);
	if (code == SQLITE_OK) {
		sqlite3_busy_timeout(db, STORE_BUSY_MILLIS);
		code = check_pages(db, repair);
	}
	switch (code & 0xff) {
	case SQLITE_BUSY: case SQLITE_LOCKED:
		rc = err_set(err, ERR_BUSY, "%s is busy", path);
		break;
	case SQLITE_ROW: case SQLITE_CORRUPT: case SQLITE_NOTADB: case SQLITE_IOERR:
		break;
	default:
		rc = err_set(err, ERR_IO, "%s: %s", path, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
	}
	if (repair->is_sound)
		repair->words[0] = '\0';
	sqlite3_close(db);
	return rc;
}

int store_examine(const struct config *config, struct store_repair *repair, struct err *err)
{
	char path[STORE_PATH_BYTES];

	memset(repair, 0, sizeof(*repair));
	if (path_below(config, "symgate.db", path, sizeof(path), err) < 0)
		return -1;
	if (access(path, F_OK) < 0)
		return err_os(err, errno, "%s", path);
	if (look_at(path, repair, err) < 0)
		return -1;
	if (repair->is_sound)
		store_damage_forget(config->state_dir);
	return 0;
}

/* --- Aside ------------------------------------------------------------------------------------- */

static int make_aside(const struct config *config, struct store_repair *repair, struct err *err)
{
	char utc[CLOCK_TEXT_BYTES], name[64];

	clock_format_utc(clock_unix_seconds(), utc);
	for (int i = 1; i <= ASIDE_TRIES; i++) {
		snprintf(name, sizeof(name), i > 1 ? "damaged-%s-%d" : "damaged-%s", utc, i);
		if (path_below(config, name, repair->aside, sizeof(repair->aside), err) < 0)
			return -1;
		if (mkdir(repair->aside, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return err_os(err, errno, "making %s", repair->aside);
}

/* The log first: cut off in between, a database without its log is opened, and never a new one
 * with the log of another. */
static int put_aside(const struct config *config, struct store_repair *repair, struct err *err)
{
	static const char *const files[] = {
		"symgate.db-journal", "symgate.db-wal", "symgate.db-shm", "symgate.db",
	};
	char from[STORE_PATH_BYTES], to[STORE_PATH_BYTES + 64];

	if (make_aside(config, repair, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (path_below(config, files[i], from, sizeof(from), err) < 0)
			return -1;
		snprintf(to, sizeof(to), "%s/%s", repair->aside, files[i]);
		if (rename(from, to) < 0 && errno != ENOENT)
			return err_os(err, errno, "putting %s aside", from);
	}
	store_damage_forget(config->state_dir);
	return 0;
}

/* --- Carrying over ----------------------------------------------------------------------------- */

struct carry {
	sqlite3 *old;
	struct store *store;         /* the new one */
	struct buf columns, marks;   /* "a, b, c" and "?, ?, ?": what both know */
	int count;
	uint64_t rows;
};

static int has_column(struct store *store, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(store->db, "main", table, column, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

/* Names come from a damaged file: only those the new table has are believed. */
static void list_columns(struct carry *carry, const char *table)
{
	sqlite3_stmt *statement = NULL;

	carry->count = 0;
	buf_clear(&carry->columns);
	buf_clear(&carry->marks);
	if (sqlite3_prepare_v2(carry->old, "SELECT name FROM pragma_table_info(?1)", -1, &statement,
			       NULL) == SQLITE_OK &&
	    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK) {
		while (sqlite3_step(statement) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(statement, 0);

			if (!name || !has_column(carry->store, table, name))
				continue;
			buf_printf(&carry->columns, "%s%s", carry->count ? ", " : "", name);
			buf_add_string(&carry->marks, carry->count++ ? ", ?" : "?");
		}
	}
	sqlite3_finalize(statement);
}

/* A row the new table does not take is no row. */
static int insert_row(struct carry *carry, sqlite3_stmt *insert, sqlite3_stmt *row, struct err *err)
{
	int code;

	for (int i = 0; i < carry->count; i++)
		if (sqlite3_bind_value(insert, i + 1, sqlite3_column_value(row, i + 1)) != SQLITE_OK)
			return store_failed(carry->store, SQLITE_NOMEM, "carrying rows over", err);
	code = sqlite3_step(insert);
	if (code == SQLITE_DONE)
		carry->rows += (uint64_t)sqlite3_changes64(carry->store->db);
	sqlite3_reset(insert);
	if (code == SQLITE_DONE || (code & 0xff) == SQLITE_CONSTRAINT)
		return 0;
	return store_failed(carry->store, code, "carrying rows over", err);
}

/* How far one end of a table was read. */
struct carried_end {
	bool backwards, any;
	int64_t last;                /* the place of the row that was read last */
	unsigned more;               /* rows that were at that place, too */
};

/* Rows that come in no order are pages that lead in circles. */
static bool goes_on(struct carried_end *end, const struct carried_table *table, int64_t place)
{
	bool is_same = end->any && place == end->last;

	if (end->any && !is_same && (place > end->last) == end->backwards)
		return false;
	end->more = is_same ? end->more + 1 : 0;
	end->last = place;
	end->any = true;
	return end->more <= table->more_at_a_place;
}

/* From one end until the other, the place `stop`, or something that cannot be read. */
static int read_from_end(struct carry *carry, const struct carried_table *table, struct carried_end *end,
			 int64_t stop, sqlite3_stmt *insert, struct err *err)
{
	sqlite3_stmt *select = NULL;
	struct buf sql;
	int rc = 0;

	buf_init(&sql, SQL_BYTES_MAX);
	buf_printf(&sql, "SELECT %s, %s FROM %s ORDER BY %s", table->place, buf_string(&carry->columns),
		   table->name, table->order[end->backwards]);
	if (buf_check(&sql, err) < 0)
		rc = -1;
	else
		sqlite3_prepare_v2(carry->old, buf_string(&sql), -1, &select, NULL);
	while (rc == 0 && select && sqlite3_step(select) == SQLITE_ROW) {
		int64_t place = sqlite3_column_int64(select, 0);

		if ((end->backwards && place < stop) || !goes_on(end, table, place))
			break;
		rc = insert_row(carry, insert, select, err);
	}
	sqlite3_finalize(select);
	buf_release(&sql);
	return rc;
}

static int carry_table(struct carry *carry, const struct carried_table *table, uint64_t *rows,
		       struct err *err)
{
	struct carried_end first = { .last = INT64_MIN }, second = { .backwards = true };
	sqlite3_stmt *insert = NULL;
	struct buf sql;
	int rc = -1, code;

	carry->rows = 0;
	list_columns(carry, table->name);
	if (carry->count == 0)
		return 0;                    /* nothing of it can be read */
	buf_init(&sql, SQL_BYTES_MAX);
	buf_printf(&sql, "INSERT OR IGNORE INTO %s (%s) VALUES (%s)", table->name,
		   buf_string(&carry->columns), buf_string(&carry->marks));
	if (buf_check(&sql, err) < 0 || store_begin(carry->store, STORE_TURN_SERVICE, TEXT_NONE, err) < 0)
		goto done;
	code = sqlite3_prepare_v2(carry->store->db, buf_string(&sql), -1, &insert, NULL);
	if (code != SQLITE_OK)
		store_failed(carry->store, code, "carrying rows over", err);
	else if (read_from_end(carry, table, &first, 0, insert, err) == 0 &&
		 read_from_end(carry, table, &second, first.last, insert, err) == 0)
		rc = 0;
	sqlite3_finalize(insert);
	if (rc == 0)
		rc = store_commit(carry->store, err);
	else
		store_rollback(carry->store);
	*rows = carry->rows;
done:
	buf_release(&sql);
	return rc;
}

static int carry_over(struct store *store, struct store_repair *repair, struct err *err)
{
	struct carry carry = { .store = store };
	char path[STORE_PATH_BYTES + 64];
	uint64_t rows[TABLES] = { 0 };
	int rc = 0;

	snprintf(path, sizeof(path), "%s/symgate.db", repair->aside);
	buf_init(&carry.columns, SQL_BYTES_MAX);
	buf_init(&carry.marks, SQL_BYTES_MAX);
	if (sqlite3_open_v2(path, &carry.old, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
	    SQLITE_OK)
		for (unsigned i = 0; i < TABLES && rc == 0; i++)
			rc = carry_table(&carry, &tables[i], &rows[i], err);
	sqlite3_close(carry.old);
	buf_release(&carry.columns);
	buf_release(&carry.marks);
	repair->entries = rows[TABLE_ENTRY];
	repair->jobs = rows[TABLE_JOB];
	repair->samples = rows[TABLE_SAMPLE];
	return rc;
}

/* --- All of it --------------------------------------------------------------------------------- */

/* The copy as it will be, whole, beside its place; then what was there goes, and it comes. */
static int replace_by_copy(const struct config *config, const char *copy,
			   struct store_repair *repair, struct err *err)
{
	char partial[STORE_PATH_BYTES], path[STORE_PATH_BYTES];
	struct store_repair of_copy;
	struct store from = { .service_fd = -1, .files_fd = -1 };
	int rc;

	if (path_below(config, "symgate.db", path, sizeof(path), err) < 0 ||
	    path_below(config, "symgate.db.copy", partial, sizeof(partial), err) < 0 ||
	    look_at(copy, &of_copy, err) < 0)
		return -1;
	if (!of_copy.is_sound)
		return err_set(err, ERR_MALFORMED, "%s is damaged itself: %s", copy, of_copy.words);
	snprintf(from.path, sizeof(from.path), "%s", copy);
	rc = sqlite3_open_v2(copy, &from.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	rc = rc == SQLITE_OK ? store_backup(&from, partial, err)
			     : store_failed(&from, rc, "opening the copy", err);
	sqlite3_close(from.db);
	if (rc < 0)
		return -1;
	if (put_aside(config, repair, err) < 0 || rename(partial, path) < 0) {
		unlink(partial);
		return err->kind != ERR_NONE ? -1 : err_os(err, errno, "putting %s in its place", copy);
	}
	return 0;
}

static int repair_alone(const struct config *config, const char *copy, struct store_repair *repair,
			struct err *err)
{
	struct store *store;
	int rc = store_examine(config, repair, err);

	if (rc < 0 && (!err_is_absent(err) || !copy))
		return -1;
	err_clear(err);
	if (repair->is_sound && !copy)
		return 0;
	if ((copy ? replace_by_copy(config, copy, repair, err) : put_aside(config, repair, err)) < 0 ||
	    store_open(&store, config, err) < 0)
		return -1;
	rc = copy ? 0 : carry_over(store, repair, err);
	store_close(store);
	return rc;
}

int store_repair(const struct config *config, const char *copy, struct store_repair *repair,
		 struct err *err)
{
	char path[STORE_PATH_BYTES];
	int fd = -1, taken;

	memset(repair, 0, sizeof(*repair));
	if (path_below(config, "service.lock", path, sizeof(path), err) < 0)
		return -1;
	taken = store_lock_try(path, true, &fd, err);
	if (taken == 0)
		return err_set(err, ERR_BUSY, "a service works on %s: stop it first", config->state_dir);
	if (taken < 0)
		return -1;
	taken = repair_alone(config, copy, repair, err);
	close(fd);
	return taken < 0 ? err_while(err, "repairing the database") : 0;
}
