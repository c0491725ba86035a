/*
 * test_cache -- entries: made, found, kept apart; by many threads, and short of memory.
 */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/debugid.h"
#include "base/mem.h"
#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define REST "source: foo\nlocation: file://bar.baz\n"

/* --- Keys ------------------------------------------------------------------------------- */

START_TEST(keys_hash_as_they_must)
{
	struct bench bench;
	struct cache_key key, other;
	char hex[65];

	bench_open(&bench);
	key = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	ck_assert_msg(text_is(key.text, "scope: global\n\n" REST), "%.*s", (int)key.text.size,
		      key.text.bytes);
	hex_format(key.text_hash, 32, hex);
	ck_assert_str_eq(hex, "f5e08b92a55c1357413b5e36547a8b534a014c3a00299e7622e4c4b022a96541");
	ck_assert_ptr_nonnull(strstr(bench_blob(&bench, &key),
		"/objects/v1/f5/e08b92a55c1357413b5e36547a8b534a014c3a00299e7622e4c4b022a96541"));
	other = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	ck_assert_mem_eq(key.text_hash, other.text_hash, 32);
	ck_assert_mem_ne(key.hash, other.hash, 32);
	/* A scope of that name shares the files, but is not public. */
	other = bench_key(&bench, CACHE_OBJECTS, "global", REST);
	ck_assert_mem_eq(key.hash, other.hash, 32);
	ck_assert_ptr_null(key.scope.bytes);
	ck_assert_ptr_nonnull(other.scope.bytes);
	/* A scope cannot write the lines of another key. */
	key = bench_key(&bench, CACHE_OBJECTS, "a\n\nsource: x", "location: y\n");
	other = bench_key(&bench, CACHE_OBJECTS, "a", "source: x\n\nlocation: y\n");
	ck_assert_mem_ne(key.hash, other.hash, 32);
	bench_remove(&bench);
}
END_TEST

static const struct { const char *rest, *shown; } shown_keys[] = {
	{ "source: a\nlocation: http://h/x\n", NULL },
	{ "source: a\nlocation: https://me:secret@h/x@y\n", "source: a\nlocation: https://h/x@y\n" },
	{ "source: a\nlocation: https://h/a//b@c\n", "source: a\nlocation: https://h/a//c\n" },
	{ "source: a\nlocation: s3://bucket/a/@b\nsource: //@", "source: a\nlocation: s3://bucket/a/@b\nsource: //" },
	{ "source: //", NULL },
};

/* Rather a name too short than a password. */
START_TEST(keys_are_shown_without_passwords)
{
	char shown[CACHE_KEY_SHOWN_BYTES], expected[256], *longest;
	struct bench bench;
	struct cache_key key;

	bench_open(&bench);
	for (size_t i = 0; i < sizeof(shown_keys) / sizeof(shown_keys[0]); i++) {
		key = bench_key(&bench, CACHE_OBJECTS, NULL, shown_keys[i].rest);
		snprintf(expected, sizeof(expected), "scope: global\n\n%s",
			 shown_keys[i].shown ? shown_keys[i].shown : shown_keys[i].rest);
		ck_assert_msg(text_is(cache_key_shown(&key, shown), expected), "%s", shown_keys[i].rest);
	}
	longest = arena_alloc(&bench.arena, CACHE_KEY_SHOWN_BYTES + 1, 1);
	memset(longest, 'x', CACHE_KEY_SHOWN_BYTES);
	key = bench_key(&bench, CACHE_OBJECTS, NULL, longest);
	ck_assert_ptr_null(cache_key_shown(&key, shown).bytes);
	bench_put(&bench, &key, "x");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry WHERE key_text IS NULL"), 1);
	bench_remove(&bench);
}
END_TEST

START_TEST(kinds_have_names)
{
	for (unsigned i = 0; i < CACHE_KINDS; i++) {
		enum cache_kind kind;

		ck_assert(cache_kind_named(text_of(cache_kind_name((enum cache_kind)i)), &kind));
		ck_assert_uint_eq(kind, i);
	}
}
END_TEST

/* --- Payloads --------------------------------------------------------------------------- */

