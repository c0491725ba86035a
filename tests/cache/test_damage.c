/*
 * test_damage -- blobs and rows that somebody else changed.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define REST "source: foo\nlocation: file://bar.baz\n"

/* --- Damage ------------------------------------------------------------------------------- */

static const struct { const char *what, *command; } damages[] = {
	{ "deleted", "rm -f \"$BLOB\"" },
	{ "cut short", "chmod 600 \"$BLOB\" && : > \"$BLOB\"" },
	{ "grown", "chmod 600 \"$BLOB\" && echo more >> \"$BLOB\"" },
	{ "a symbolic link", "rm -f \"$BLOB\" && ln -s /etc/passwd \"$BLOB\"" },
	{ "a pipe", "rm -f \"$BLOB\" && mkfifo \"$BLOB\"" },
	{ "a folder", "rm -f \"$BLOB\" && mkdir \"$BLOB\"" },
};

START_TEST(damaged_blobs_are_misses)
{
	struct bench bench;
	struct cache_key key;
	struct checksum_seal seal;
	struct err err = ERR_INIT;
	const char *blob;
	int fd;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	for (int mapped = 0; mapped < 2; mapped++) {
		bench_put(&bench, &key, "a payload");
		if (mapped)
			ck_assert_str_eq(bench_find(&bench, &key), "a payload");
		blob = bench_blob(&bench, &key);
		ck_assert_int_eq(setenv("BLOB", blob, 1), 0);
		ck_assert_int_eq(system(damages[_i].command), 0);
		ck_assert_msg(strcmp(bench_find_anew(&bench, &key), "absent") == 0, "%s",
			      damages[_i].what);
		ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 0);
		ck_assert_int_eq(cache_open_blob(bench.cache, bench.state.store, &key, &fd, &seal, &err), -1);
		ck_assert_int_eq(err.kind, ERR_NOT_FOUND);
		ck_assert_int_eq(fd, -1);
		if (_i == 5)
			ck_assert_int_eq(rmdir(blob), 0);
	}
	bench_put(&bench, &key, "made again");
	ck_assert_str_eq(bench_find(&bench, &key), "made again");
	bench_remove(&bench);
}
END_TEST

#define LONG_BYTES 20001u            /* several pages and a part of one */

static void write_at(const char *path, const char *bytes, size_t size, off_t at)
{
	int fd;

	ck_assert_int_eq(chmod(path, 0600), 0);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, size, at), (ssize_t)size);
	close(fd);
}

static void find(struct bench *bench, const struct cache_key *key, struct cache_found *found)
{
	struct err err = ERR_INIT;

	ck_assert_msg(cache_find(bench->cache, bench->state.store, key, found, &err) == 0, "%s",
		      err.text);
}

static const char *long_payload(void)
{
	static char text[LONG_BYTES + 1];

	for (size_t i = 0; i < LONG_BYTES; i++)
		text[i] = (char)('a' + i * 7 % 26);
	return text;
}

enum { CUT, EXTENDED, EMPTIED, OVERWRITTEN, ONE_BIT, CUT_AND_FILLED, TIMES_RESTORED, HARMS };

static void harm(const char *path, unsigned how)
{
	struct timespec before[2];
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	before[0] = st.st_atim;
	before[1] = st.st_mtim;
	ck_assert_int_eq(chmod(path, 0600), 0);
	switch (how) {
	case CUT:
		ck_assert_int_eq(truncate(path, LONG_BYTES - 1), 0);
		break;
	case EXTENDED:
		write_at(path, "", 1, LONG_BYTES);
		break;
	case EMPTIED:
		ck_assert_int_eq(truncate(path, 0), 0);
		break;
	case OVERWRITTEN:
		for (off_t at = 0; at < LONG_BYTES; at += 8)
			write_at(path, "X", 1, at);
		break;
	case CUT_AND_FILLED:
		ck_assert_int_eq(truncate(path, LONG_BYTES / 2), 0);
		ck_assert_int_eq(truncate(path, LONG_BYTES), 0);
		break;
	default:
		write_at(path, (const char[]){ (char)(long_payload()[LONG_BYTES / 2] ^ 1) }, 1,
			 LONG_BYTES / 2);
	}
	if (how == TIMES_RESTORED)
		ck_assert_int_eq(utimensat(AT_FDCWD, path, before, 0), 0);
}

/* Whatever becomes of a file: who has it mapped is told after its next use, at once; and who
 * looks for it finds the payload or nothing.  Both with a descriptor kept and without. */
