/*
 * test_clean -- what the keeper's round removes, and what it leaves alone.
 */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "support/support.h"

#define HOUR 3600
#define DAY  86400

static struct cache_round clean(struct bench *bench, bool dry_run)
{
	struct cache_round round;
	struct err err = ERR_INIT;

	ck_assert_msg(cache_clean(bench->cache, bench->state.store, dry_run, &round, &err) == 0, "%s",
		      err.text);
	return round;
}

static struct cache_key numbered(struct bench *bench, enum cache_kind kind, int number)
{
	char rest[64];

	snprintf(rest, sizeof(rest), "source: foo\nlocation: %d\n", number);
	return bench_key(bench, kind, "s", rest);
}

START_TEST(removes_what_is_expired)
{
	int64_t made = bench_now;
	struct cache_key used, unused, missing, crashed;
	struct cache_round round;
	struct bench bench;

	bench_open(&bench);
	used = numbered(&bench, CACHE_OBJECTS, 1);
	unused = numbered(&bench, CACHE_OBJECTS, 2);
	missing = numbered(&bench, CACHE_OBJECTS, 3);
	crashed = numbered(&bench, CACHE_SYMCACHES, 4);
	bench_put(&bench, &used, "used");
	bench_put(&bench, &unused, "unused");
	bench_fail(&bench, &missing, ERR_NOT_FOUND);
	bench_fail(&bench, &crashed, ERR_CRASHED);
	round = clean(&bench, false);
	ck_assert_uint_eq(round.removed_entries, 0);
	ck_assert_uint_eq(round.kept_entries, 4);
	ck_assert_uint_eq(round.kept_bytes, 4 + 6 + 2 * CACHE_ROW_COST_BYTES);
	bench_now = made + HOUR;
	ck_assert_str_eq(bench_find(&bench, &used), "used");
	/* Only counted. */
	round = clean(&bench, true);
	ck_assert_uint_eq(round.removed_entries, 1);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 4);
	round = clean(&bench, false);
	ck_assert_uint_eq(round.removed_entries, 1);
	/* An expired crash still says how often it happened. */
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry "
				   "WHERE state = 'crashed'"), 1);
	bench_now = made + DAY + 61;
	round = clean(&bench, false);
	ck_assert_uint_eq(round.removed_entries, 2);
	ck_assert_uint_eq(round.removed_bytes, 6);
	ck_assert_int_ne(access(bench_blob(&bench, &unused), F_OK), 0);
	ck_assert_str_eq(bench_find(&bench, &unused), "absent");
	ck_assert_str_eq(bench_find(&bench, &used), "used");
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 1);
	bench_now = made;
	bench_remove(&bench);
}
END_TEST

/* More than fit into a page, and a page's worth of removals. */
START_TEST(works_in_pages)
{
	enum { MANY = 2 * CACHE_BATCH + 7 };
	struct cache_round round;
	struct bench bench;

	bench_open(&bench);
	for (int i = 0; i < MANY; i++) {
		struct arena_mark mark = arena_mark(&bench.arena);
		struct cache_key key = numbered(&bench, CACHE_OBJECT_META, i);

		if (i % 3)
			bench_put_small(&bench, &key, "{}");
		else
			bench_fail(&bench, &key, ERR_NOT_FOUND);
		arena_rewind(&bench.arena, mark);
	}
	bench_now += HOUR;
	round = clean(&bench, false);
	ck_assert_uint_eq(round.removed_entries, (MANY + 2) / 3);
	ck_assert_uint_eq(round.kept_entries, MANY - (MANY + 2) / 3);
	bench.state.config.cache_quota_bytes = 100 * (CACHE_ROW_COST_BYTES + 2);
	round = clean(&bench, false);
	ck_assert_uint_eq(round.kept_entries, 100);
	bench_remove(&bench);
}
END_TEST

START_TEST(keeps_the_quota_by_use)
{
	struct cache_key keys[10];
	struct cache_round round;
	struct bench bench;
	struct err err = ERR_INIT;
	char payload[2001];

	memset(payload, 'x', sizeof(payload) - 1);
	payload[sizeof(payload) - 1] = '\0';
	bench_open(&bench);
	for (int i = 0; i < 10; i++) {
		keys[i] = numbered(&bench, CACHE_SYMCACHES, i);
		bench_put(&bench, &keys[i], payload);
		bench_now++;
	}
	bench_now += HOUR;
	/* The oldest is used again. */
	ck_assert_int_ne(strcmp(bench_find(&bench, &keys[0]), "absent"), 0);
	ck_assert_int_eq(cache_write_touches(bench.cache, bench.state.store, &err), 0);
	bench.state.config.cache_quota_bytes = 9000;
	round = clean(&bench, true);
	ck_assert_uint_eq(round.removed_entries, 6);
	round = clean(&bench, false);
	ck_assert_uint_eq(round.removed_entries, 6);
	ck_assert_uint_eq(round.kept_bytes, 8000);
	for (int i = 0; i < 10; i++) {
		bool kept = i == 0 || i >= 7;

		ck_assert_int_eq(strcmp(bench_find_anew(&bench, &keys[i]), "absent") != 0, kept);
		ck_assert_int_eq(access(bench_blob(&bench, &keys[i]), F_OK) == 0, kept);
	}
	bench_remove(&bench);
}
END_TEST

