/* test_store -- the database made, refused, broken, full, backed up. */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "store/boot.h"
#include "store/repair.h"
#include "store/store_internal.h"
#include "store/state.h"
#include "support/support.h"

static unsigned mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* --- Making and opening ------------------------------------------------------------------ */

START_TEST(makes_what_is_missing)
{
	struct state state;
	struct err err = ERR_INIT;
	char deep[320];

	state_make(&state);
	snprintf(deep, sizeof(deep), "%s/a/b", state.folder);
	state.config.state_dir = deep;
	ck_assert_msg(store_open(&state.store, &state.config, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(mode_of(deep), 0700);
	ck_assert_uint_eq(mode_of(state_path(&state, "a/b/symgate.db")), 0600);
	store_close(state.store);
	ck_assert_msg(store_open(&state.store, &state.config, &err) == 0, "again: %s", err.text);
	ck_assert_int_eq(store_check(state.store, &err), 0);
	state_remove(&state);
}
END_TEST

START_TEST(uses_the_write_ahead_log)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	int64_t number;

	state_open(&state);
	ck_assert_int_eq(store_ask_number(state.store, "SELECT count(*) FROM pragma_journal_mode "
					  "WHERE journal_mode = 'wal'", &number, &err), 0);
	ck_assert_int_eq(number, 1);
	ck_assert_int_eq(store_ask_number(state.store, "PRAGMA synchronous", &number, &err), 0);
	ck_assert_int_eq(number, 1);
	ck_assert_int_eq(store_ask_number(state.store, "PRAGMA foreign_keys", &number, &err), 0);
	ck_assert_int_eq(number, 1);
	state_remove(&state);
}
END_TEST

static int held_bytes(struct store *store)
{
	static const int what[] = { SQLITE_DBSTATUS_SCHEMA_USED, SQLITE_DBSTATUS_STMT_USED,
				    SQLITE_DBSTATUS_CACHE_USED };
	int sum = 0;

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		int now, most;

		ck_assert_int_eq(sqlite3_db_status(store->db, what[i], &now, &most, 0), SQLITE_OK);
		sum += now;
	}
	return sum;
}

START_TEST(holds_little_while_it_rests)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	int in_use;

	state_open(&state);
	ck_assert_int_eq(store_check(state.store, &err), 0);
	in_use = held_bytes(state.store);
	ck_assert_int_gt(in_use, 100 * 1024);
	store_rest(state.store);
	ck_assert_int_lt(held_bytes(state.store), 16 * 1024);
	ck_assert_msg(store_check(state.store, &err) == 0, "%s", err.text);
	ck_assert_int_gt(held_bytes(state.store), in_use / 2);
	state_remove(&state);
}
END_TEST