START_TEST(harm_done_to_a_blob_is_noticed)
{
	struct cache_found found;
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	if (_i >= HARMS)
		bench.cache->most_fds = 0;
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	for (unsigned mapped = 0; mapped < 2; mapped++) {
		bench_put(&bench, &key, long_payload());
		find(&bench, &key, &found);
		ck_assert(text_is(found.payload, long_payload()));
		ck_assert(cache_found_is_unchanged(&found));
		ck_assert(cache_found_is_whole(&found));
		if (!mapped) {
			cache_found_release(&found);
			bench_reopen(&bench);        /* a process that has not mapped it */
			bench.cache->most_fds = _i >= HARMS ? 0 : CACHE_FDS_MOST;
		}
		harm(bench_blob(&bench, &key), (unsigned)_i % HARMS);
		if (mapped) {
			ck_assert(!cache_found_is_unchanged(&found));
			cache_invalidate(bench.cache, bench.state.store, &key, &found, "test");
			cache_found_release(&found);
		}
		ck_assert_str_eq(bench_find(&bench, &key), "absent");
		ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 0);
	}
	ck_assert_uint_eq(atomic_load(&bench.cache->kept_fds), 0);
	bench_remove(&bench);
}
END_TEST

/* A copied or restored cache has other times and the same bytes: nothing is thrown away. */
START_TEST(a_touched_file_is_compared_and_kept)
{
	struct cache_found found, again;
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, long_payload());
	find(&bench, &key, &found);
	ck_assert_int_eq(chmod(bench_blob(&bench, &key), 0440), 0);
	ck_assert(!cache_found_is_unchanged(&found));
	ck_assert(cache_found_is_whole(&found));
	cache_invalidate(bench.cache, bench.state.store, &key, &found, "test");
	cache_found_release(&found);
	find(&bench, &key, &again);
	ck_assert(text_is(again.payload, long_payload()));
	ck_assert(cache_found_is_unchanged(&again));
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 1);
	cache_found_release(&again);
	bench_remove(&bench);
}
END_TEST

/* Rows of a program that kept no checksums answer, and what is in them by then counts. */
START_TEST(a_row_without_a_checksum_answers)
{
	struct cache_found found;
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, long_payload());
	state_sql(&bench.state, "UPDATE cache_entry SET checksum = NULL");
	find(&bench, &key, &found);
	ck_assert(text_is(found.payload, long_payload()));
	ck_assert(cache_found_is_unchanged(&found));
	harm(bench_blob(&bench, &key), ONE_BIT);
	ck_assert(!cache_found_is_unchanged(&found));
	ck_assert(!cache_found_is_whole(&found));
	cache_found_release(&found);
	bench_remove(&bench);
}
END_TEST

/* For who was given a descriptor. */
START_TEST(a_damaged_object_goes_when_somebody_says_so)
{
	struct err err = ERR_INIT;
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	ck_assert_int_eq(cache_drop_if_damaged(bench.cache, bench.state.store, &key, &err), 0);
	bench_put(&bench, &key, long_payload());
	ck_assert_int_eq(cache_drop_if_damaged(bench.cache, bench.state.store, &key, &err), 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 1);
	harm(bench_blob(&bench, &key), (unsigned)_i);
	ck_assert_int_ge(cache_drop_if_damaged(bench.cache, bench.state.store, &key, &err), 0);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	bench_remove(&bench);
}
END_TEST

/* --- Met by who only reads ---------------------------------------------------------------- */

static bool is_there(struct bench *bench, struct store *reader, const struct cache_key *key)
{
	struct cache_found found;
	struct err err = ERR_INIT;
	bool is_ready;

	bench_millis += CACHE_REREAD_MILLIS;
	ck_assert_msg(cache_find(bench->cache, reader, key, &found, &err) == 0, "%s", err.text);
	is_ready = found.state == CACHE_READY;
	cache_found_release(&found);
	return is_ready;
}

static void invalidate(struct bench *bench, struct store *reader, const struct cache_key *key)
{
	struct cache_found found;
	struct err err = ERR_INIT;

	ck_assert_int_eq(cache_find(bench->cache, reader, key, &found, &err), 0);
	cache_invalidate(bench->cache, reader, key, &found, "it makes no sense");
	cache_found_release(&found);
}

