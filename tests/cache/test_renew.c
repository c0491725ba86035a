/*
 * test_renew -- what is past its time, but still what its server has.
 */
#include <check.h>
#include <string.h>
#include <unistd.h>

#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define HOUR 3600
#define DAY  86400
#define REST "source: web\nlocation: http://h/a.js\n"

static struct cache_key versioned_key(struct bench *bench)
{
	struct cache_key key = bench_key(bench, CACHE_SOURCEFILES, "s", REST);

	key.fresh_until = bench_now + 60;
	key.etag = TEXT("\"1\"");
	key.last_modified = TEXT("Sun, 06 Nov 1994 08:49:37 GMT");
	return key;
}

/* The id of the stale row; 0: there is none. */
static int64_t find_stale(struct bench *bench, const struct cache_key *key, struct cache_stale *stale)
{
	struct err err = ERR_INIT;
	int there = cache_find_stale(bench->cache, bench->state.store, key, &bench->arena, stale, &err);

	ck_assert_msg(there >= 0, "%s", err.text);
	ck_assert_int_eq(there, stale->id != 0);
	return stale->id;
}

static int renew(struct bench *bench, const struct cache_key *key, int64_t id)
{
	struct err err = ERR_INIT;
	int rc = cache_renew(bench->cache, bench->state.store, key, id, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

static uint64_t clean(struct bench *bench)
{
	struct cache_round round;
	struct err err = ERR_INIT;

	ck_assert_int_eq(cache_clean(bench->cache, bench->state.store, false, &round, &err), 0);
	return round.removed_entries;
}

static int64_t claim(struct bench *bench, const struct cache_key *key)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(cache_claim(bench->cache, bench->state.store, key, "me", &err), 1);
	return state_ask(&bench->state, "SELECT count(*) FROM flight");
}

static void renews(void (*put)(struct bench *bench, const struct cache_key *key, const char *payload))
{
	int64_t made = bench_now, id;
	struct cache_stale stale;
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	key = versioned_key(&bench);
	put(&bench, &key, "x");
	bench_now = made + 60;
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert_uint_eq(clean(&bench), 0);
	id = find_stale(&bench, &key, &stale);
	ck_assert_int_ne(id, 0);
	ck_assert(text_is(stale.etag, "\"1\"") && text_equal(stale.last_modified, key.last_modified));
	ck_assert_int_eq(claim(&bench, &key), 1);
	key.fresh_until = bench_now + 100;
	key.etag = TEXT_NONE;
	key.last_modified = TEXT("Mon, 07 Nov 1994 08:49:37 GMT");
	ck_assert_int_eq(renew(&bench, &key, id + 1), 0);
	ck_assert_int_eq(renew(&bench, &key, id), 1);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	bench_now = made + 159;
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	ck_assert_str_eq(bench_find_anew(&bench, &key), "x");
	bench_now = made + 160;
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert_int_eq(find_stale(&bench, &key, &stale), id);
	ck_assert(text_is(stale.etag, "\"1\"") && text_equal(stale.last_modified, key.last_modified));
	bench_now = made;
	bench_remove(&bench);
}

START_TEST(a_blob_is_renewed)
{
	renews(bench_put);
}
END_TEST

START_TEST(a_payload_in_its_row_is_renewed)
{
	renews(bench_put_small);
}
END_TEST

/* Unused for its kind's time; while it is used, never. */
START_TEST(what_nobody_asks_for_leaves)
{
	int64_t made = bench_now;
	struct cache_stale stale;
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	key = versioned_key(&bench);
	bench_put(&bench, &key, "x");
	bench_now = made + DAY;
	ck_assert_uint_eq(clean(&bench), 0);
	bench_now = made + DAY + 1;
	ck_assert_int_eq(find_stale(&bench, &key, &stale), 0);
	ck_assert_uint_eq(clean(&bench), 1);
	bench_now = made;
	bench_remove(&bench);
}
END_TEST

START_TEST(only_what_is_there_and_named_can_be_renewed)
{
	int64_t made = bench_now, id;
	struct cache_stale stale;
	struct cache_key key, nameless, failed;
	struct bench bench;

	bench_open(&bench);
	key = versioned_key(&bench);
	nameless = bench_key(&bench, CACHE_SOURCEFILES, NULL, REST);
	failed = bench_key(&bench, CACHE_SOURCEFILES, NULL, REST "form: js\n");
	nameless.fresh_until = failed.fresh_until = made + 60;
	failed.etag = TEXT("\"1\"");
	bench_put(&bench, &key, "x");
	bench_put(&bench, &nameless, "y");
	bench_fail(&bench, &failed, ERR_NOT_FOUND);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry WHERE etag IS NOT NULL"), 1);
	bench_now = made + 60;
	ck_assert_int_eq(find_stale(&bench, &nameless, &stale), 0);
	ck_assert_int_eq(find_stale(&bench, &failed, &stale), 0);
	ck_assert_uint_eq(clean(&bench), 2);
	id = find_stale(&bench, &key, &stale);
	ck_assert_int_ne(id, 0);
	ck_assert_int_eq(unlink(bench_blob(&bench, &key)), 0);
	key.fresh_until = bench_now + 60;
	ck_assert_int_eq(renew(&bench, &key, id), 0);
	ck_assert_int_eq(find_stale(&bench, &key, &stale), 0);
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	bench_now = made;
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache renew");
	TCase *tcase = tcase_create("cache");

	tcase_add_test(tcase, a_blob_is_renewed);
	tcase_add_test(tcase, a_payload_in_its_row_is_renewed);
	tcase_add_test(tcase, what_nobody_asks_for_leaves);
	tcase_add_test(tcase, only_what_is_there_and_named_can_be_renewed);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