START_TEST(finds_what_was_published)
{
	struct bench bench;
	struct cache_key blob, small, empty;
	struct stat st;

	bench_open(&bench);
	blob = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	small = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	empty = bench_key(&bench, CACHE_SOURCEFILES, NULL, REST);
	ck_assert_str_eq(bench_find(&bench, &blob), "absent");
	bench_put(&bench, &blob, "a payload");
	bench_put_small(&bench, &small, "{}");
	bench_put(&bench, &empty, "");
	ck_assert_str_eq(bench_find(&bench, &blob), "a payload");
	ck_assert_str_eq(bench_find(&bench, &small), "{}");
	ck_assert_str_eq(bench_find(&bench, &empty), "");
	ck_assert_int_eq(stat(bench_blob(&bench, &blob), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0400);
	bench_reopen(&bench);
	ck_assert_str_eq(bench_find(&bench, &blob), "a payload");
	ck_assert_str_eq(bench_find(&bench, &small), "{}");
	ck_assert_str_eq(bench_find(&bench, &empty), "");
	bench_put(&bench, &blob, "another payload");
	ck_assert_str_eq(bench_find(&bench, &blob), "another payload");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 3);
	bench_remove(&bench);
}
END_TEST

/* Nobody but the service's user sees blobs, whatever the umask and whoever they are for. */
START_TEST(blobs_are_the_owners_alone)
{
	struct bench bench;
	struct cache_key keys[2];
	mode_t before = umask(0);

	bench_open(&bench);
	keys[0] = bench_key(&bench, CACHE_OBJECTS, "tenant", REST);
	keys[1] = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	for (unsigned i = 0; i < 2; i++) {
		char path[CACHE_PATH_BYTES];
		struct stat st;

		bench_put(&bench, &keys[i], "a payload");
		snprintf(path, sizeof(path), "%s", bench_blob(&bench, &keys[i]));
		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, 0400);
		for (unsigned up = 0; up < 4; up++) {        /* to cache_dir */
			*strrchr(path, '/') = '\0';
			ck_assert_int_eq(stat(path, &st), 0);
			ck_assert_msg((st.st_mode & 07777) == 0700, "%s: %o", path, st.st_mode);
		}
	}
	umask(before);
	bench_remove(&bench);
}
END_TEST

/* What a caller holds outlives replacement and deletion. */
START_TEST(holds_keep_the_payload)
{
	struct bench bench;
	struct cache_found found;
	struct err err = ERR_INIT;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, "first");
	ck_assert_int_eq(cache_find(bench.cache, bench.state.store, &key, &found, &err), 0);
	bench_put(&bench, &key, "second");
	ck_assert_str_eq(bench_find(&bench, &key), "second");
	bench_invalidate(&bench, &key);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert(text_is(found.payload, "first"));
	cache_found_release(&found);
	cache_found_release(&found);
	bench_remove(&bench);
}
END_TEST

/* Two processes met the same damage; what the first made again is not what the second saw. */
START_TEST(a_late_spoil_spoils_nothing)
{
	struct bench bench;
	struct cache *late;
	struct cache_found found;
	struct err err = ERR_INIT;
	struct cache_key key;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, "damaged");
	ck_assert_int_eq(cache_open(&late, &bench.state.config, bench.state.board, bench.state.store,
				    &err), 0);
	bench_set_clock(late);
	ck_assert_int_eq(cache_find(late, bench.state.store, &key, &found, &err), 0);
	ck_assert_str_eq(bench_find(&bench, &key), "damaged");
	bench_invalidate(&bench, &key);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	bench_put(&bench, &key, "good");
	cache_invalidate(late, bench.state.store, &key, &found, "test");
	ck_assert_str_eq(bench_find_anew(&bench, &key), "good");
	cache_found_release(&found);
	/* Who does not know what it saw invalidates nothing either. */
	cache_invalidate(late, bench.state.store, &key, &found, "test");
	ck_assert_str_eq(bench_find_anew(&bench, &key), "good");
	cache_close(late);
	bench_remove(&bench);
}
END_TEST

START_TEST(a_hot_look_up_takes_no_memory)
{
	enum { TIMES = 1000000 };
	struct bench bench;
	struct cache_found found;
	struct err err = ERR_INIT;
	struct cache_key key;
	int64_t started;
	long live;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, "a payload");
	ck_assert_str_eq(bench_find(&bench, &key), "a payload");
	bench.cache->now = clock_unix_seconds;
	bench_now = clock_unix_seconds();
	bench_put(&bench, &key, "a payload");
	ck_assert_str_eq(bench_find(&bench, &key), "a payload");
	live = mem_live;
	mem_fail_after = 0;
	started = clock_monotonic_micros();
	for (int i = 0; i < TIMES; i++) {
		/* No store: it must not even be looked at. */
		if (cache_find(bench.cache, NULL, &key, &found, &err) < 0 || found.payload.size != 9)
			ck_abort_msg("%s", err.text);
		cache_found_release(&found);
	}
	printf("hot look-up: %lld ns\n",
	       (long long)(clock_monotonic_micros() - started) * 1000 / TIMES);
	mem_fail_after = -1;
	ck_assert_int_eq(mem_live, live);
	bench_now = 1800000000;
	bench_remove(&bench);
}
END_TEST

