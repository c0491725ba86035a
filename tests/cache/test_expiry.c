/*
 * test_expiry -- how long failures and payloads are remembered, and how often they were asked for.
 */
#include <check.h>
#include <string.h>
#include <unistd.h>

#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define HOUR 3600
#define DAY  86400
#define REST "source: foo\nlocation: file://bar.baz\n"

/* --- How long what is remembered ----------------------------------------------------------- */

static const struct {
	const char *what;
	enum cache_kind kind;
	const char *scope;
	enum err_kind failure;
	int64_t seconds;             /* remembered that long, and no longer */
} times[] = {
	{ "missing download, private", CACHE_OBJECTS, "s", ERR_NOT_FOUND, HOUR },
	{ "missing download, public", CACHE_OBJECTS, NULL, ERR_NOT_FOUND, DAY },
	{ "scope of that name", CACHE_OBJECTS, "global", ERR_NOT_FOUND, HOUR },
	{ "denied", CACHE_OBJECTS, "s", ERR_DENIED, HOUR },
	{ "denied, public", CACHE_OBJECTS, NULL, ERR_DENIED, DAY },
	{ "timeout", CACHE_OBJECTS, "s", ERR_TIMEOUT, HOUR },
	{ "download error", CACHE_OBJECTS, "s", ERR_DOWNLOAD, HOUR },
	{ "unsupported", CACHE_SYMCACHES, "s", ERR_UNSUPPORTED, HOUR },
	{ "missing index", CACHE_SOURCE_INDEX, "s", ERR_NOT_FOUND, 600 },
	{ "missing index, public", CACHE_SOURCE_INDEX, NULL, ERR_NOT_FOUND, 600 },
	{ "malformed", CACHE_SYMCACHES, "s", ERR_MALFORMED, DAY },
	{ "malformed index", CACHE_SOURCE_INDEX, "s", ERR_MALFORMED, 600 },
	{ "crashed", CACHE_SYMCACHES, NULL, ERR_CRASHED, 60 },
	{ "limit", CACHE_SYMCACHES, "s", ERR_LIMIT, 60 },
};

START_TEST(failures_are_remembered_for_their_time)
{
	int64_t made = bench_now;
	struct bench bench;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, times[_i].kind, times[_i].scope, REST);
	bench_fail(&bench, &key, times[_i].failure);
	ck_assert_str_eq(bench_find(&bench, &key), err_kind_name(times[_i].failure));
	bench_now = made + times[_i].seconds - 1;
	ck_assert_msg(strcmp(bench_find(&bench, &key), err_kind_name(times[_i].failure)) == 0,
		      "%s: forgotten early", times[_i].what);
	ck_assert_msg(strcmp(bench_find_anew(&bench, &key), err_kind_name(times[_i].failure)) == 0,
		      "%s: forgotten early, from the row", times[_i].what);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT retry_at - made_at FROM cache_entry"),
			 times[_i].seconds);
	bench_now = made + times[_i].seconds;
	ck_assert_msg(strcmp(bench_find(&bench, &key), "absent") == 0, "%s: kept", times[_i].what);
	/* The clock was set back: what is ahead is no promise. */
	bench_now = made - HOUR;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	bench_now = made;
	bench_remove(&bench);
}
END_TEST

START_TEST(transient_failures_are_not_remembered)
{
	static const enum err_kind kinds[] = { ERR_IO, ERR_NO_MEMORY, ERR_BUSY, ERR_INTERNAL };
	struct bench bench;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bench_fail(&bench, &key, kinds[i]);
		ck_assert_str_eq(bench_find(&bench, &key), "absent");
	}
	bench_remove(&bench);
}
END_TEST

START_TEST(never_is_never)
{
	struct bench bench;
	struct cache_key key, ready;

	bench_open(&bench);
	bench.state.config.derived = (struct config_cache_times){ CONFIG_NEVER, CONFIG_NEVER,
		CONFIG_NEVER, CONFIG_NEVER, 1 };
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	ready = bench_key(&bench, CACHE_CFICACHES, NULL, REST);
	bench_fail(&bench, &key, ERR_NOT_FOUND);
	bench_put(&bench, &ready, "x");
	bench_now += 1000 * (int64_t)DAY;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "not_found");
	ck_assert_str_eq(bench_find_anew(&bench, &ready), "x");
	bench_remove(&bench);
}
END_TEST

START_TEST(malformed_ends_with_the_boot)
{
	struct bench bench;
	struct cache_key key, missing;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	missing = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	bench_fail(&bench, &key, ERR_MALFORMED);
	bench_fail(&bench, &missing, ERR_NOT_FOUND);
	bench_reopen(&bench);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert_str_eq(bench_find(&bench, &missing), "not_found");
	bench_remove(&bench);
}
END_TEST

START_TEST(crashes_are_retried_ever_later)
{
	int64_t expected = 60;
	struct bench bench;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	for (int i = 0; i < 14; i++) {
		bench_fail(&bench, &key, i % 2 ? ERR_LIMIT : ERR_CRASHED);
		bench_now += expected - 1;
		ck_assert_str_ne(bench_find(&bench, &key), "absent");
		bench_now += 1;
		ck_assert_str_eq(bench_find(&bench, &key), "absent");
		expected = expected * 2 < DAY ? expected * 2 : DAY;
	}
	/* Another build may be able to. */
	bench_fail(&bench, &key, ERR_CRASHED);
	state_sql(&bench.state, "UPDATE cache_entry SET build_id = 'older'");
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	bench_fail(&bench, &key, ERR_CRASHED);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT repeats FROM cache_entry"), 0);
	/* Success ends the count. */
	bench_put(&bench, &key, "x");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT repeats FROM cache_entry"), 0);
	bench_remove(&bench);
}
END_TEST

