/*
 * store -- SQLite, and nobody else knows it is.
 *
 * One connection per thread, opened after the last fork.  Statements are prepared once
 * per connection, by name from sql/<component>.sql (made into src/store/statements.h at build
 * time).  Writers take BEGIN IMMEDIATE; no statement stays open across a wait.
 *
 * May include: base, config.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct config;
struct err;
struct store;

/* Opens STATE_DIR/symgate.db, making it and migrating it when needed (one process does).
 * A database newer than the program is refused with words; so is a corrupt one. */
int  store_open(struct store **store, const struct config *config, struct err *err)
	__attribute__((warn_unused_result));
void store_close(struct store *store);
/* After store_in_place() has failed: closes what is gone and opens what is there now, which waits for
 * others to do so.  -1: it stays closed, and all that is asked of it fails. */
int  store_reopen(struct store *store, struct err *err) __attribute__((warn_unused_result));

/* Gives back what it holds in memory to be quick, which it takes again when it is next used: for those that
 * may never be. */
void store_rest(struct store *store);

/* From now on this connection only reads: it never waits for whoever writes.  What would write is refused as
 * ERR_INTERNAL, before the database is asked. */
void store_only_read(struct store *store);
bool store_only_reads(const struct store *store);

/* What a transaction keeps others out of while it looks and writes.  Two of one turn with the same
 * key, or one of them without a key, never overlap; nothing may rely on more than that.  SQLite
 * has one writer, so that here no two transactions of any turn overlap. */
enum store_turn {
	STORE_TURN_SERVICE,          /* the schema, and which boot this is */
	STORE_TURN_ENTRY,            /* rows, flight and blob of a cache key: its text's hash */
	STORE_TURN_QUEUE,            /* how many jobs there are, and who takes the next */
	STORE_TURN_JOB,              /* one job's row and files: its id */
	STORE_TURN_SAMPLE,           /* samples of what is counted */
	STORE_TURNS
};

/* key TEXT_NONE: every key of that turn.  ERR_BUSY names the turn. */
int store_begin(struct store *store, enum store_turn turn, struct text key, struct err *err)
	__attribute__((warn_unused_result));
int store_commit(struct store *store, struct err *err) __attribute__((warn_unused_result));
void store_rollback(struct store *store);

enum store_type { STORE_NULL, STORE_INT, STORE_TEXT, STORE_BYTES };
struct store_value {
	enum store_type type;
	int64_t number;
	struct text text;            /* TEXT and BYTES; rows: valid until the next step */
};
static inline struct store_value store_int(int64_t number)
{
	return (struct store_value){ .type = STORE_INT, .number = number };
}
static inline struct store_value store_text(struct text text)
{
	return (struct store_value){ .type = text.bytes ? STORE_TEXT : STORE_NULL, .text = text };
}
static inline struct store_value store_bytes(const void *bytes, size_t size)
{
	return (struct store_value){ .type = STORE_BYTES, .text = { bytes, size } };
}

/* One row of a result: columns in SELECT order.  Nonzero stops. */
typedef int store_row_fn(void *payload, const struct store_value *columns, unsigned count);

/* Runs a named statement (STATEMENT_cache_find, ...: see the made header) with its parameters
 * in the order :a, :b ... first appear.  row may be NULL.  Returns the number of rows changed
 * (or rows seen, when row is set), or -1: ERR_BUSY, ERR_IO, ERR_INTERNAL. */
int64_t store_run(struct store *store, unsigned statement,
		  const struct store_value *parameters, unsigned parameter_count,
		  store_row_fn *row, void *payload, struct err *err)
	__attribute__((warn_unused_result));

/* -1 with ERR_IO once a file of the database was removed or replaced under us: what we wrote from
 * now on nobody else would see, and others' files could be damaged by it.  Writing refuses then;
 * what is committed is saved if it still can be.  The caller closes and opens anew (a process of
 * the service leaves and is started again). */
int store_in_place(struct store *store, struct err *err) __attribute__((warn_unused_result));

/* For /readyz: can we read and write, and has nobody met damage? */
int store_check(struct store *store, struct err *err) __attribute__((warn_unused_result));
int store_backup(struct store *store, const char *path, struct err *err)
	__attribute__((warn_unused_result));
int store_checkpoint(struct store *store, struct err *err) __attribute__((warn_unused_result));

#endif
