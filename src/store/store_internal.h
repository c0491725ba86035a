/* store_internal.h -- what the store's own files share; nobody else includes this but its tests. */
#ifndef STORE_STORE_INTERNAL_H
#define STORE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "store/statements.h"
#include "store/store.h"

#define STORE_PATH_BYTES   4096u
#define STORE_BUSY_MILLIS  5000

/* One file of the database as it was when this connection opened it; ino 0: there was none. */
struct store_file {
	dev_t dev;
	ino_t ino;
};
enum { STORE_FILE_MAIN, STORE_FILE_WAL, STORE_FILE_SHM, STORE_FILES };

struct store {
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];    /* prepared at first use */
	char *state_dir;
	bool is_temporary;           /* nothing of it needs to last */
	char path[STORE_PATH_BYTES];             /* of the database */
	int service_fd;                          /* the service lock, shared; -1: not joined */
	int files_fd;                            /* the lock on them; -1: none */
	struct store_file files[STORE_FILES];
	bool is_alone;                           /* the lock is ours alone, until files are settled */
	bool rescued;                            /* store_in_place() saved what was left to save */
	bool only_reads;                         /* store_only_read() */
};

/* store_place.c: before SQLite opens the files, which must be those everybody else has open, or nobody has
 * any: waits for that.  ERR_BUSY after some seconds. */
int store_lock_files(struct store *store, struct err *err) __attribute__((warn_unused_result));
/* After it has opened them.  1: they are; 0: others came in between, to be closed again; -1. */
int store_settle_files(struct store *store, struct err *err) __attribute__((warn_unused_result));
/* Before it closes them. */
void store_prepare_close(struct store *store);
/* After it has closed them. */
void store_unlock_files(struct store *store);

/* Fills *err with what SQLite's result code means to an operator.  Returns -1. */
int store_failed(const struct store *store, int code, const char *doing, struct err *err);

/* The same for damage, with the way out.  Returns -1. */
int store_is_damaged(const struct store *store, const char *doing, const char *words, struct err *err);

/* One statement without parameters and without interest in rows. */
int store_execute(struct store *store, const char *sql, const char *doing, struct err *err)
	__attribute__((warn_unused_result));
/* The first column of the first row as a number; -1 when there is no row. */
int store_ask_number(struct store *store, const char *sql, int64_t *number, struct err *err)
	__attribute__((warn_unused_result));

/* Brings the database to the newest schema, or refuses one that is newer. */
int store_migrate(struct store *store, struct err *err) __attribute__((warn_unused_result));

/* The texts of sql/, as compiled in. */
const char *store_statement_name(unsigned statement);
const char *store_statement_sql(unsigned statement);
unsigned store_schema_version(void);
/* NULL-ended lists of statements: migration 1 ... version, and sql/schema.sql. */
const char *const *store_migration_script(unsigned version);
const char *const *store_schema_script(void);

#endif