static void age(const char *path, int64_t seconds)
{
	struct timespec times[2] = { { .tv_sec = bench_now - seconds }, { .tv_sec = bench_now - seconds } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

/* Those of programs that let others read what is for all. */
START_TEST(folders_of_older_programs_are_closed)
{
	struct cache_round round;
	struct err err = ERR_INIT;
	struct cache_key key;
	struct bench bench;
	char path[CACHE_PATH_BYTES];
	struct stat st;

	bench_open(&bench);
	key = numbered(&bench, CACHE_SYMCACHES, 1);
	bench_put(&bench, &key, "x");
	snprintf(path, sizeof(path), "%s", bench_blob(&bench, &key));
	*strrchr(path, '/') = '\0';
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_eq(cache_clean(bench.cache, bench.state.store, true, &round, &err), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0755);
	ck_assert_int_eq(cache_clean(bench.cache, bench.state.store, false, &round, &err), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
	ck_assert_str_eq(bench_find_anew(&bench, &key), "x");
	bench_remove(&bench);
}
END_TEST

START_TEST(removes_files_nobody_knows)
{
	struct cache_key known, lost, fresh;
	struct cache_round round;
	struct bench bench;
	struct err err = ERR_INIT;
	char path[CACHE_PATH_BYTES];
	int fds[2];

	bench_now = clock_unix_seconds();
	bench_open(&bench);
	known = numbered(&bench, CACHE_SYMCACHES, 1);
	lost = numbered(&bench, CACHE_SYMCACHES, 2);
	fresh = numbered(&bench, CACHE_SYMCACHES, 3);
	bench_put(&bench, &known, "known");
	bench_put(&bench, &lost, "lost");
	bench_put(&bench, &fresh, "fresh");
	age(bench_blob(&bench, &known), 2 * HOUR);
	age(bench_blob(&bench, &lost), 2 * HOUR);
	state_sql(&bench.state, "DELETE FROM cache_entry WHERE id > 1");
	ck_assert_int_eq(cache_temporary(bench.cache, path, sizeof(path), &fds[0], &err), 0);
	age(path, 2 * HOUR);
	ck_assert_int_eq(cache_temporary(bench.cache, path, sizeof(path), &fds[1], &err), 0);
	close(fds[1]);                       /* of a minute: abandoned as soon as nobody has it open */
	age(path, HOUR / 30);
	ck_assert_int_eq(cache_temporary(bench.cache, path, sizeof(path), &fds[1], &err), 0);
	age(path, HOUR / 30);
	write_file(state_path(&bench.state, "cache/symcaches/README"), "mine", 4);
	age(state_path(&bench.state, "cache/symcaches/README"), 2 * HOUR);
	write_file(state_path(&bench.state, "cache/tmp/gone-7"), "", 0);
	round = clean(&bench, true);
	ck_assert_uint_eq(round.orphan_files, 4);
	round = clean(&bench, false);
	ck_assert_uint_eq(round.orphan_files, 4);
	ck_assert_int_eq(access(bench_blob(&bench, &known), F_OK), 0);
	ck_assert_int_ne(access(bench_blob(&bench, &lost), F_OK), 0);
	ck_assert_int_eq(access(bench_blob(&bench, &fresh), F_OK), 0);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(access(state_path(&bench.state, "cache/symcaches/README"), F_OK), 0);
	round = clean(&bench, false);
	ck_assert_uint_eq(round.orphan_files, 0);
	close(fds[0]);
	close(fds[1]);
	bench_remove(&bench);
}
END_TEST

/* Nothing can be written any more: the files go nevertheless, and entries without theirs are
 * misses. */
static void clean_on_a_full_disk(void *payload)
{
	struct bench *bench = payload;
	struct rlimit limit = { 1, 1 };
	struct cache_round round;
	struct err err = ERR_INIT;

	bench_reopen(bench);
	signal(SIGXFSZ, SIG_IGN);
	bench_now += 30 * DAY;
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0 ||
	    cache_clean(bench->cache, bench->state.store, false, &round, &err) == 0 ||
	    err.kind != ERR_IO) {
		fprintf(stderr, "said: %s\n", err.text);
		_exit(EXIT_FAILURE);
	}
}

START_TEST(makes_capacity_on_a_full_disk)
{
	struct cache_key key;
	struct bench bench;

	bench_open(&bench);
	key = numbered(&bench, CACHE_SYMCACHES, 1);
	bench_put(&bench, &key, "old");
	ck_assert_int_eq(in_child(clean_on_a_full_disk, &bench), 0);
	ck_assert_int_ne(access(bench_blob(&bench, &key), F_OK), 0);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 1);
	ck_assert_str_eq(bench_find(&bench, &key), "absent");
	bench_put(&bench, &key, "new");
	ck_assert_str_eq(bench_find(&bench, &key), "new");
	bench_remove(&bench);
}
END_TEST

START_TEST(files_on_their_way_count)
{
	struct cache_key keys[4];
	struct cache_round round;
	struct bench bench;
	struct err err = ERR_INIT;
	char path[CACHE_PATH_BYTES], zeros[8192] = { 0 };
	int fd;

	bench_now = clock_unix_seconds();
	bench_open(&bench);
	bench.state.config.cache_quota_bytes = 12000;
	for (int i = 0; i < 4; i++) {
		keys[i] = numbered(&bench, CACHE_SYMCACHES, i);
		memset(zeros, 'x', 2000);
		zeros[2000] = '\0';
		bench_put(&bench, &keys[i], zeros);
		bench_now++;
	}
	ck_assert_uint_eq(clean(&bench, false).removed_entries, 0);
	ck_assert_int_eq(cache_temporary(bench.cache, path, sizeof(path), &fd, &err), 0);
	ck_assert_int_eq(file_write_all(fd, zeros, sizeof(zeros), &err), 0);
	ck_assert_int_eq(fsync(fd), 0);
	round = clean(&bench, false);
	ck_assert_uint_ge(round.temporary_bytes, sizeof(zeros));
	ck_assert_uint_eq(round.removed_entries, 3);
	ck_assert_int_eq(access(path, F_OK), 0);
	close(fd);
	bench_remove(&bench);
}
END_TEST

START_TEST(the_quota_alone)
{
	struct cache_round round;
	struct cache_key missing, present;
	struct bench bench;
	struct err err = ERR_INIT;

	bench_open(&bench);
	missing = numbered(&bench, CACHE_OBJECTS, 1);
	present = numbered(&bench, CACHE_OBJECTS, 2);
	bench_fail(&bench, &missing, ERR_NOT_FOUND);
	bench_put(&bench, &present, "old");
	bench_now += 30 * DAY;
	ck_assert_int_eq(cache_keep_quota(bench.cache, bench.state.store, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 0);
	ck_assert_uint_eq(round.kept_entries, 2);
	bench.state.config.cache_quota_bytes = 100;
	ck_assert_int_eq(cache_keep_quota(bench.cache, bench.state.store, &round, &err), 0);
	ck_assert_uint_eq(round.removed_entries, 1);
	bench_remove(&bench);
}
END_TEST

/* Rows as a hand or a damaged page may leave them. */
static const char *const odd_times[] = {
	"-9223372036854775808", "-1", "0", "9223372036854775807", "4102444800",
};

START_TEST(odd_times_are_expired)
{
	struct cache_key keys[2];
	struct bench bench;
	char sql[200];

	bench_open(&bench);
	keys[0] = numbered(&bench, CACHE_OBJECTS, 1);
	keys[1] = numbered(&bench, CACHE_OBJECTS, 2);
	bench_put(&bench, &keys[0], "x");
	bench_fail(&bench, &keys[1], ERR_CRASHED);
	snprintf(sql, sizeof(sql), "UPDATE cache_entry SET made_at = %s, used_at = %s, repeats = "
		 "9223372036854775807", odd_times[_i], odd_times[_i]);
	state_sql(&bench.state, sql);
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(bench_find_anew(&bench, &keys[i]), "absent");
		ck_assert(!cache_claim_refresh(bench.cache, &keys[i]));
	}
	clean(&bench, false);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM cache_entry"), 0);
	bench_remove(&bench);
}
END_TEST

START_TEST(removes_flights_of_the_dead)
{
	struct cache_key key;
	struct bench bench;
	struct err err = ERR_INIT;

	bench_open(&bench);
	key = numbered(&bench, CACHE_SYMCACHES, 1);
	ck_assert_int_eq(cache_claim(bench.cache, bench.state.store, &key, "a", &err), 1);
	clean(&bench, false);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 1);
	bench_now += 3 * CACHE_LEASE_SECONDS;
	clean(&bench, false);
	ck_assert_int_eq(state_ask(&bench.state, "SELECT count(*) FROM flight"), 0);
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clean");
	TCase *tcase = tcase_create("clean");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, removes_what_is_expired);
	tcase_add_test(tcase, works_in_pages);
	tcase_add_test(tcase, keeps_the_quota_by_use);
	tcase_add_test(tcase, folders_of_older_programs_are_closed);
	tcase_add_test(tcase, removes_files_nobody_knows);
	tcase_add_test(tcase, makes_capacity_on_a_full_disk);
	tcase_add_test(tcase, files_on_their_way_count);
	tcase_add_test(tcase, the_quota_alone);
	tcase_add_loop_test(tcase, odd_times_are_expired, 0, sizeof(odd_times) / sizeof(odd_times[0]));
	tcase_add_test(tcase, removes_flights_of_the_dead);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
