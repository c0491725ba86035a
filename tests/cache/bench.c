/* bench.c -- see bench.h. */
#include "cache/bench.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "cache/cache_internal.h"

int64_t bench_now = 1800000000, bench_millis = 1000000;

static int64_t now(void)
{
	return bench_now;
}

static int64_t now_millis(void)
{
	return bench_millis;
}

void bench_set_clock(struct cache *cache)
{
	cache->now = now;
	cache->now_millis = now_millis;
}

static void open_cache(struct bench *bench)
{
	struct err err = ERR_INIT;

	ck_assert_msg(cache_open(&bench->cache, &bench->state.config, bench->state.board,
				 bench->state.store, &err) == 0, "%s", err.text);
	bench_set_clock(bench->cache);
}

void bench_open(struct bench *bench)
{
	memset(bench, 0, sizeof(*bench));
	arena_init(&bench->arena, (size_t)1 << 20);
	state_open(&bench->state);
	open_cache(bench);
}

void bench_reopen(struct bench *bench)
{
	cache_close(bench->cache);
	state_close(&bench->state);
	state_open(&bench->state);
	open_cache(bench);
}

void bench_remove(struct bench *bench)
{
	cache_close(bench->cache);
	arena_release(&bench->arena);
	state_remove(&bench->state);
}

struct cache_key bench_key(struct bench *bench, enum cache_kind kind, const char *scope,
			   const char *rest)
{
	struct cache_key key;
	struct err err = ERR_INIT;

	ck_assert_msg(cache_key_make(&key, &bench->arena, kind, text_of(scope), text_of(rest), &err) == 0,
		      "%s", err.text);
	key.module = TEXT("libfoo.so");
	key.source = TEXT("foo");
	return key;
}

void bench_put(struct bench *bench, const struct cache_key *key, const char *payload)
{
	struct err err = ERR_INIT;
	char path[CACHE_PATH_BYTES];
	int fd;

	ck_assert_msg(cache_temporary(bench->cache, path, sizeof(path), &fd, &err) == 0, "%s", err.text);
	ck_assert_int_eq(file_write_all(fd, payload, strlen(payload), &err), 0);
	ck_assert_msg(cache_publish_file(bench->cache, bench->state.store, key, fd, path, &err) == 0,
		      "%s", err.text);
	close(fd);
}

void bench_put_small(struct bench *bench, const struct cache_key *key, const char *payload)
{
	struct err err = ERR_INIT;

	ck_assert_msg(cache_publish_small(bench->cache, bench->state.store, key, text_of(payload),
					  &err) == 0, "%s", err.text);
}

void bench_fail(struct bench *bench, const struct cache_key *key, enum err_kind kind)
{
	struct err failure = ERR_INIT, err = ERR_INIT;

	err_set(&failure, kind, "it was %s", err_kind_name(kind));
	ck_assert_msg(cache_publish_failure(bench->cache, bench->state.store, key, &failure, &err) == 0,
		      "%s", err.text);
}

static void read_blob(struct bench *bench, const struct cache_key *key, char *words, size_t capacity)
{
	struct checksum_seal seal;
	struct err err = ERR_INIT;
	ssize_t got;
	int fd;

	ck_assert_msg(cache_open_blob(bench->cache, bench->state.store, key, &fd, &seal, &err) == 0,
		      "%s", err.text);
	ck_assert_int_eq(checksum_check_file(fd, &seal, &err), 1);
	got = read(fd, words, capacity - 1);
	ck_assert_int_ge(got, 0);
	words[got] = '\0';
	close(fd);
}

const char *bench_find(struct bench *bench, const struct cache_key *key)
{
	static char words[256];
	struct cache_found found;
	struct err err = ERR_INIT;

	ck_assert_msg(cache_find(bench->cache, bench->state.store, key, &found, &err) == 0, "%s",
		      err.text);
	if (found.state == CACHE_ABSENT) {
		ck_assert_ptr_null(found.hold);
		return "absent";
	}
	if (found.state == CACHE_READY && found.hold->entry.is_blob &&
	    !cache_kind_is_mapped(key->kind))
		read_blob(bench, key, words, sizeof(words));
	else if (found.state == CACHE_READY)
		snprintf(words, sizeof(words), "%.*s", (int)found.payload.size, found.payload.bytes);
	else
		snprintf(words, sizeof(words), "%s", err_kind_name(found.failure));
	if (found.state == CACHE_FAILED)
		ck_assert_msg(text_starts_with(found.details, "it was "), "%s", found.details.bytes);
	cache_found_release(&found);
	return words;
}

void bench_invalidate(struct bench *bench, const struct cache_key *key)
{
	struct cache_found found;
	struct err err = ERR_INIT;

	ck_assert_msg(cache_find(bench->cache, bench->state.store, key, &found, &err) == 0, "%s",
		      err.text);
	cache_invalidate(bench->cache, bench->state.store, key, &found, "test");
	cache_found_release(&found);
}

const char *bench_find_anew(struct bench *bench, const struct cache_key *key)
{
	bench_millis += CACHE_REREAD_MILLIS + 1;
	return bench_find(bench, key);
}

const char *bench_blob(const struct bench *bench, const struct cache_key *key)
{
	static char path[CACHE_PATH_BYTES];
	struct err err = ERR_INIT;

	ck_assert_int_eq(cache_blob_path(bench->cache, key->kind, cache_kind_version(key->kind),
					 key->text_hash, path, sizeof(path), &err), 0);
	return path;
}