START_TEST(the_table_is_bounded)
{
	struct bench bench;
	char rest[64];

	bench_open(&bench);
	for (int i = 0; i < 20000; i++) {
		struct arena_mark mark = arena_mark(&bench.arena);
		struct cache_key key;

		snprintf(rest, sizeof(rest), "source: foo\nlocation: %d\n", i);
		key = bench_key(&bench, CACHE_OBJECTS, NULL, rest);
		ck_assert_str_eq(bench_find(&bench, &key), "absent");
		arena_rewind(&bench.arena, mark);
	}
	for (unsigned i = 0; i < CACHE_SHARDS; i++) {
		ck_assert_uint_le(bench.cache->shards[i].lists[CACHE_LIST_ROWS].count,
				  CACHE_ROWS_PER_SHARD);
		ck_assert_uint_gt(bench.cache->shards[i].lists[CACHE_LIST_ROWS].count,
				  CACHE_ROWS_PER_SHARD / 2);
	}
	ck_assert_int_lt(mem_live, (long)(CACHE_SHARDS * CACHE_ROWS_PER_SHARD) + 100);
	bench_remove(&bench);
}
END_TEST

START_TEST(blobs_come_as_descriptors)
{
	struct bench bench;
	struct cache_key blob, small, failed;
	struct checksum_seal seal;
	struct err err = ERR_INIT;
	char bytes[32] = "";
	int fd;

	bench_open(&bench);
	blob = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	small = bench_key(&bench, CACHE_OBJECT_META, NULL, REST);
	failed = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &blob, "a blob");
	bench_put_small(&bench, &small, "small");
	bench_fail(&bench, &failed, ERR_MALFORMED);
	ck_assert_int_eq(cache_open_blob(bench.cache, bench.state.store, &blob, &fd, &seal, &err), 0);
	ck_assert_int_eq((int)read(fd, bytes, sizeof(bytes)), 6);
	ck_assert_mem_eq(bytes, "a blob", 6);
	ck_assert(seal.is_set);
	ck_assert_uint_eq(seal.size_bytes, 6);
	ck_assert_uint_eq(seal.value, checksum_of("a blob", 6));
	close(fd);
	ck_assert_int_eq(cache_open_blob(bench.cache, bench.state.store, &small, &fd, &seal, &err), 0);
	ck_assert_int_eq((int)read(fd, bytes, sizeof(bytes)), 5);
	ck_assert_mem_eq(bytes, "small", 5);
	close(fd);
	ck_assert_int_eq(cache_open_blob(bench.cache, bench.state.store, &failed, &fd, &seal, &err), -1);
	ck_assert_int_eq(err.kind, ERR_NOT_FOUND);
	bench_remove(&bench);
}
END_TEST

static struct cache_key numbered_key(struct bench *bench, int number)
{
	char rest[32];

	snprintf(rest, sizeof(rest), "source: %d\n", number);
	return bench_key(bench, CACHE_OBJECT_META, NULL, rest);
}

/* One touch in twenty, of current entries only, and of none without a shared cache. */
START_TEST(what_is_in_use_is_shared_again_sometimes)
{
	enum { ENTRIES = 1000 };
	struct bench bench;
	struct cache_key key, again;
	struct err err = ERR_INIT;
	int64_t ids[ENTRIES];
	unsigned shared;

	bench_open(&bench);
	for (int i = 0; i < ENTRIES; i++) {
		key = numbered_key(&bench, i);
		bench_put_small(&bench, &key, "{}");
	}
	bench_now += CACHE_TOUCH_SECONDS;
	ck_assert_str_eq(bench_find_anew(&bench, &key), "{}");
	ck_assert_uint_eq(board_shared(bench.state.board, ids, ENTRIES), 0);
	bench.state.config.shared.folder = "/somewhere";
	for (int round = 0; round < 2; round++) {
		shared = 0;
		bench_now += round == 0 ? CACHE_TOUCH_SECONDS : 1;
		for (int i = 0; i < ENTRIES; i++) {
			key = numbered_key(&bench, i);
			bench_find(&bench, &key);
			shared += board_shared(bench.state.board, ids + shared, ENTRIES - shared);
		}
		if (round == 0)
			ck_assert_msg(shared > 15 && shared < 110, "%u of %d", shared, ENTRIES);
		else
			ck_assert_uint_eq(shared, 0);
	}
	ck_assert_int_eq(cache_key_of_entry(bench.state.store, 1, &again, &err), 1);
	ck_assert_str_eq(bench_find(&bench, &again), "{}");
	ck_assert_int_eq(cache_key_of_entry(bench.state.store, 1 << 20, &again, &err), 0);
	bench_remove(&bench);
}
END_TEST

