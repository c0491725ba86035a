/* store.c -- see store.h: transactions, named statements, what SQLite's codes mean. */
#include "store/store.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "store/damage.h"
#include "store/store_internal.h"

#define COLUMNS_MAX 48u
#define TURN_HASH_BYTES 4u
#define TURN_KEY_BYTES 36u            /* of a key, in messages: a whole job id */

/*
 * The way out is our own, since all in it can be made again.  Not `.recover`: Debian's
 * sqlite3 shell is built without the sqlite_dbpage table it needs (seen with 3.40.1, where it
 * prints a few lines and loses every row).
 */
int store_is_damaged(const struct store *store, const char *doing, const char *words, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s is damaged (%s); stop the service, then: symgate "
		       "--state-dir '%s' repair; it keeps what can still be read; jobs under way and "
		       "the index of the cache may be lost, nothing else", doing, store->path, words,
		       store->state_dir ? store->state_dir : "");
}

int store_failed(const struct store *store, int code, const char *doing, struct err *err)
{
	const char *words = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code);

	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, ERR_BUSY, "%s: the database is busy", doing);
	case SQLITE_NOMEM:
		return err_set(err, ERR_NO_MEMORY, "%s: no memory", doing);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		if (store->state_dir)        /* the service's, no copy */
			store_damage_note(store->state_dir, store->path, words);
		return store_is_damaged(store, doing, words, err);
	case SQLITE_FULL:
		return err_set(err, ERR_IO, "%s: the disk that holds %s is full", doing, store->path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(err, ERR_IO, "%s: %s cannot be written (%s)", doing, store->path, words);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
	case SQLITE_PROTOCOL:
	case SQLITE_NOLFS:
		return err_set(err, ERR_IO, "%s: %s: %s%s%s", doing, store->path, words,
			       store->db && sqlite3_system_errno(store->db) ? ": " : "",
			       store->db && sqlite3_system_errno(store->db) ?
			       strerror(sqlite3_system_errno(store->db)) : "");
	default:
		return err_set(err, ERR_INTERNAL, "%s: %s", doing, words);
	}
}

static int refuse_closed(const struct store *store, const char *doing, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s is not open", doing, store->path);
}

int store_execute(struct store *store, const char *sql, const char *doing, struct err *err)
{
	int code;

	if (!store->db)
		return refuse_closed(store, doing, err);
	code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : store_failed(store, code, doing, err);
}

int store_ask_number(struct store *store, const char *sql, int64_t *number, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int code;

	*number = -1;
	if (!store->db)
		return refuse_closed(store, "reading the database", err);
	code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return 0;
	return store_failed(store, code, "reading the database", err);
}

/* --- Readers -------------------------------------------------------------------------- */

void store_only_read(struct store *store)
{
	store->only_reads = true;
}

bool store_only_reads(const struct store *store)
{
	return store->only_reads;
}

static int refuse_reader(const struct store *store, struct err *err)
{
	return store->only_reads ? err_set(err, ERR_INTERNAL, "a connection that only reads is to write") : 0;
}

/* --- Transactions --------------------------------------------------------------------- */

/* "taking the turn of job 4c1f...": ids as they are, hashes by their first bytes in hex. */
static void name_turn(enum store_turn turn, struct text key, char *name, size_t capacity)
{
	static const char *const turns[STORE_TURNS] = {
		[STORE_TURN_SERVICE] = "the service", [STORE_TURN_ENTRY] = "cache entry",
		[STORE_TURN_QUEUE] = "the queue",     [STORE_TURN_JOB] = "job",
		[STORE_TURN_SAMPLE] = "the samples",
	};
	size_t shown = turn == STORE_TURN_ENTRY ? TURN_HASH_BYTES : TURN_KEY_BYTES;
	int used = snprintf(name, capacity, "taking the turn of %s%s", turns[turn],
			    key.size > 0 ? " " : "");

	for (size_t i = 0; i < key.size && i < shown && used > 0; i++)
		used += snprintf(name + used, capacity - (size_t)used,
				 turn == STORE_TURN_ENTRY ? "%02x" : "%c", (unsigned char)key.bytes[i]);
}

int store_begin(struct store *store, enum store_turn turn, struct text key, struct err *err)
{
	char doing[64 + TURN_KEY_BYTES];

	if (refuse_reader(store, err) == 0 && store_in_place(store, err) == 0 &&
	    store_execute(store, "BEGIN IMMEDIATE", "beginning a transaction", err) == 0)
		return 0;
	name_turn(turn, key, doing, sizeof(doing));
	return err_while(err, "%s", doing);
}

int store_commit(struct store *store, struct err *err)
{
	if (store_execute(store, "COMMIT", "committing", err) == 0)
		return 0;
	store_rollback(store);
	return -1;
}

