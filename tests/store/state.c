/* state.c -- see state.h. */
#include "store/state.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "supervisor/supervisor.h"

#define HOUR 3600
#define DAY  86400

void state_make(struct state *state)
{
	static const struct config_cache_times downloaded = { DAY, HOUR, DAY, DAY, 50 };
	static const struct config_cache_times derived = { 7 * DAY, HOUR, DAY, DAY, 20 };
	static const struct config_cache_times index_times = { 7 * DAY, 600, 600, 600, 20 };

	const char *place = getenv("TMPDIR");

	supervisor_register_counters();
	memset(state, 0, sizeof(*state));
	snprintf(state->folder, sizeof(state->folder), "%s/symgate-test-XXXXXX",
		 place && place[0] == '/' ? place : P_tmpdir);
	ck_assert_ptr_nonnull(mkdtemp(state->folder));
	snprintf(state->cache_folder, sizeof(state->cache_folder), "%s/cache", state->folder);
	state->config.state_dir = state->folder;
	state->config.cache_dir = state->cache_folder;
	state->config.downloaded = downloaded;
	state->config.derived = derived;
	state->config.index = index_times;
	state->config.cache_quota_bytes = CONFIG_UNLIMITED;
	state->config.enable_cache_cleanup = true;
	state->config.cache_cleanup_interval_seconds = 900;
	state->config.max_concurrent_requests = 200;
	state->config.job_seconds = 900;
}

void state_open(struct state *state)
{
	struct err err = ERR_INIT;

	if (!state->folder[0])
		state_make(state);
	ck_assert_msg(store_open(&state->store, &state->config, &err) == 0, "%s", err.text);
	ck_assert_msg(board_open(&state->board, &state->config, &err) == 0, "%s", err.text);
}

void state_close(struct state *state)
{
	store_close(state->store);
	board_close(state->board);
	state->store = NULL;
	state->board = NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void state_remove(struct state *state)
{
	state_close(state);
	nftw(state->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	ck_assert_int_eq(mem_live, 0);
}

const char *state_path(const struct state *state, const char *relative)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", state->folder, relative);
	return path;
}

static sqlite3 *open_other(const struct state *state)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(state_path(state, "symgate.db"), &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	return db;
}

void state_sql(const struct state *state, const char *sql)
{
	sqlite3 *db = open_other(state);
	char *words = NULL;

	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &words) == SQLITE_OK, "%s: %s", sql,
		      words ? words : "?");
	sqlite3_close(db);
}

int64_t state_ask(const struct state *state, const char *sql)
{
	sqlite3 *db = open_other(state);
	sqlite3_stmt *statement = NULL;
	int64_t number = -1;

	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
		      sqlite3_errmsg(db));
	if (sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((long)write(fd, bytes, size), (long)size);
	close(fd);
}

int in_child(void (*work)(void *payload), void *payload)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		work(payload);
		_exit(EXIT_SUCCESS);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void be_nobody(void)
{
	if (geteuid() != 0)
		return;
	if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
		_exit(99);
}