static void open_once(void *payload)
{
	const struct state *state = payload;
	struct err err = ERR_INIT;
	struct store *store;

	if (store_open(&store, &state->config, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		_exit(EXIT_FAILURE);
	}
	store_close(store);
}

/* Where memory cannot be shared between processes the old journal does. */
START_TEST(does_without_the_write_ahead_log)
{
	struct err err = ERR_INIT;
	int64_t number;

	for (int moved_here = 0; moved_here < 2; moved_here++) {
		struct state state;

		state_make(&state);
		if (moved_here)              /* made where it could be shared */
			open_once(&state);
		ck_assert_int_eq(mkdir(state_path(&state, "symgate.db-shm"), 0700), 0);
		ck_assert_msg(store_open(&state.store, &state.config, &err) == 0, "%s", err.text);
		ck_assert_int_eq(store_ask_number(state.store, "SELECT count(*) FROM "
			"pragma_journal_mode WHERE journal_mode = 'delete'", &number, &err), 0);
		ck_assert_int_eq(number, 1);
		ck_assert_msg(store_check(state.store, &err) == 0, "%s", err.text);
		ck_assert_int_eq(store_checkpoint(state.store, &err), 0);
		open_once(&state);
		state_remove(&state);
	}
}
END_TEST

/* All find the folder empty at once; one makes the schema, none fails. */
START_TEST(many_may_open_at_once)
{
	struct state state;
	pid_t pids[8];

	for (int round = 0; round < 5; round++) {
		state_make(&state);
		for (size_t i = 0; i < 8; i++) {
			pids[i] = fork();
			if (pids[i] == 0) {
				open_once(&state);
				_exit(EXIT_SUCCESS);
			}
		}
		for (size_t i = 0; i < 8; i++) {
			int status;

			ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
			ck_assert_int_eq(status, 0);
		}
		state_remove(&state);
	}
}
END_TEST

static int open_and_close(void *payload, struct err *err)
{
	struct state *state = payload;
	struct store *store;

	if (store_open(&store, &state->config, err) < 0)
		return -1;
	store_close(store);
	return 0;
}

START_TEST(survives_every_allocation_failure)
{
	struct state state;

	state_make(&state);
	support_every_allocation_failure(open_and_close, &state, 20);
	state_remove(&state);
}
END_TEST

/* --- Refusals ---------------------------------------------------------------------------- */

static void refused(struct state *state, enum err_kind kind, const char *words)
{
	struct err err = ERR_INIT;
	struct store *store;

	ck_assert_int_eq(store_open(&store, &state->config, &err), -1);
	ck_assert_ptr_null(store);
	ck_assert_msg(strstr(err.text, words) != NULL, "said: %s", err.text);
	ck_assert_str_eq(err_kind_name(err.kind), err_kind_name(kind));
}

START_TEST(refuses_a_newer_database)
{
	struct state state = { 0 };
	char words[80];

	state_open(&state);
	state_close(&state);
	state_sql(&state, "PRAGMA user_version = 999");
	snprintf(words, sizeof(words), "the database is of a newer symgate (999 > %u)",
		 store_schema_version());
	refused(&state, ERR_UNSUPPORTED, words);
	state_sql(&state, "PRAGMA user_version = -3");
	refused(&state, ERR_IO, "not a database of symgate");
	state_remove(&state);
}
END_TEST

START_TEST(refuses_what_is_no_database)
{
	struct state state;
	struct store_repair repair;
	struct err err = ERR_INIT;
	char bytes[8192];

	state_make(&state);
	memset(bytes, 'x', sizeof(bytes));
	write_file(state_path(&state, "symgate.db"), bytes, sizeof(bytes));
	refused(&state, ERR_IO, "is damaged");
	/* The way out it names is one. */
	snprintf(bytes, sizeof(bytes), "symgate --state-dir '%s' repair;", state.folder);
	refused(&state, ERR_IO, bytes);
	ck_assert_msg(store_repair(&state.config, NULL, &repair, &err) == 0, "%s", err.text);
	ck_assert_msg(store_open(&state.store, &state.config, &err) == 0, "%s", err.text);
	state_remove(&state);
}
END_TEST

/* A database whose pages were overwritten: words, whenever it is noticed. */
START_TEST(says_when_pages_are_damaged)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	char bytes[4096];
	struct stat st;
	int fd;

	state_open(&state);
	state_close(&state);
	ck_assert_int_eq(stat(state_path(&state, "symgate.db"), &st), 0);
	memset(bytes, 0xa5, sizeof(bytes));
	fd = open(state_path(&state, "symgate.db"), O_WRONLY);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		ck_assert_int_eq((long)pwrite(fd, bytes, sizeof(bytes), at), 4096);
	close(fd);
	if (store_open(&state.store, &state.config, &err) == 0)
		ck_assert_int_eq(store_check(state.store, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	ck_assert_msg(strstr(err.text, "is damaged") && strstr(err.text, "repair"), "%s", err.text);
	state_remove(&state);
}
END_TEST

static void expect_refusal(struct state *state, const char *words)
{
	struct err err = ERR_INIT;
	struct store *store;

	be_nobody();
	if (store_open(&store, &state->config, &err) == 0) {
		fprintf(stderr, "opened\n");
		_exit(EXIT_FAILURE);
	}
	if (err.kind != ERR_IO || !strstr(err.text, words)) {
		fprintf(stderr, "said (%s): %s\n", err_kind_name(err.kind), err.text);
		_exit(EXIT_FAILURE);
	}
}

static void open_unwritable(void *payload)
{
	expect_refusal(payload, "symgate.db");
}

static void open_unmakable(void *payload)
{
	expect_refusal(payload, "state_dir");
}

START_TEST(says_when_the_folder_cannot_be_written)
{
	struct state state = { 0 };
	char deep[320];

	state_open(&state);
	state_close(&state);
	ck_assert_int_eq(chmod(state_path(&state, "symgate.db"), 0444), 0);
	ck_assert_int_eq(chmod(state.folder, 0555), 0);
	ck_assert_int_eq(in_child(open_unwritable, &state), 0);
	snprintf(deep, sizeof(deep), "%s/below", state.folder);
	state.config.state_dir = deep;
	ck_assert_int_eq(in_child(open_unmakable, &state), 0);
	ck_assert_int_eq(chmod(state.folder, 0755), 0);
	state_remove(&state);
}
END_TEST

/* As a full disk does, a file size limit makes writes fail half-way. */
static void write_too_much(void *payload)
{
	struct state *state = payload;
	struct rlimit limit = { 16384, 16384 };
	struct err err = ERR_INIT;
	int rc = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (store_open(&state->store, &state->config, &err) < 0 || setrlimit(RLIMIT_FSIZE, &limit) < 0)
		_exit(EXIT_FAILURE);
	for (int i = 0; i < 100 && rc == 0; i++)
		rc = store_check(state->store, &err);
	if (rc == 0 || err.kind != ERR_IO || !strstr(err.text, "symgate.db")) {
		fprintf(stderr, "rc %d, said (%s): %s\n", rc, err_kind_name(err.kind), err.text);
		_exit(EXIT_FAILURE);
	}
}

START_TEST(says_when_the_disk_is_full)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;

	state_open(&state);
	state_close(&state);
	ck_assert_int_eq(in_child(write_too_much, &state), 0);
	ck_assert_msg(store_open(&state.store, &state.config, &err) == 0, "afterwards: %s", err.text);
	ck_assert_int_eq(store_check(state.store, &err), 0);
	state_remove(&state);
}
END_TEST

START_TEST(says_when_it_is_busy)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	struct store *other;

	state_open(&state);
	ck_assert_int_eq(store_open(&other, &state.config, &err), 0);
	ck_assert_int_eq(store_begin(other, STORE_TURN_QUEUE, TEXT_NONE, &err), 0);
	sqlite3_busy_timeout(state.store->db, 50);
	ck_assert_int_eq(store_begin(state.store, STORE_TURN_JOB, TEXT("an-id"), &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	ck_assert_msg(strstr(err.text, "taking the turn of job an-id"), "%s", err.text);
	ck_assert_int_eq(store_begin(state.store, STORE_TURN_ENTRY, TEXT("\x01\xfe\x03\x04\x05"), &err), -1);
	ck_assert_msg(strstr(err.text, "taking the turn of cache entry 01fe0304:"), "%s", err.text);
	ck_assert_int_eq(store_check(state.store, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	store_rollback(other);
	ck_assert_int_eq(store_check(state.store, &err), 0);
	store_close(other);
	state_remove(&state);
}
END_TEST

/* A partial index of entries is for one kind, and a plan that knew the value would be for that value. */
START_TEST(statements_are_prepared_once)
{
	const struct text kinds[] = { TEXT("objects"), TEXT("object_meta"), TEXT("symcaches") };
	struct state state = { 0 };
	struct err err = ERR_INIT;

	state_open(&state);
	for (unsigned i = 0; i < 3; i++) {
		const struct store_value values[4] = {
			store_text(kinds[i]), store_int(1), store_bytes("hash", 4), store_bytes("none", 4),
		};

		ck_assert_int_ge(store_run(state.store, STATEMENT_cache_find, values, 4, NULL, NULL, &err),
				 0);
	}
	ck_assert_ptr_nonnull(state.store->statements[STATEMENT_cache_find]);
	ck_assert_int_eq(sqlite3_stmt_status(state.store->statements[STATEMENT_cache_find],
					     SQLITE_STMTSTATUS_REPREPARE, 0), 0);
	state_remove(&state);
}
END_TEST

START_TEST(who_only_reads_waits_for_nobody)
{
	const struct store_value id = store_text(TEXT("an-id"));
	struct state state = { 0 };
	struct err err = ERR_INIT;
	struct store *writer;

	state_open(&state);
	ck_assert_int_eq(store_open(&writer, &state.config, &err), 0);
	ck_assert(!store_only_reads(state.store));
	store_only_read(state.store);
	ck_assert(store_only_reads(state.store));
	ck_assert_int_eq(store_begin(writer, STORE_TURN_QUEUE, TEXT_NONE, &err), 0);
	ck_assert_int_ge(store_run(state.store, STATEMENT_job_look, &id, 1, NULL, NULL, &err), 0);
	/* Refused by itself: asked, the database would be busy. */
	ck_assert_int_eq(store_begin(state.store, STORE_TURN_JOB, TEXT("an-id"), &err), -1);
	ck_assert_int_eq(err.kind, ERR_INTERNAL);
	ck_assert_int_eq(store_run(state.store, STATEMENT_store_boot_forget, &(struct store_value){ .type = STORE_INT },
				   1, NULL, NULL, &err), -1);
	ck_assert_int_eq(err.kind, ERR_INTERNAL);
	ck_assert_int_eq(store_commit(writer, &err), 0);
	ck_assert_int_eq(store_begin(state.store, STORE_TURN_JOB, TEXT("an-id"), &err), -1);
	store_close(writer);
	state_remove(&state);
}
END_TEST

/* --- Files that vanish ----------------------------------------------------------------------- */

static const struct { const char *what, *name; bool is_rescued; } vanishing[] = {
	{ "the log",   "symgate.db-wal", true },
	{ "its index", "symgate.db-shm", true },
	{ "all of it", "symgate.db",     false },
};

static int64_t count_boots(struct store *store)
{
	struct err err = ERR_INIT;
	int64_t number = -1;

	ck_assert_msg(store_ask_number(store, "SELECT count(*) FROM boot", &number, &err) == 0, "%s",
		      err.text);
	return number;
}

struct late { struct store *store; atomic_bool closed; };

/* A process that leaves a while after it has noticed. */
static void *close_late(void *payload)
{
	struct late *late = payload;

	usleep(300 * 1000);
	atomic_store(&late->closed, true);
	store_close(late->store);
	return NULL;
}

START_TEST(says_when_its_files_are_gone)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	struct store *other;
	struct late late;
	pthread_t thread;

	state_open(&state);
	state_sql(&state, "INSERT INTO boot (kernel_boot_id, build_id, started_at) VALUES ('k', 'b', 1)");
	ck_assert_int_eq(store_in_place(state.store, &err), 0);
	ck_assert_int_eq(unlink(state_path(&state, vanishing[_i].name)), 0);
	ck_assert_int_eq(store_check(state.store, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	ck_assert_msg(strstr(err.text, "was removed while it was in use") &&
		      strstr(err.text, vanishing[_i].name), "%s: %s", vanishing[_i].what, err.text);
	ck_assert_int_eq(store_begin(state.store, STORE_TURN_JOB, TEXT("an-id"), &err), -1);
	ck_assert_int_eq(store_in_place(state.store, &err), -1);
	late = (struct late){ .store = state.store };
	ck_assert_int_eq(pthread_create(&thread, NULL, close_late, &late), 0);
	ck_assert_msg(store_open(&other, &state.config, &err) == 0, "%s: %s", vanishing[_i].what, err.text);
	ck_assert_msg(atomic_load(&late.closed), "opened beside who has the old files");
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(count_boots(other), vanishing[_i].is_rescued ? 1 : 0);
	ck_assert_int_eq(store_check(other, &err), 0);
	ck_assert_int_eq(unlink(state_path(&state, vanishing[_i].name)), 0);
	ck_assert_int_eq(store_check(other, &err), -1);
	ck_assert_msg(store_reopen(other, &err) == 0, "%s", err.text);
	ck_assert_int_eq(count_boots(other), vanishing[_i].is_rescued ? 1 : 0);
	err_clear(&err);
	ck_assert_int_eq(store_check(other, &err), 0);
	store_close(other);
	state.store = NULL;
	state_remove(&state);
}
END_TEST

/* What many processes committed while the files vanished under them is there, and sound. */
enum { WRITERS = 4, VANISHINGS = 10, ROWS_BETWEEN = 10 };

struct writers {
	atomic_bool stop;
	atomic_long committed;
};

static bool write_row(struct store *store)
{
	struct err err = ERR_INIT;
	bool is_written;

	if (store_begin(store, STORE_TURN_JOB, TEXT("an-id"), &err) < 0)
		return false;
	usleep(1000);                        /* the longer it lasts, the more comes in between */
	is_written = store_execute(store, "INSERT INTO boot (kernel_boot_id, build_id, started_at) "
				   "VALUES (hex(randomblob(2000)), 'b', 1)", "writing", &err) == 0;
	if (!is_written)
		store_rollback(store);
	return is_written && store_commit(store, &err) == 0;
}

static void write_until_stopped(const struct config *config, struct writers *writers)
{
	struct err err = ERR_INIT;
	struct store *store;

	while (!atomic_load(&writers->stop)) {
		if (store_open(&store, config, &err) < 0) {
			if (err.kind == ERR_BUSY) {      /* on a busy machine: for longer than it waits */
				err_clear(&err);
				continue;
			}
			fprintf(stderr, "%s\n", err.text);
			_exit(EXIT_FAILURE);
		}
		while (!atomic_load(&writers->stop) && store_in_place(store, &err) == 0)
			if (write_row(store))
				atomic_fetch_add(&writers->committed, 1);
		store_close(store);
		err_clear(&err);
	}
	_exit(EXIT_SUCCESS);
}

START_TEST(nothing_is_torn_when_files_vanish)
{
	struct writers *writers = mmap(NULL, sizeof(*writers), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct state state = { 0 };
	int status;

	ck_assert_ptr_ne(writers, MAP_FAILED);
	state_open(&state);
	store_close(state.store);
	state.store = NULL;
	for (unsigned i = 0; i < WRITERS; i++) {
		pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (child == 0)
			write_until_stopped(&state.config, writers);
	}
	for (unsigned i = 0; i < VANISHINGS; i++) {
		long enough = atomic_load(&writers->committed) + ROWS_BETWEEN;

		(void)unlink(state_path(&state, i % 2 ? "symgate.db-wal" : "symgate.db-shm"));
		while (atomic_load(&writers->committed) < enough && waitpid(-1, &status, WNOHANG) == 0)
			usleep(1000);
	}
	atomic_store(&writers->stop, true);
	for (unsigned i = 0; i < WRITERS; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
	}
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM pragma_integrity_check "
				   "WHERE integrity_check <> 'ok'"), 0);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM boot"),
			 atomic_load(&writers->committed));
	munmap(writers, sizeof(*writers));
	state_remove(&state);
}
END_TEST

START_TEST(refuses_wrong_use)
{
	struct state state = { 0 };
	struct store_value one = store_int(1);
	struct err err = ERR_INIT;

	state_open(&state);
	ck_assert_int_eq(store_run(state.store, STATEMENT_store_probe, NULL, 0, NULL, NULL, &err), -1);
	ck_assert_int_eq(err.kind, ERR_INTERNAL);
	ck_assert_int_eq(store_run(state.store, STATEMENTS, &one, 1, NULL, NULL, &err), -1);
	ck_assert_int_eq(err.kind, ERR_INTERNAL);
	state_remove(&state);
}
END_TEST

/* --- Boots ------------------------------------------------------------------------------ */

START_TEST(boots_are_counted)
{
	struct state state;
	struct err err = ERR_INIT;
	struct store *stores[3];
	struct store_boot boot;

	state_make(&state);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(store_open(&stores[i], &state.config, &err), 0);
	ck_assert_int_eq(store_boot(stores[0], &boot, &err), 0);
	ck_assert_int_eq(boot.number, 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_msg(store_boot_join(stores[i], &boot, &err) == 0, "%s", err.text);
		ck_assert_int_eq(boot.number, 1);
	}
	ck_assert_int_eq(store_boot_join(stores[0], &boot, &err), 0);
	ck_assert_int_eq(boot.number, 1);
	/* The first leaves, the service lives on. */
	store_close(stores[0]);
	ck_assert_int_eq(store_open(&stores[0], &state.config, &err), 0);
	ck_assert_int_eq(store_boot_join(stores[0], &boot, &err), 0);
	ck_assert_int_eq(boot.number, 1);
	ck_assert_int_gt(boot.started_at, 1700000000);
	for (int i = 0; i < 3; i++)
		store_close(stores[i]);
	ck_assert_int_eq(store_open(&stores[0], &state.config, &err), 0);
	ck_assert_int_eq(store_boot_join(stores[0], &boot, &err), 0);
	ck_assert_int_eq(boot.number, 2);
	/* An upgrade while others live. */
	state_sql(&state, "UPDATE boot SET build_id = 'other'");
	ck_assert_int_eq(store_open(&stores[1], &state.config, &err), 0);
	ck_assert_int_eq(store_boot_join(stores[1], &boot, &err), 0);
	ck_assert_int_eq(boot.number, 3);
	store_close(stores[0]);
	store_close(stores[1]);
	state_remove(&state);
}
END_TEST

static void join_and_die(void *payload)
{
	const struct state *state = payload;
	struct err err = ERR_INIT;
	struct store_boot boot;
	struct store *store;

	if (store_open(&store, &state->config, &err) < 0 || store_boot_join(store, &boot, &err) < 0)
		_exit(EXIT_FAILURE);
	kill(getpid(), SIGKILL);
}

START_TEST(a_killed_service_has_ended)
{
	struct state state;

	state_make(&state);
	ck_assert_int_eq(in_child(join_and_die, &state), -1);
	ck_assert_int_eq(in_child(join_and_die, &state), -1);
	ck_assert_int_eq(state_ask(&state, "SELECT max(id) FROM boot"), 2);
	state_remove(&state);
}
END_TEST

START_TEST(a_new_boot_frees_what_the_dead_held)
{
	struct state state = { 0 };
	struct store_boot boot;
	struct err err = ERR_INIT;

	state_open(&state);
	state_sql(&state, "INSERT INTO job (id, kind, state, owner, lease_until, body_bytes, created_at, "
		  "deadline_at) VALUES (printf('%036d', 1), 'symbolicate', 'running', 'w', 9999999999, 1, "
		  "1, 9999999999);"
		  "INSERT INTO flight (kind, version, hash, owner, boot, lease_until, attempt, started_at) "
		  "VALUES ('objects', 1, zeroblob(32), 'w', 0, 9999999999, 1, 1)");
	ck_assert_int_eq(store_boot_join(state.store, &boot, &err), 0);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM flight"), 0);
	ck_assert_int_eq(state_ask(&state, "SELECT lapses FROM job WHERE state = 'queued'"), 1);
	state_remove(&state);
}
END_TEST

START_TEST(the_key_of_credentials_stays)
{
	struct state state;
	struct err err = ERR_INIT;
	uint8_t keys[2][32];

	state_make(&state);
	ck_assert_msg(store_credentials_key(&state.config, keys[0], &err) == 0, "%s", err.text);
	ck_assert_int_eq(store_credentials_key(&state.config, keys[1], &err), 0);
	ck_assert_mem_eq(keys[0], keys[1], 32);
	ck_assert_uint_eq(mode_of(state_path(&state, "credentials.key")), 0600);
	write_file(state_path(&state, "credentials.key"), "short", 5);
	ck_assert_int_eq(store_credentials_key(&state.config, keys[1], &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "cut short"));
	state_remove(&state);
}
END_TEST

/* --- Backup and checkpoint ------------------------------------------------------------------ */

START_TEST(backs_up_while_others_write)
{
	struct state state = { 0 }, copy;
	struct err err = ERR_INIT;
	struct store *other;

	state_open(&state);
	ck_assert_int_eq(store_check(state.store, &err), 0);
	ck_assert_int_eq(store_open(&other, &state.config, &err), 0);
	ck_assert_int_eq(store_begin(other, STORE_TURN_QUEUE, TEXT_NONE, &err), 0);
	ck_assert_int_eq(store_check(other, &err), 0);
	state_make(&copy);
	for (int twice = 0; twice < 2; twice++)
		ck_assert_msg(store_backup(state.store, state_path(&copy, "symgate.db"), &err) == 0,
			      "%s", err.text);
	ck_assert_uint_eq(mode_of(state_path(&copy, "symgate.db")), 0600);
	ck_assert_int_eq(state_ask(&copy, "SELECT count(*) FROM probe"), 1);
	ck_assert_int_eq(state_ask(&copy, "SELECT count(*) FROM pragma_integrity_check "
				   "WHERE integrity_check = 'ok'"), 1);
	ck_assert_int_eq(store_backup(state.store, "/nowhere/at/all", &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	store_close(other);
	state_close(&copy);
	state_close(&state);
	state_remove(&copy);
	state_remove(&state);
}
END_TEST

START_TEST(checkpoints_shorten_the_log)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;
	struct stat st;

	state_open(&state);
	ck_assert_int_eq(store_execute(state.store, "PRAGMA wal_autocheckpoint = 0", "test", &err), 0);
	ck_assert_int_eq(store_execute(state.store, "CREATE TABLE bulk (x); WITH RECURSIVE n (i) AS "
		"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) "
		"INSERT INTO bulk SELECT zeroblob(1000) FROM n; DROP TABLE bulk", "test", &err), 0);
	ck_assert_int_eq(stat(state_path(&state, "symgate.db-wal"), &st), 0);
	ck_assert_int_gt(st.st_size, 4 << 20);
	ck_assert_int_eq(store_checkpoint(state.store, &err), 0);
	ck_assert_int_eq(stat(state_path(&state, "symgate.db-wal"), &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("store");
	TCase *tcase = tcase_create("store");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, makes_what_is_missing);
	tcase_add_test(tcase, statements_are_prepared_once);
	tcase_add_test(tcase, uses_the_write_ahead_log);
	tcase_add_test(tcase, holds_little_while_it_rests);
	tcase_add_test(tcase, does_without_the_write_ahead_log);
	tcase_add_test(tcase, many_may_open_at_once);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, refuses_a_newer_database);
	tcase_add_test(tcase, refuses_what_is_no_database);
	tcase_add_test(tcase, says_when_pages_are_damaged);
	tcase_add_test(tcase, says_when_the_folder_cannot_be_written);
	tcase_add_test(tcase, says_when_the_disk_is_full);
	tcase_add_test(tcase, says_when_it_is_busy);
	tcase_add_test(tcase, who_only_reads_waits_for_nobody);
	tcase_add_loop_test(tcase, says_when_its_files_are_gone, 0,
			    (int)(sizeof(vanishing) / sizeof(vanishing[0])));
	tcase_add_test(tcase, nothing_is_torn_when_files_vanish);
	tcase_add_test(tcase, refuses_wrong_use);
	tcase_add_test(tcase, boots_are_counted);
	tcase_add_test(tcase, a_killed_service_has_ended);
	tcase_add_test(tcase, a_new_boot_frees_what_the_dead_held);
	tcase_add_test(tcase, the_key_of_credentials_stays);
	tcase_add_test(tcase, backs_up_while_others_write);
	tcase_add_test(tcase, checkpoints_shorten_the_log);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