/* --- Who may see what -------------------------------------------------------------------- */

START_TEST(scopes_are_apart)
{
	struct bench bench;
	struct cache_key ours, theirs, all;

	bench_open(&bench);
	ours = bench_key(&bench, CACHE_OBJECTS, "ours", REST);
	theirs = bench_key(&bench, CACHE_OBJECTS, "theirs", REST);
	all = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	bench_put(&bench, &ours, "secret");
	bench_fail(&bench, &all, ERR_NOT_FOUND);
	ck_assert_str_eq(bench_find(&bench, &ours), "secret");
	ck_assert_str_eq(bench_find(&bench, &theirs), "absent");
	ck_assert_str_eq(bench_find(&bench, &all), "not_found");
	bench_remove(&bench);
}
END_TEST

START_TEST(refusals_are_per_credentials)
{
	static const enum err_kind personal[] = { ERR_DENIED, ERR_NOT_FOUND };
	static const enum err_kind shared[] = { ERR_TIMEOUT, ERR_DOWNLOAD, ERR_MALFORMED,
						ERR_UNSUPPORTED, ERR_CRASHED, ERR_LIMIT };
	struct bench bench;
	struct cache_key nobody, alice, bob;

	bench_open(&bench);
	nobody = alice = bob = bench_key(&bench, CACHE_OBJECTS, "s", REST);
	memset(alice.credentials, 1, 32);
	memset(bob.credentials, 2, 32);
	for (size_t i = 0; i < sizeof(personal) / sizeof(personal[0]); i++) {
		bench_fail(&bench, &alice, personal[i]);
		ck_assert_str_eq(bench_find(&bench, &alice), err_kind_name(personal[i]));
		ck_assert_str_eq(bench_find(&bench, &bob), "absent");
		ck_assert_str_eq(bench_find(&bench, &nobody), "absent");
	}
	bench_fail(&bench, &nobody, ERR_DENIED);
	ck_assert_str_eq(bench_find(&bench, &nobody), "denied");
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		bench_fail(&bench, &bob, shared[i]);
		ck_assert_str_eq(bench_find(&bench, &bob), err_kind_name(shared[i]));
		ck_assert_str_eq(bench_find(&bench, &nobody), err_kind_name(shared[i]));
	}
	ck_assert_str_eq(bench_find(&bench, &alice), "not_found");
	/* A payload answers for everybody in the scope, and nothing unseats it. */
	bench_put(&bench, &bob, "x");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 1);
	bench_fail(&bench, &alice, ERR_DENIED);
	bench_fail(&bench, &nobody, ERR_CRASHED);
	ck_assert_str_eq(bench_find(&bench, &alice), "x");
	ck_assert_str_eq(bench_find(&bench, &nobody), "x");
	bench_remove(&bench);
}
END_TEST

/* --- Trouble ------------------------------------------------------------------------------ */

static int find_and_publish(void *payload, struct err *err)
{
	struct bench *bench = payload;
	struct cache_key blob = bench_key(bench, CACHE_SYMCACHES, NULL, REST);
	struct cache_key small = bench_key(bench, CACHE_OBJECT_META, NULL, REST);
	struct cache_found found = { 0 };
	struct cache_round round;
	int rc;

	/* Reopened, so that nothing is known in memory. */
	rc = cache_open(&bench->cache, &bench->state.config, bench->state.board, bench->state.store, err);
	if (rc < 0)
		return -1;
	rc = cache_find(bench->cache, bench->state.store, &blob, &found, err);
	cache_found_release(&found);
	if (rc == 0)
		rc = cache_publish_small(bench->cache, bench->state.store, &small, TEXT("{}"), err);
	if (rc == 0)
		rc = cache_find(bench->cache, bench->state.store, &small, &found, err);
	cache_found_release(&found);
	if (rc == 0)
		rc = cache_clean(bench->cache, bench->state.store, false, &round, err);
	cache_close(bench->cache);
	bench->cache = NULL;
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct bench bench;
	struct cache_key key;

	bench_now = clock_unix_seconds();
	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, "x");
	cache_close(bench.cache);
	bench.cache = NULL;
	support_every_allocation_failure(find_and_publish, &bench, 100);
	bench_remove(&bench);
}
END_TEST

