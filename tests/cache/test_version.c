/*
 * test_version -- entries of older versions: used, made again, cleared away; failures worth
 * another try.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define HOUR 3600
#define REST "source: foo\nlocation: file://bar.baz\n"
#define KIND CACHE_SYMCACHES         /* has had a version before */

static const char *blob_of(const struct bench *bench, const struct cache_key *key, int64_t version)
{
	static char paths[2][CACHE_PATH_BYTES];
	static unsigned turn;
	char *path = paths[turn++ % 2];
	struct err err = ERR_INIT;

	ck_assert_int_eq(cache_blob_path(bench->cache, key->kind, version, key->text_hash, path,
					 CACHE_PATH_BYTES, &err), 0);
	return path;
}

/* What an upgrade of the program makes of every entry of that kind. */
static void grow_old(struct bench *bench, const struct cache_key *key)
{
	const char *old = blob_of(bench, key, cache_kind_version(key->kind) - 1);
	char folder[CACHE_PATH_BYTES];
	struct err err = ERR_INIT;
	char sql[128];

	snprintf(sql, sizeof(sql), "UPDATE cache_entry SET version = version - 1 WHERE kind = '%s'",
		 cache_kind_name(key->kind));
	state_sql(&bench->state, sql);
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(old, '/') - old), old);
	ck_assert_int_eq(file_make_folders(folder, 0700, &err), 0);
	rename(bench_blob(bench, key), old);
}

static bool is_outdated(struct bench *bench, const struct cache_key *key)
{
	struct cache_found found;
	struct err err = ERR_INIT;
	bool outdated;

	ck_assert_int_eq(cache_find(bench->cache, bench->state.store, key, &found, &err), 0);
	outdated = found.is_outdated;
	cache_found_release(&found);
	return outdated;
}

static int64_t rows(const struct bench *bench)
{
	return state_ask(&bench->state, "SELECT count(*) FROM cache_entry");
}

START_TEST(older_versions_answer_until_made_again)
{
	struct bench bench;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, KIND, NULL, REST);
	bench_put(&bench, &key, "old");
	ck_assert(!is_outdated(&bench, &key));
	grow_old(&bench, &key);
	bench_reopen(&bench);
	ck_assert_str_eq(bench_find(&bench, &key), "old");
	ck_assert(is_outdated(&bench, &key));
	bench_put(&bench, &key, "new");
	ck_assert_str_eq(bench_find(&bench, &key), "new");
	ck_assert(!is_outdated(&bench, &key));
	ck_assert_int_eq(rows(&bench), 1);
	ck_assert_int_ne(access(blob_of(&bench, &key, cache_kind_version(KIND) - 1), F_OK), 0);
	ck_assert_int_eq(access(blob_of(&bench, &key, cache_kind_version(KIND)), F_OK), 0);
	ck_assert_msg(rmdir(state_path(&bench.state, "cache/tmp")) == 0, "something is left there");
	bench_remove(&bench);
}
END_TEST

START_TEST(a_descriptor_on_an_older_version)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;
	char bytes[8] = "";
	struct checksum_seal seal;
	int fd;

	bench_open(&bench);
	key = bench_key(&bench, KIND, NULL, REST);
	bench_put(&bench, &key, "old");
	grow_old(&bench, &key);
	bench_millis += CACHE_REREAD_MILLIS + 1;
	ck_assert_msg(cache_open_blob(bench.cache, bench.state.store, &key, &fd, &seal, &err) == 0, "%s",
		      err.text);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), 3);
	ck_assert_str_eq(bytes, "old");
	close(fd);
	/* Anybody may delete it; and whoever reads it may find it damaged. */
	unlink(blob_of(&bench, &key, cache_kind_version(KIND) - 1));
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	ck_assert_int_eq(rows(&bench), 0);
	bench_put(&bench, &key, "old");
	grow_old(&bench, &key);
	ck_assert_str_eq(bench_find_anew(&bench, &key), "old");
	bench_invalidate(&bench, &key);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert_int_ne(access(blob_of(&bench, &key, cache_kind_version(KIND) - 1), F_OK), 0);
	bench_remove(&bench);
}
END_TEST

/* Whatever went wrong: as long as it is not too old, what an older program made answers. */
static const enum err_kind failures[] = {
	ERR_MALFORMED, ERR_UNSUPPORTED, ERR_CRASHED, ERR_LIMIT, ERR_DOWNLOAD, ERR_TIMEOUT,
	ERR_NOT_FOUND, ERR_DENIED,
};

