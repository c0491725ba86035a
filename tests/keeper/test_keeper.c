/*
 * test_keeper -- one keeper per state folder, its errands, and how it leaves.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "cache/cache.h"
#include "job/job.h"
#include "keeper/keeper.h"
#include "store/state.h"
#include "supervisor/supervisor.h"
#include "support/support.h"

#define PATIENCE_MILLIS 60000
#define LEAVES_MILLIS   10000        /* long before its next round would wake it */

static pid_t start_keeper(struct state *state)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = ERR_INIT;
		struct board *board;

		/* A process of its own: what the parent has open is not for it. */
		if (board_open(&board, &state->config, &err) < 0 ||
		    keeper_run(&state->config, board, supervisor_meters(), &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			_exit(EXIT_FAILURE);
		}
		board_close(board);
		_exit(EXIT_SUCCESS);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

static void leaves_soon(pid_t pid)
{
	int64_t started = clock_monotonic_millis();
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_lt(clock_monotonic_millis() - started, support_stretched(LEAVES_MILLIS));
}

/* Waits for the answer to become that. */
static void until(struct state *state, const char *sql, int64_t wanted)
{
	int64_t end = clock_monotonic_millis() + support_stretched(PATIENCE_MILLIS);

	while (state_ask(state, sql) != wanted) {
		ck_assert_msg(clock_monotonic_millis() < end, "never: %s = %lld", sql, (long long)wanted);
		usleep(20000);
	}
}

START_TEST(does_its_errands)
{
	struct state state = { 0 };
	struct jobs jobs;
	struct err err = ERR_INIT;
	char id[JOB_ID_BYTES];
	pid_t keeper;

	state_make(&state);
	state.config.cache_cleanup_interval_seconds = 1;
	state.config.job_seconds = 1;
	state_open(&state);
	jobs = (struct jobs){ .config = &state.config, .store = state.store, .board = state.board };
	ck_assert_msg(job_submit(&jobs, &(struct job_order){ .kind = "symbolicate", .body = TEXT("x") },
				 id, &err) == 0, "%s",
		      err.text);
	keeper = start_keeper(&state);
	until(&state, "SELECT count(*) FROM job WHERE state = 'timeout'", 1);
	state_sql(&state, "INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, "
		  "details, boot, build_id, made_at, used_at) VALUES ('objects', 1, zeroblob(32), "
		  "zeroblob(32), 'not_found', 0, 'old', 1, 'x', 1, 1)");
	until(&state, "SELECT count(*) FROM cache_entry", 0);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM boot"), 1);
	board_bump(state.board, BOARD_STOP);
	leaves_soon(keeper);
	state_remove(&state);
}
END_TEST

/* Samples and hosts of long ago. */
START_TEST(old_history_is_dropped)
{
	struct state state = { 0 };
	pid_t keeper;

	state_open(&state);
	state_sql(&state, "INSERT INTO host_state (host, named_by, owner, state, since) "
		  "VALUES ('a', 'operator', 'w', 'closed', 1000)");
	state_sql(&state, "INSERT INTO sample SELECT 3600, 3600, 'n', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		  "0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0");
	keeper = start_keeper(&state);
	until(&state, "SELECT (SELECT count(*) FROM sample) + (SELECT count(*) FROM host_state)", 0);
	board_bump(state.board, BOARD_STOP);
	leaves_soon(keeper);
	state_remove(&state);
}
END_TEST

static void publish_much(struct state *state)
{
	static char payload[1000];
	struct store *store;
	struct cache *cache;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, 1 << 20);
	ck_assert_int_eq(store_open(&store, &state->config, &err), 0);
	ck_assert_int_eq(cache_open(&cache, &state->config, state->board, store, &err), 0);
	for (int i = 0; i < 100; i++) {
		struct cache_key key;
		char rest[32];

		snprintf(rest, sizeof(rest), "number %d", i);
		ck_assert_int_eq(cache_key_make(&key, &arena, CACHE_OBJECT_META, TEXT_NONE,
						text_of(rest), &err), 0);
		ck_assert_int_eq(cache_publish_small(cache, store, &key, (struct text){ payload,
						     sizeof(payload) }, &err), 0);
	}
	cache_close(cache);
	store_close(store);
	arena_release(&arena);
}

/* Long before the next round, and though nobody wants anything expired removed. */
START_TEST(keeps_the_quota_in_between)
{
	struct state state = { 0 };
	pid_t keeper;

	state_make(&state);
	state.config.cache_cleanup_interval_seconds = 100000;
	state.config.enable_cache_cleanup = false;
	state.config.cache_quota_bytes = 20 * 2024;
	state_open(&state);
	state_sql(&state, "INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, "
		  "details, boot, build_id, made_at, used_at) VALUES ('objects', 1, zeroblob(32), "
		  "zeroblob(32), 'not_found', 0, 'old', 1, 'x', 1, unixepoch() + 1000)");
	keeper = start_keeper(&state);
	until(&state, "SELECT count(*) FROM boot", 1);
	usleep(300000);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM cache_entry"), 1);
	publish_much(&state);
	until(&state, "SELECT count(*) BETWEEN 19 AND 21 FROM cache_entry", 1);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM cache_entry WHERE state = 'not_found'"), 1);
	board_bump(state.board, BOARD_STOP);
	leaves_soon(keeper);
	state_remove(&state);
}
END_TEST

/* The second stands by and takes over from the first, however that one ends. */
START_TEST(there_is_one_and_another_follows)
{
	struct state state = { 0 };
	pid_t first, second;
	int status;

	state_make(&state);
	state.config.cache_cleanup_interval_seconds = 1;
	state_open(&state);
	first = start_keeper(&state);
	until(&state, "SELECT count(*) FROM boot", 1);
	second = start_keeper(&state);
	usleep(300000);
	ck_assert_int_eq(waitpid(second, &status, WNOHANG), 0);
	ck_assert_int_eq(kill(first, SIGKILL), 0);
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	/* Nobody else lived: its coming is a new boot. */
	until(&state, "SELECT count(*) FROM boot", 2);
	board_bump(state.board, BOARD_STOP);
	leaves_soon(second);
	state_remove(&state);
}
END_TEST

START_TEST(a_keeper_in_waiting_leaves_too)
{
	struct state state = { 0 };
	pid_t keepers[2];

	state_open(&state);
	for (int i = 0; i < 2; i++)
		keepers[i] = start_keeper(&state);
	until(&state, "SELECT count(*) FROM boot", 1);
	usleep(300000);
	board_bump(state.board, BOARD_STOP);
	for (int i = 0; i < 2; i++)
		leaves_soon(keepers[i]);
	state_remove(&state);
}
END_TEST

START_TEST(leaves_when_the_folder_is_gone)
{
	struct state state = { 0 };
	char command[320];
	pid_t keeper;

	state_open(&state);
	keeper = start_keeper(&state);
	until(&state, "SELECT count(*) FROM boot", 1);
	snprintf(command, sizeof(command), "rm -rf '%s'", state.folder);
	ck_assert_int_eq(system(command), 0);
	leaves_soon(keeper);
	state_remove(&state);
}
END_TEST

START_TEST(once_is_all_at_once)
{
	struct state state = { 0 };
	struct cache_round round;
	struct err err = ERR_INIT;

	state_open(&state);
	state_sql(&state, "INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, "
		  "details, boot, build_id, made_at, used_at) VALUES ('objects', 1, zeroblob(32), "
		  "zeroblob(32), 'not_found', 0, 'old', 1, 'x', 1, 1)");
	ck_assert_msg(keeper_once(&state.config, state.board, true, &round, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(round.removed_entries, 1);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM cache_entry"), 1);
	ck_assert_int_eq(keeper_once(&state.config, state.board, false, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 1);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM cache_entry"), 0);
	state_remove(&state);
}
END_TEST

static int once(void *payload, struct err *err)
{
	struct state *state = payload;
	struct cache_round round;

	return keeper_once(&state->config, state->board, false, &round, err);
}

START_TEST(survives_every_allocation_failure)
{
	struct state state = { 0 };

	state_open(&state);
	support_every_allocation_failure(once, &state, 100);
	state_remove(&state);
}
END_TEST

START_TEST(says_why_it_cannot)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;

	state_open(&state);
	state_sql(&state, "PRAGMA user_version = 77");
	ck_assert_int_eq(keeper_run(&state.config, state.board, supervisor_meters(), &err), -1);
	ck_assert_msg(strstr(err.text, "keeper: the database is of a newer symgate"), "%s", err.text);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("keeper");
	TCase *tcase = tcase_create("keeper");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, does_its_errands);
	tcase_add_test(tcase, old_history_is_dropped);
	tcase_add_test(tcase, keeps_the_quota_in_between);
	tcase_add_test(tcase, there_is_one_and_another_follows);
	tcase_add_test(tcase, a_keeper_in_waiting_leaves_too);
	tcase_add_test(tcase, leaves_when_the_folder_is_gone);
	tcase_add_test(tcase, once_is_all_at_once);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, says_why_it_cannot);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