START_TEST(says_what_it_cannot_publish)
{
	struct bench bench;
	struct cache_key key;
	struct err err = ERR_INIT;
	char path[CACHE_PATH_BYTES];
	int fd;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	/* The file vanished under us: nothing half-done. */
	ck_assert_int_eq(cache_temporary(bench.cache, path, sizeof(path), &fd, &err), 0);
	unlink(path);
	ck_assert_int_eq(cache_publish_file(bench.cache, bench.state.store, &key, fd, path, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
	close(fd);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 0);
	/* The folder vanished: made again. */
	snprintf(path, sizeof(path), "rm -rf '%s'", bench.state.cache_folder);
	ck_assert_int_eq(system(path), 0);
	bench_put(&bench, &key, "x");
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	bench_remove(&bench);
}
END_TEST

struct racer {
	struct bench *bench;
	struct store *store;
	const struct cache_key *keys;
	unsigned number;
	unsigned wrong;
};

/* Three read, one publishes, fails and invalidates: a payload is the whole of one, or nothing. */
static void *race(void *payload)
{
	struct racer *racer = payload;
	struct err err = ERR_INIT;

	for (unsigned i = 0; i < 300; i++) {
		const struct cache_key *key = &racer->keys[i % 4];
		struct cache_found found;

		if (racer->number == 0 && i % 16 == 7) {
			if (cache_find(racer->bench->cache, racer->store, key, &found, &err) < 0)
				racer->wrong++;
			cache_invalidate(racer->bench->cache, racer->store, key, &found, "test");
			cache_found_release(&found);
		} else if (racer->number == 0) {
			const char *text = i % 8 < 4 ? "short" : "a longer payload";
			char path[CACHE_PATH_BYTES];
			int fd;

			if (cache_temporary(racer->bench->cache, path, sizeof(path), &fd, &err) < 0 ||
			    file_write_all(fd, text, strlen(text), &err) < 0 ||
			    cache_publish_file(racer->bench->cache, racer->store, key, fd, path, &err) < 0)
				racer->wrong++;
			close(fd);
		} else {
			for (unsigned again = 0; again < 100; again++) {
				if (cache_find(racer->bench->cache, racer->store, key, &found, &err) < 0) {
					racer->wrong++;
					continue;
				}
				if (found.state == CACHE_READY && !text_is(found.payload, "short") &&
				    !text_is(found.payload, "a longer payload"))
					racer->wrong++;
				cache_found_release(&found);
			}
		}
	}
	return NULL;
}

START_TEST(threads_see_whole_payloads)
{
	struct racer racers[4];
	struct cache_key keys[4];
	pthread_t threads[4];
	struct bench bench;
	struct err err = ERR_INIT;

	bench_open(&bench);
	for (unsigned i = 0; i < 4; i++)
		keys[i] = bench_key(&bench, (enum cache_kind)(CACHE_SYMCACHES + i), NULL, REST);
	for (unsigned i = 0; i < 4; i++) {
		racers[i] = (struct racer){ &bench, NULL, keys, i, 0 };
		ck_assert_int_eq(store_open(&racers[i].store, &bench.state.config, &err), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_uint_eq(racers[i].wrong, 0);
		store_close(racers[i].store);
	}
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache");
	TCase *tcase = tcase_create("cache");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, keys_hash_as_they_must);
	tcase_add_test(tcase, keys_are_shown_without_passwords);
	tcase_add_test(tcase, kinds_have_names);
	tcase_add_test(tcase, finds_what_was_published);
	tcase_add_test(tcase, blobs_are_the_owners_alone);
	tcase_add_test(tcase, holds_keep_the_payload);
	tcase_add_test(tcase, a_late_spoil_spoils_nothing);
	tcase_add_test(tcase, a_hot_look_up_takes_no_memory);
	tcase_add_test(tcase, the_table_is_bounded);
	tcase_add_test(tcase, blobs_come_as_descriptors);
	tcase_add_test(tcase, what_is_in_use_is_shared_again_sometimes);
	tcase_add_test(tcase, scopes_are_apart);
	tcase_add_test(tcase, refusals_are_per_credentials);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, says_what_it_cannot_publish);
	tcase_add_test(tcase, threads_see_whole_payloads);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
