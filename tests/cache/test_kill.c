/*
 * test_kill -- processes that publish, fail, claim, invalidate and clean up are killed at any
 * moment; what they leave is always a whole payload, a failure or a miss.
 */
#include <check.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "cache/bench.h"
#include "cache/cache_internal.h"
#include "store/store_internal.h"
#include "support/support.h"

#define KEYS      6
#define WORKERS   3
#define ROUNDS    40
#define LIFE_USEC 30000

struct arsenal {
	struct bench *bench;
	struct cache_key keys[KEYS];
};

static unsigned roll(unsigned sides)
{
	uint32_t number;

	random_bytes(&number, sizeof(number));
	return number % sides;
}

/* A payload that tells whether it is whole: its length, then as many of one letter. */
static size_t make_payload(char *out, size_t capacity)
{
	unsigned size = 1 + roll((unsigned)capacity - 16);
	int head = snprintf(out, capacity, "%08u", size);

	memset(out + head, 'a' + (int)(size % 26), size);
	return (size_t)head + size;
}

static bool is_whole(struct text payload)
{
	uint64_t size;

	if (payload.size < 8 || !text_to_u64((struct text){ payload.bytes, 8 }, 10, &size) ||
	    payload.size != 8 + size)
		return false;
	for (size_t i = 8; i < payload.size; i++)
		if (payload.bytes[i] != (char)('a' + size % 26))
			return false;
	return true;
}

/* Blobs of some kinds are handed out as descriptors alone. */
static bool is_as_published(const struct cache_key *key, struct text payload)
{
	return is_whole(payload) || (payload.size == 0 && !cache_kind_is_mapped(key->kind));
}

static int publish(struct cache *cache, struct store *store, const struct cache_key *key,
		   struct err *err)
{
	char path[CACHE_PATH_BYTES], payload[20000];
	size_t size = make_payload(payload, sizeof(payload));
	int fd, rc;

	if (roll(3) == 0)
		return cache_publish_small(cache, store, key, (struct text){ payload, size }, err);
	if (cache_temporary(cache, path, sizeof(path), &fd, err) < 0)
		return -1;
	rc = file_write_all(fd, payload, size, err);
	if (rc == 0)
		rc = cache_publish_file(cache, store, key, fd, path, err);
	close(fd);
	return rc;
}

/* As an upgrade of the program finds it: what there is is of the version before. */
static int grow_old(struct cache *cache, struct store *store, const struct cache_key *key,
		    struct err *err)
{
	char old[CACHE_PATH_BYTES], now[CACHE_PATH_BYTES], remove[160], age[160], *slash;
	const char *kind = cache_kind_name(key->kind);
	int64_t version = cache_kind_version(key->kind);

	if (version == 1 ||
	    cache_blob_path(cache, key->kind, version - 1, key->text_hash, old, sizeof(old), err) < 0 ||
	    cache_blob_path(cache, key->kind, version, key->text_hash, now, sizeof(now), err) < 0)
		return version == 1 ? 0 : -1;
	slash = strrchr(old, '/');
	*slash = '\0';
	if (file_make_folders(old, 0700, err) < 0)
		return -1;
	*slash = '/';
	if (store_begin(store, STORE_TURN_ENTRY, TEXT_NONE, err) < 0)
		return -1;
	rename(now, old);
	snprintf(remove, sizeof(remove), "DELETE FROM cache_entry WHERE kind = '%s' AND version = %" PRId64,
		 kind, version - 1);
	snprintf(age, sizeof(age), "UPDATE cache_entry SET version = %" PRId64 " WHERE kind = '%s'",
		 version - 1, kind);
	if (store_execute(store, remove, "test", err) < 0 ||
	    store_execute(store, age, "test", err) < 0) {
		store_rollback(store);
		return -1;
	}
	return store_commit(store, err);
}