/* Some errors have rolled back already; then there is nothing to do. */
void store_rollback(struct store *store)
{
	if (store->db && !sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* --- Statements ----------------------------------------------------------------------- */

static int prepared(struct store *store, unsigned statement, sqlite3_stmt **out, struct err *err)
{
	int code;

	if (statement >= STATEMENTS)
		return err_set(err, ERR_INTERNAL, "there is no statement %u", statement);
	if (!store->db)
		return refuse_closed(store, store_statement_name(statement), err);
	if (!store->statements[statement]) {
		code = sqlite3_prepare_v3(store->db, store_statement_sql(statement), -1,
					  SQLITE_PREPARE_PERSISTENT, &store->statements[statement],
					  NULL);
		if (code != SQLITE_OK)
			return store_failed(store, code, store_statement_name(statement), err);
	}
	*out = store->statements[statement];
	if (sqlite3_stmt_busy(*out))
		return err_set(err, ERR_INTERNAL, "%s runs inside its own rows",
			       store_statement_name(statement));
	return 0;
}

static int bind_one(sqlite3_stmt *statement, int at, const struct store_value *value)
{
	/* A NULL pointer would bind NULL instead of an empty text. */
	const char *bytes = value->text.bytes ? value->text.bytes : "";

	switch (value->type) {
	case STORE_INT:
		return sqlite3_bind_int64(statement, at, value->number);
	case STORE_TEXT:
		return sqlite3_bind_text64(statement, at, bytes, value->text.size, SQLITE_STATIC,
					   SQLITE_UTF8);
	case STORE_BYTES:
		return sqlite3_bind_blob64(statement, at, bytes, value->text.size, SQLITE_STATIC);
	case STORE_NULL:
		break;
	}
	return sqlite3_bind_null(statement, at);
}

static int bind_all(sqlite3_stmt *statement, const struct store_value *parameters, unsigned count)
{
	if ((unsigned)sqlite3_bind_parameter_count(statement) != count)
		return SQLITE_RANGE;
	for (unsigned i = 0; i < count; i++) {
		int code = bind_one(statement, (int)i + 1, &parameters[i]);

		if (code != SQLITE_OK)
			return code;
	}
	return SQLITE_OK;
}

static void read_column(sqlite3_stmt *statement, int at, struct store_value *value)
{
	*value = (struct store_value){ .type = STORE_NULL };
	switch (sqlite3_column_type(statement, at)) {
	case SQLITE_INTEGER:
		value->type = STORE_INT;
		value->number = sqlite3_column_int64(statement, at);
		break;
	case SQLITE_TEXT:
	case SQLITE_FLOAT:
		value->type = STORE_TEXT;
		value->text.bytes = (const char *)sqlite3_column_text(statement, at);
		break;
	case SQLITE_BLOB:
		value->type = STORE_BYTES;
		value->text.bytes = sqlite3_column_blob(statement, at);
		break;
	default:
		return;
	}
	if (value->type != STORE_INT)
		value->text.size = (size_t)sqlite3_column_bytes(statement, at);
	if (value->type != STORE_INT && !value->text.bytes)
		value->text.bytes = "";
}

static int hand_over_row(sqlite3_stmt *statement, store_row_fn *row, void *payload)
{
	struct store_value columns[COLUMNS_MAX];
	unsigned count = (unsigned)sqlite3_column_count(statement);

	if (count > COLUMNS_MAX)
		count = COLUMNS_MAX;
	for (unsigned i = 0; i < count; i++)
		read_column(statement, (int)i, &columns[i]);
	return row(payload, columns, count);
}

int64_t store_run(struct store *store, unsigned statement, const struct store_value *parameters,
		  unsigned parameter_count, store_row_fn *row, void *payload, struct err *err)
{
	sqlite3_stmt *prepared_one = NULL;
	int64_t rows = 0;
	int code;

	if (prepared(store, statement, &prepared_one, err) < 0)
		return -1;
	if (!sqlite3_stmt_readonly(prepared_one) && sqlite3_get_autocommit(store->db) &&
	    (refuse_reader(store, err) < 0 || store_in_place(store, err) < 0))
		return err_while(err, "%s", store_statement_name(statement));
	code = bind_all(prepared_one, parameters, parameter_count);
	if (code == SQLITE_OK)
		code = sqlite3_step(prepared_one);
	while (code == SQLITE_ROW) {
		rows++;
		if (row && hand_over_row(prepared_one, row, payload) != 0)
			code = SQLITE_DONE;
		else
			code = sqlite3_step(prepared_one);
	}
	if (code == SQLITE_DONE && !sqlite3_stmt_readonly(prepared_one) && !row)
		rows = sqlite3_changes64(store->db);
	if (code != SQLITE_DONE)
		store_failed(store, code, store_statement_name(statement), err);
	sqlite3_reset(prepared_one);
	sqlite3_clear_bindings(prepared_one);
	return code == SQLITE_DONE ? rows : -1;
}