/* It is as good as absent, while another has the lock to write; its claim drops it. */
START_TEST(a_reader_leaves_damage_to_the_claim)
{
	const bool by_file = (size_t)_i < sizeof(damages) / sizeof(damages[0]);
	struct bench bench;
	struct cache_key key;
	struct store *reader;
	struct err err = ERR_INIT;

	bench_open(&bench);
	ck_assert_int_eq(store_open(&reader, &bench.state.config, &err), 0);
	store_only_read(reader);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&bench, &key, "a payload");
	ck_assert(is_there(&bench, reader, &key));
	ck_assert_int_eq(store_begin(bench.state.store, STORE_TURN_QUEUE, TEXT_NONE, &err), 0);
	ck_assert_int_eq(setenv("BLOB", bench_blob(&bench, &key), 1), 0);
	if (by_file)
		ck_assert_int_eq(system(damages[_i].command), 0);
	else
		invalidate(&bench, reader, &key);
	ck_assert(!is_there(&bench, reader, &key));
	ck_assert(!is_there(&bench, reader, &key));
	ck_assert_int_eq(store_commit(bench.state.store, &err), 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 1);
	ck_assert_int_eq(cache_claim(bench.cache, bench.state.store, &key, "me", &err), 1);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 0);
	if (_i == 5)
		ck_assert_int_eq(rmdir(getenv("BLOB")), 0);
	bench_put(&bench, &key, "made again");
	ck_assert(is_there(&bench, reader, &key));
	store_close(reader);
	bench_remove(&bench);
}
END_TEST

/* More than can be noted: the oldest is forgotten, and noted anew. */
START_TEST(notes_of_damage_are_bounded)
{
	struct bench bench;
	struct cache_key key;
	int64_t id;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	for (unsigned i = 0; i <= CACHE_DAMAGES; i++) {
		key.hash[0] = (uint8_t)(i + 1);
		ck_assert(cache_damage_note(bench.cache, &key, i + 1));
		ck_assert(!cache_damage_note(bench.cache, &key, i + 1));
	}
	ck_assert(cache_damage_is_noted(bench.cache, &key, CACHE_DAMAGES + 1));
	ck_assert(!cache_damage_is_noted(bench.cache, &key, CACHE_DAMAGES));
	key.hash[0] = 1;
	ck_assert(!cache_damage_find(bench.cache, &key, &id));
	for (unsigned i = 1; i <= CACHE_DAMAGES; i++) {
		key.hash[0] = (uint8_t)(i + 1);
		ck_assert(cache_damage_find(bench.cache, &key, &id));
		ck_assert_int_eq(id, i + 1);
		cache_damage_forget(bench.cache, &key, id);
		cache_damage_forget(bench.cache, &key, id);
	}
	ck_assert_uint_eq(atomic_load(&bench.cache->damage_count), 0);
	bench_remove(&bench);
}
END_TEST

/* As an operator would, in the sqlite3 shell. */
START_TEST(edits_by_hand_take_effect)
{
	struct bench bench;
	struct cache_key key, failed;

	bench_open(&bench);
	key = bench_key(&bench, CACHE_SYMCACHES, NULL, REST);
	failed = bench_key(&bench, CACHE_OBJECTS, NULL, REST);
	bench_put(&bench, &key, "x");
	bench_fail(&bench, &failed, ERR_NOT_FOUND);
	ck_assert_str_eq(bench_find(&bench, &key), "x");
	ck_assert_str_eq(bench_find(&bench, &failed), "not_found");
	state_sql(&bench.state, "DELETE FROM cache_entry WHERE state = 'ready'");
	state_sql(&bench.state, "UPDATE cache_entry SET details = 'it was edited'");
	ck_assert_str_eq(bench_find_anew(&bench, &key), "absent");
	ck_assert_str_eq(bench_find_anew(&bench, &failed), "not_found");
	state_sql(&bench.state, "DELETE FROM cache_entry");
	ck_assert_str_eq(bench_find_anew(&bench, &failed), "absent");
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache damage");
	TCase *tcase = tcase_create("cache");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, damaged_blobs_are_misses, 0,
			    (int)(sizeof(damages) / sizeof(damages[0])));
	tcase_add_loop_test(tcase, harm_done_to_a_blob_is_noticed, 0, 2 * HARMS);
	tcase_add_test(tcase, a_touched_file_is_compared_and_kept);
	tcase_add_test(tcase, a_row_without_a_checksum_answers);
	tcase_add_loop_test(tcase, a_damaged_object_goes_when_somebody_says_so, 0, HARMS);
	tcase_add_loop_test(tcase, a_reader_leaves_damage_to_the_claim, 0,
			    sizeof(damages) / sizeof(damages[0]) + 1);
	tcase_add_test(tcase, notes_of_damage_are_bounded);
	tcase_add_test(tcase, edits_by_hand_take_effect);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