static int act(struct cache *cache, struct store *store, const struct cache_key *key,
	       const char *owner, struct err *err)
{
	struct err failure = ERR_INIT;
	struct cache_found found;
	struct cache_round round;
	bool whole = true;

	switch (roll(9)) {
	case 8:
		return grow_old(cache, store, key, err);
	case 0: case 1: case 2:
		return publish(cache, store, key, err);
	case 3:
		err_set(&failure, roll(2) ? ERR_CRASHED : ERR_MALFORMED, "it was a test");
		return cache_publish_failure(cache, store, key, &failure, err);
	case 4:
		return cache_claim(cache, store, key, owner, err) < 0 ? -1 : 0;
	case 5:
		if (cache_find(cache, store, key, &found, err) < 0)
			return -1;
		cache_invalidate(cache, store, key, &found, "test");
		cache_found_release(&found);
		return 0;
	case 6:
		return cache_clean(cache, store, false, &round, err);
	}
	if (cache_find(cache, store, key, &found, err) < 0)
		return -1;
	if (found.state == CACHE_READY)
		whole = is_as_published(key, found.payload);
	cache_found_release(&found);
	return whole ? 0 : err_set(err, ERR_INTERNAL, "half a payload");
}

static void work(struct arsenal *arsenal, int number)
{
	struct state *state = &arsenal->bench->state;
	struct err err = ERR_INIT;
	struct store *store;
	struct board *board;
	struct cache *cache;
	char owner[32];

	snprintf(owner, sizeof(owner), "worker %d", number);
	/* What is invalidated is logged; a thousand times here. */
	if (!freopen("/dev/null", "w", stderr))
		_exit(3);
	if (store_open(&store, &state->config, &err) < 0 ||
	    board_open(&board, &state->config, &err) < 0 ||
	    cache_open(&cache, &state->config, board, store, &err) < 0) {
		printf("opening: %s\n", err.text);
		fflush(stdout);
		_exit(1);
	}
	for (;;) {
		if (act(cache, store, &arsenal->keys[roll(KEYS)], owner, &err) < 0) {
			printf("acting: %s\n", err.text);
			fflush(stdout);
			_exit(2);
		}
	}
}

/* Every entry is whole, and no row promises a blob that is not there for long. */
static void check_all(struct arsenal *arsenal)
{
	struct bench *bench = arsenal->bench;

	for (unsigned i = 0; i < KEYS; i++) {
		struct cache_found found;
		struct err err = ERR_INIT;

		ck_assert_msg(cache_find(bench->cache, bench->state.store, &arsenal->keys[i], &found,
					 &err) == 0, "%s", err.text);
		if (found.state == CACHE_READY)
			ck_assert(is_as_published(&arsenal->keys[i], found.payload));
		cache_found_release(&found);
	}
	ck_assert_int_eq(state_ask(&bench->state, "SELECT count(*) FROM pragma_integrity_check "
				   "WHERE integrity_check = 'ok'"), 1);
}

static void end_worker(pid_t *pid)
{
	int status;

	ck_assert_int_eq(kill(*pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(*pid, &status, 0), *pid);
	ck_assert_msg(WIFSIGNALED(status), "a worker failed by itself (%d)", status);
	*pid = 0;
}

/* Rows ever written: was the killing idle? */
static int64_t rows_written(struct bench *bench)
{
	return state_ask(&bench->state, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'cache_entry'");
}

START_TEST(nothing_is_left_half_done)
{
	int64_t end = clock_monotonic_millis() + support_stretched(40000);
	struct bench bench;
	struct arsenal arsenal = { .bench = &bench };
	pid_t pids[WORKERS];
	char rest[64];

	bench_open(&bench);
	bench.state.config.cache_quota_bytes = 40000;
	for (unsigned i = 0; i < KEYS; i++) {
		snprintf(rest, sizeof(rest), "source: foo\nlocation: %u\n", i);
		arsenal.keys[i] = bench_key(&bench, (enum cache_kind)(i % CACHE_KINDS), NULL, rest);
	}
	for (int i = 0; i < WORKERS; i++)
		pids[i] = 0;
	/* On a busy machine they live too short a life to do anything in so few rounds. */
	for (int round = 0; round < ROUNDS || rows_written(&bench) <= 2 * ROUNDS; round++) {
		unsigned victim = roll(WORKERS);

		ck_assert(round < ROUNDS || clock_monotonic_millis() < end);

		for (int i = 0; i < WORKERS; i++) {
			if (pids[i] == 0 && (pids[i] = fork()) == 0)
				work(&arsenal, i);
		}
		usleep(roll(LIFE_USEC));
		end_worker(&pids[victim]);
		check_all(&arsenal);
	}
	for (unsigned i = 0; i < WORKERS; i++)
		if (pids[i] != 0)
			end_worker(&pids[i]);
	check_all(&arsenal);
	bench_remove(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kill");
	TCase *tcase = tcase_create("kill");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, nothing_is_left_half_done);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