START_TEST(payloads_leave_when_unused)
{
	int64_t made = bench_now;
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	bench_put(&bench, &key, "x");
	bench_now = made + HOUR - 1;
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	ck_assert_int_eq(cache_write_touches(bench.cache, bench.state.store, &err), 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT used_at FROM cache_entry"), made);
	bench_now = made + HOUR;
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	ck_assert_int_eq(cache_write_touches(bench.cache, bench.state.store, &err), 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT used_at FROM cache_entry"), made + HOUR);
	bench_now = made + HOUR + DAY;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "x");
	bench_now += 1;
	ck_assert_int_eq(state_ask(&bench.state, "SELECT used_at FROM cache_entry"), made + HOUR);
	bench_now = made + HOUR + 2 * DAY + 2;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	bench_now = made - DAY;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	bench_now = made;
	bench_remove(&bench);
}
END_TEST

/* Whatever the times of its kind; not longer than those either. */
START_TEST(what_has_a_time_of_its_own_ends_with_it)
{
	int64_t made = bench_now;
	struct bench bench;
	struct cache_key ready, failed, late;
	struct cache_round round;
	struct err err = ERR_INIT;

	bench_open(&bench);
	ready = bench_key(&bench, CACHE_SOURCEFILES, NULL, REST);
	failed = bench_key(&bench, CACHE_SOURCEFILES, NULL, REST "form: js\n");
	late = bench_key(&bench, CACHE_SOURCEFILES, "s", REST);
	ready.fresh_until = failed.fresh_until = made + 60;
	late.fresh_until = made + 2 * HOUR;
	bench_put(&bench, &ready, "x");
	bench_fail(&bench, &failed, ERR_NOT_FOUND);
	bench_fail(&bench, &late, ERR_NOT_FOUND);
	bench_now = made + 59;
	ck_assert_str_eq(bench_find(&bench, &ready), "x");
	ck_assert_str_eq(bench_find_anew(&bench, &ready), "x");
	ck_assert_str_eq(bench_find_anew(&bench, &failed), "not_found");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT min(retry_at) - made_at FROM cache_entry"), 60);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT max(retry_at) - made_at FROM cache_entry"), HOUR);
	bench_now = made + 60;
	ck_assert_str_eq(bench_find(&bench, &ready), "absent");
	ck_assert_str_eq(bench_find_anew(&bench, &ready), "absent");
	ck_assert_str_eq(bench_find_anew(&bench, &failed), "absent");
	ck_assert_int_eq(cache_clean(bench.cache, bench.state.store, false, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 2);
	ck_assert_str_eq(bench_find_anew(&bench, &late), "not_found");
	bench_now = made + HOUR;
	ck_assert_str_eq(bench_find_anew(&bench, &late), "absent");
	bench_now = made;
	bench_remove(&bench);
}
END_TEST

START_TEST(entries_of_a_boot_go_with_it)
{
	struct bench bench;
	struct cache_key key;
	struct cache_round round;
	struct err err = ERR_INIT;

	state_make(&bench.state);
	bench.state.config.cache_is_of_boot = true;
	arena_init(&bench.arena, 1 << 20);
	state_open(&bench.state);
	ck_assert_int_eq(cache_open(&bench.cache, &bench.state.config, bench.state.board,
				    bench.state.store, &err), 0);
	bench_set_clock(bench.cache);
	key = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	bench_put(&bench, &key, "x");
	ck_assert_str_eq(bench_find_anew(&bench, &key), "x");
	bench_reopen(&bench);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert_int_eq(cache_clean(bench.cache, bench.state.store, false, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 1);
	ck_assert_int_ne(access(bench_blob(&bench, &key), F_OK), 0);
	bench_remove(&bench);
}
END_TEST

START_TEST(asks_are_counted)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	bench_fail(&bench, &key, ERR_NOT_FOUND);
	for (int i = 0; i < 10; i++) {
		ck_assert_str_eq(bench_find(&bench, &key), "not_found");
		bench_now += CACHE_ASK_SECONDS;
		ck_assert_int_eq(cache_write_touches(bench.cache, bench.state.store, &err), 0);
	}
	ck_assert_int_eq(state_ask(&bench.state, "SELECT asks FROM v_missing"), 11);
	bench_now += DAY;
	bench_fail(&bench, &key, ERR_NOT_FOUND);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT asks FROM v_missing "
				   "WHERE module = 'libfoo.so'"), 12);
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache expiry");
	TCase *tcase = tcase_create("cache");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, failures_are_remembered_for_their_time, 0,
			    (int)(sizeof(times) / sizeof(times[0])));
	tcase_add_test(tcase, transient_failures_are_not_remembered);
	tcase_add_test(tcase, never_is_never);
	tcase_add_test(tcase, malformed_ends_with_the_boot);
	tcase_add_test(tcase, crashes_are_retried_ever_later);
	tcase_add_test(tcase, payloads_leave_when_unused);
	tcase_add_test(tcase, what_has_a_time_of_its_own_ends_with_it);
	tcase_add_test(tcase, entries_of_a_boot_go_with_it);
	tcase_add_test(tcase, asks_are_counted);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
