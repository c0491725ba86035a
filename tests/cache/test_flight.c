/*
 * test_flight -- one maker per key, across processes and deaths.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define REST "source: foo\nlocation: file://bar.baz\n"

static int claim(struct bench *bench, const struct cache_key *key, const char *owner)
{
	struct err err = ERR_INIT;
	int mine = cache_claim(bench->cache, bench->state.store, key, owner, &err);

	ck_assert_msg(mine >= 0, "%s", err.text);
	return mine;
}

START_TEST(one_owner_at_a_time)
{
	struct bench bench;
	struct cache_key key, other;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	other = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	ck_assert_int_eq(claim(&bench, &other, "b"), 1);
	/* Not b's to give up. */
	cache_unclaim(bench.cache, bench.state.store, &key, "b");
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	cache_unclaim(bench.cache, bench.state.store, &key, "a");
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	bench_remove(&bench);
}
END_TEST

START_TEST(publishing_ends_the_flight)
{
	struct bench bench;
	struct cache_key key;
	uint32_t seen;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	seen = board_read(bench.state.board, BOARD_CACHE_CHANGED);
	bench_put(&bench, &key, "x");
	ck_assert_uint_ne(board_read(bench.state.board, BOARD_CACHE_CHANGED), seen);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	/* Who claims after that is told to look again, and woken for it. */
	seen = board_read(bench.state.board, BOARD_CACHE_CHANGED);
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	ck_assert_uint_ne(board_read(bench.state.board, BOARD_CACHE_CHANGED), seen);
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	bench_invalidate(&bench, &key);
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	bench_fail(&bench, &key, ERR_TIMEOUT);
	ck_assert_int_eq(claim(&bench, &key, "a"), 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	bench_invalidate(&bench, &key);
	ck_assert_str_eq(bench_find(&bench, &key), "timeout");
	bench_now += 86400;
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	bench_fail(&bench, &key, ERR_IO);
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	bench_remove(&bench);
}
END_TEST

START_TEST(the_claims_of_the_dead_are_free_at_once)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	ck_assert_int_eq(cache_claims_release_dead_owner(bench.cache, bench.state.store, "b", &err), 0);
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	ck_assert_int_eq(cache_claims_release_dead_owner(bench.cache, bench.state.store, "a", &err), 0);
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT attempt FROM flight"), 2);
	bench_remove(&bench);
}
END_TEST

START_TEST(a_lease_runs_out_unless_renewed)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	bench_now += CACHE_LEASE_SECONDS - 1;
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	ck_assert_int_eq(cache_claims_renew(bench.cache, bench.state.store, "a", &err), 0);
	bench_now += CACHE_LEASE_SECONDS - 1;
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	bench_now += 1;
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT attempt FROM flight"), 2);
	/* The clock was set back by a day: no lease lasts that long. */
	bench_now -= 86400;
	ck_assert_int_eq(claim(&bench, &key, "a"), 1);
	bench_remove(&bench);
}
END_TEST

struct killed {
	struct state *state;
	const struct cache_key *key;
};

static void claim_and_die(void *payload)
{
	struct killed *killed = payload;
	struct err err = ERR_INIT;
	struct store *store;
	struct board *board;
	struct cache *cache;

	if (store_open(&store, &killed->state->config, &err) < 0 ||
	    board_open(&board, &killed->state->config, &err) < 0 ||
	    cache_open(&cache, &killed->state->config, board, store, &err) < 0)
		_exit(EXIT_FAILURE);
	bench_set_clock(cache);
	if (cache_claim(cache, store, killed->key, "child", &err) != 1)
		_exit(EXIT_FAILURE);
	kill(getpid(), SIGKILL);
}

START_TEST(the_dead_are_followed)
{
	struct bench bench;
	struct cache_key key;
	struct killed killed = { &bench.state, &key };
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	ck_assert_int_eq(in_child(claim_and_die, &killed), -1);
	ck_assert_int_eq(claim(&bench, &key, "b"), 0);
	bench_now += CACHE_LEASE_SECONDS;
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	cache_unclaim(bench.cache, bench.state.store, &key, "b");
	/* Its boot is over: at once. */
	cache_close(bench.cache);
	state_close(&bench.state);
	ck_assert_int_eq(in_child(claim_and_die, &killed), -1);
	state_open(&bench.state);
	ck_assert_int_eq(cache_open(&bench.cache, &bench.state.config, bench.state.board,
				    bench.state.store, &err), 0);
	bench_set_clock(bench.cache);
	ck_assert_int_eq(claim(&bench, &key, "b"), 1);
	bench_remove(&bench);
}
END_TEST

/* Many processes want one key: it is made once. */
static void make_if_mine(struct state *state, const struct cache_key *key, int number)
{
	struct err err = ERR_INIT;
	struct store *store;
	struct board *board;
	struct cache *cache;
	char owner[32];

	snprintf(owner, sizeof(owner), "child %d", number);
	if (store_open(&store, &state->config, &err) < 0 ||
	    board_open(&board, &state->config, &err) < 0 ||
	    cache_open(&cache, &state->config, board, store, &err) < 0)
		_exit(100);
	for (int tries = 0; tries < 1000; tries++) {
		uint32_t seen = board_read(board, BOARD_CACHE_CHANGED);
		struct cache_found found;
		int mine;

		if (cache_find(cache, store, key, &found, &err) < 0)
			_exit(101);
		if (found.state == CACHE_READY)
			_exit(text_is(found.payload, "made") ? 0 : 102);
		mine = cache_claim(cache, store, key, owner, &err);
		if (mine < 0)
			_exit(103);
		if (mine == 0) {
			board_wait(board, BOARD_CACHE_CHANGED, seen, 1000);
			continue;
		}
		usleep(20000);
		if (cache_publish_small(cache, store, key, TEXT("made"), &err) < 0)
			_exit(104);
		_exit(1);
	}
	_exit(105);
}

START_TEST(many_processes_make_it_once)
{
	enum { PROCESSES = 12 };
	struct bench bench;
	struct cache_key key;
	pid_t pids[PROCESSES];
	int makers = 0;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			make_if_mine(&bench.state, &key, i);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		ck_assert(WIFEXITED(status));
		ck_assert_int_le(WEXITSTATUS(status), 1);
		makers += WEXITSTATUS(status);
	}
	ck_assert_int_eq(makers, 1);
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flight");
	TCase *tcase = tcase_create("flight");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, one_owner_at_a_time);
	tcase_add_test(tcase, publishing_ends_the_flight);
	tcase_add_test(tcase, the_claims_of_the_dead_are_free_at_once);
	tcase_add_test(tcase, a_lease_runs_out_unless_renewed);
	tcase_add_test(tcase, the_dead_are_followed);
	tcase_add_test(tcase, many_processes_make_it_once);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