START_TEST(a_failed_refresh_leaves_the_old)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, KIND, NULL, REST);
	bench_put(&bench, &key, "old");
	grow_old(&bench, &key);
	bench_fail(&bench, &key, failures[_i]);
	ck_assert_str_eq(bench_find_anew(&bench, &key), "old");
	/* While that is remembered nobody tries again ... */
	ck_assert(!cache_claim_refresh(bench.cache, &key));
	ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "a", &err), 0);
	/* ... and afterwards somebody does. */
	bench_now += 2 * 86400;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "old");
	ck_assert(cache_claim_refresh(bench.cache, &key));
	ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "a", &err), 1);
	bench_remove(&bench);
}
END_TEST

START_TEST(outdated_failures_answer_too)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, KIND, NULL, REST);
	bench_fail(&bench, &key, ERR_UNSUPPORTED);
	grow_old(&bench, &key);
	ck_assert_str_eq(bench_find_anew(&bench, &key), "unsupported");
	ck_assert(is_outdated(&bench, &key));
	ck_assert(cache_claim_refresh(bench.cache, &key));
	ck_assert_int_eq(cache_claim(bench.cache, bench.state.store, &key, "a", &err), 1);
	bench_put(&bench, &key, "new");
	ck_assert_str_eq(bench_find(&bench, &key), "new");
	ck_assert_int_eq(rows(&bench), 1);
	bench_remove(&bench);
}
END_TEST

START_TEST(outdated_entries_are_asked_for_once_a_minute)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = bench_key(&bench, KIND, NULL, REST);
	ck_assert_msg(!cache_claim_refresh(bench.cache, &key), "nobody knows it");
	bench_put(&bench, &key, "old");
	ck_assert_str_eq(bench_find(&bench, &key), "old");
	ck_assert_msg(!cache_claim_refresh(bench.cache, &key), "it is current");
	grow_old(&bench, &key);
	ck_assert_str_eq(bench_find_anew(&bench, &key), "old");
	ck_assert(cache_claim_refresh(bench.cache, &key));
	ck_assert(!cache_claim_refresh(bench.cache, &key));
	bench_millis += CACHE_RENEW_MILLIS;
	ck_assert_str_eq(bench_find(&bench, &key), "old");
	ck_assert(cache_claim_refresh(bench.cache, &key));
	/* One maker, across processes. */
	ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "a", &err), 1);
	ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "b", &err), 0);
	bench_put(&bench, &key, "new");
	ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "b", &err), 0);
	bench_remove(&bench);
}
END_TEST

static const struct { enum err_kind failure; bool may_pass; } passing[] = {
	{ ERR_NOT_FOUND, true }, { ERR_DENIED, true }, { ERR_TIMEOUT, true }, { ERR_DOWNLOAD, true },
	{ ERR_MALFORMED, false }, { ERR_UNSUPPORTED, false }, { ERR_CRASHED, false },
};

START_TEST(failures_are_tried_again_hourly)
{
	bool may_pass = passing[_i].may_pass;
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	bench.state.config.derived.retry_misses_public_seconds = CONFIG_NEVER;
	bench.state.config.derived.retry_malformed_seconds = CONFIG_NEVER;
	key = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	bench_fail(&bench, &key, passing[_i].failure);
	bench_find(&bench, &key);
	ck_assert(!cache_claim_refresh(bench.cache, &key));
	ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "a", &err), 0);
	bench_now += HOUR;
	bench_find_anew(&bench, &key);
	ck_assert_int_eq(cache_claim_refresh(bench.cache, &key), may_pass);
	ck_assert(!cache_claim_refresh(bench.cache, &key));
	if (may_pass) {
		ck_assert_int_eq(cache_claim(bench.cache, bench.state.store, &key, "a", &err), 0);
		ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "a", &err), 1);
		/* Failed again: an hour more, for everybody. */
		bench_fail(&bench, &key, passing[_i].failure);
		ck_assert_int_eq(cache_claim_again(bench.cache, bench.state.store, &key, "a", &err), 0);
		bench_reopen(&bench);
		bench_find(&bench, &key);
		ck_assert(!cache_claim_refresh(bench.cache, &key));
	}
	bench_remove(&bench);
}
END_TEST

START_TEST(failures_from_before_are_claimed_again)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;

	bench_open(&bench);
	bench.state.config.derived.retry_misses_public_seconds = CONFIG_NEVER;
	key = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	bench_fail(&bench, &key, ERR_NOT_FOUND);
	ck_assert_int_eq(cache_claim_since(bench.cache, bench.state.store, &key, 0, 0, "a", &err), 0);
	ck_assert_int_eq(cache_claim_since(bench.cache, bench.state.store, &key, 0, bench_now, "a", &err), 0);
	ck_assert_int_eq(cache_claim_since(bench.cache, bench.state.store, &key, 0, bench_now + 1, "a", &err), 1);
	bench_put(&bench, &key, "there");
	ck_assert_int_eq(cache_claim_since(bench.cache, bench.state.store, &key, 0, bench_now + 1, "a", &err), 0);
	bench_remove(&bench);
}
END_TEST

START_TEST(the_keeper_clears_what_answers_no_more)
{
	struct bench bench;
	struct cache_round round;
	struct cache_key kept, made, small;
	struct err err = ERR_INIT;
	char sql[512];

	bench_open(&bench);
	kept = bench_key(&bench, KIND, NULL, REST "kept\n");
	made = bench_key(&bench, KIND, NULL, REST "made\n");
	bench_put(&bench, &kept, "old");
	bench_put(&bench, &made, "old");
	grow_old(&bench, &kept);
	rename(bench_blob(&bench, &made), blob_of(&bench, &made, cache_kind_version(KIND) - 1));
	/* As a program of before the upgrade might: both versions. */
	bench_put(&bench, &made, "new");
	snprintf(sql, sizeof(sql), "INSERT INTO cache_entry (kind, version, hash, credentials, state, "
		 "payload, size_bytes, boot, build_id, made_at, used_at) "
		 "SELECT kind, version - 1, hash, credentials, state, x'00', 1, boot, build_id, made_at, used_at "
		 "FROM cache_entry WHERE version = %d", (int)cache_kind_version(KIND));
	state_sql(&bench.state, sql);
	small = bench_key(&bench, CACHE_SOURCE_INDEX, NULL, REST);
	bench_put_small(&bench, &small, "of no use any more");
	state_sql(&bench.state, "UPDATE cache_entry SET version = 1 WHERE kind = 'source_index'");
	ck_assert_int_eq(rows(&bench), 4);
	ck_assert_int_eq(cache_clean(bench.cache, bench.state.store, true, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 2);
	ck_assert_int_eq(cache_clean(bench.cache, bench.state.store, false, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 2);
	ck_assert_str_eq(bench_find_anew(&bench, &kept), "old");
	ck_assert_str_eq(bench_find_anew(&bench, &made), "new");
	ck_assert_int_eq(rows(&bench), 2);
	bench_remove(&bench);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct bench bench;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, KIND, NULL, REST);
	bench_put(&bench, &key, "old");
	grow_old(&bench, &key);
	bench_fail(&bench, &key, ERR_MALFORMED);
	for (long failing = 0; failing < 100; failing++) {
		struct cache_found found;
		struct err err = ERR_INIT;
		int rc;

		cache_table_remove(bench.cache, &key);
		mem_fail_after = failing;
		rc = cache_find(bench.cache, bench.state.store, &key, &found, &err);
		mem_fail_after = -1;
		if (rc == 0) {
			ck_assert(text_is(found.payload, "old"));
			cache_found_release(&found);
			ck_assert_int_gt(failing, 0);
			bench_remove(&bench);
			return;
		}
		ck_assert_int_eq(err.kind, ERR_NO_MEMORY);
	}
	ck_abort_msg("it never worked");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("versions");
	Suite *suite = suite_create("version");

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, older_versions_answer_until_made_again);
	tcase_add_test(tcase, a_descriptor_on_an_older_version);
	tcase_add_loop_test(tcase, a_failed_refresh_leaves_the_old, 0,
			    sizeof(failures) / sizeof(failures[0]));
	tcase_add_test(tcase, outdated_failures_answer_too);
	tcase_add_test(tcase, outdated_entries_are_asked_for_once_a_minute);
	tcase_add_loop_test(tcase, failures_are_tried_again_hourly, 0,
			    sizeof(passing) / sizeof(passing[0]));
	tcase_add_test(tcase, failures_from_before_are_claimed_again);
	tcase_add_test(tcase, the_keeper_clears_what_answers_no_more);
	tcase_add_test(tcase, survives_every_allocation_failure);
	return support_main(suite);
}
