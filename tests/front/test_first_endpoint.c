/* test_first_endpoint.c -- the endpoint of doc/first-endpoint.md answers: a file, parts of it, refusals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cache/cache.h"
#include "front/front_internal.h"
#include "store/boot.h"
#include "store/state.h"
#include "support/support.h"

#define BYTES "the bytes of a file"

struct bench {
	struct state state;
	struct front front;
	struct worker worker;
	struct arena arena;
	char path[128];              /* of the entry, as it is asked for */
};

static void publish(struct bench *bench)
{
	struct err err = ERR_INIT;
	struct cache_key key;
	char path[512];
	int fd, size;

	ck_assert_int_eq(cache_key_make(&key, &bench->arena, CACHE_OBJECTS, TEXT_NONE,
					TEXT("source: a\nlocation: b\n"), &err), 0);
	ck_assert_msg(cache_temporary(bench->front.cache, path, sizeof(path), &fd, &err) == 0, "%s", err.text);
	ck_assert_int_eq(write(fd, BYTES, sizeof(BYTES) - 1), sizeof(BYTES) - 1);
	ck_assert_msg(cache_publish_file(bench->front.cache, bench->state.store, &key, fd, path, &err) == 0,
		      "%s", err.text);
	close(fd);
	size = snprintf(bench->path, sizeof(bench->path), "/stored/objects/");
	for (size_t i = 0; i < sizeof(key.text_hash); i++)
		size += snprintf(bench->path + size, sizeof(bench->path) - (size_t)size, "%02x",
				 key.text_hash[i]);
}

static void bench_open(struct bench *bench)
{
	struct err err = ERR_INIT;
	struct store_boot boot;

	memset(bench, 0, sizeof(*bench));
	state_open(&bench->state);
	bench->state.config.request_memory_bytes = (uint64_t)64 << 20;
	arena_init(&bench->arena, 1 << 20);
	ck_assert_int_eq(store_boot_join(bench->state.store, &boot, &err), 0);
	bench->front.config = &bench->state.config;
	bench->front.board = bench->state.board;
	bench->front.store = bench->state.store;
	ck_assert_msg(cache_open(&bench->front.cache, bench->front.config, bench->front.board,
				 bench->front.store, &err) == 0, "%s", err.text);
	bench->worker = (struct worker){ .front = &bench->front, .store = bench->state.store };
	bench->worker.jobs = (struct jobs){ .config = bench->front.config, .store = bench->state.store,
					    .board = bench->front.board };
	bench->worker.absences = source_absences_new();
	ck_assert_ptr_nonnull(bench->worker.absences);
	publish(bench);
}

static void bench_close(struct bench *bench)
{
	source_absences_free(bench->worker.absences);
	cache_close(bench->front.cache);
	arena_release(&bench->arena);
	state_remove(&bench->state);
}

/* As a request thread has it answered. */
static void answer(struct bench *bench, enum method method, const char *path, struct reply *reply)
{
	static const char *const names[] = { [METHOD_GET] = "GET", [METHOD_HEAD] = "HEAD",
					     [METHOD_POST] = "POST" };
	struct request request = { .method = method, .method_name = text_of(names[method]),
				   .path = text_of(path), .scope = TEXT_NONE, .query = TEXT("") };

	buf_init(&request.words, 4096);
	buf_init(&request.body, 4096);
	reply_init(reply);
	reply_reset(reply);
	route_find(&request);
	route_answer(&bench->worker, &request, reply);
	ck_assert(!reply->parked);
	buf_release(&request.words);
	buf_release(&request.body);
}

static const char *header_of(const struct reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->header_count; i++)
		if (strcmp(reply->headers[i].name, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

START_TEST(answers_with_a_file_and_a_header)
{
	struct bench bench;
	struct reply reply;
	char bytes[64];

	bench_open(&bench);
	answer(&bench, METHOD_GET, bench.path, &reply);
	ck_assert_msg(reply.status == 200, "%s", buf_string(&reply.body.written));
	ck_assert_str_eq(reply.content_type, "application/octet-stream");
	ck_assert_str_eq(header_of(&reply, "X-Cache-Kind"), "objects");
	ck_assert_int_ge(reply.body.file, 0);
	ck_assert_uint_eq(reply_body_size(&reply.body), sizeof(BYTES) - 1);
	ck_assert_int_eq(pread(reply.body.file, bytes, sizeof(bytes), (off_t)reply.body.offset),
			 sizeof(BYTES) - 1);
	ck_assert_mem_eq(bytes, BYTES, sizeof(BYTES) - 1);
	reply_release(&reply);
	bench_close(&bench);
}
END_TEST

/* The line in the table of routes is all it needs. */
START_TEST(is_counted_by_itself)
{
	struct bench bench;
	struct request request = { .method_name = TEXT("POST"), .path = TEXT("/stored/x/00") };
	struct buf out;

	bench_open(&bench);
	route_find(&request);
	route_count(bench.front.board, &request, 405);
	request.path = TEXT("/stored/");
	route_find(&request);
	route_count(bench.front.board, &request, 404);
	route_count(bench.front.board, &request, 418);
	buf_init(&out, 1 << 20);
	board_metrics(bench.front.board, &out);
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "_total{endpoint=\"stored\",status=\"405\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "_total{endpoint=\"other\",status=\"404\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "_total{endpoint=\"other\",status=\"other\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "_total{endpoint=\"requests\",status=\"200\"} 0\n"));
	buf_release(&out);
	bench_close(&bench);
}
END_TEST

static const struct { const char *what; enum method method; const char *path; int status; } refusals[] = {
	{ "another method", METHOD_POST, "/stored/objects/00", 405 },
	{ "no path", METHOD_GET, "/stored/", 404 },
	{ "no kind", METHOD_GET, "/stored/x", 400 },
	{ "another kind", METHOD_GET, "/stored/x/00", 400 },
	{ "a short hash", METHOD_GET, "/stored/objects/00", 400 },
	{ "no hash", METHOD_GET,
	  "/stored/objects/000000000000000000000000000000000000000000000000000000000000000g", 400 },
	{ "nothing there", METHOD_GET,
	  "/stored/objects/0000000000000000000000000000000000000000000000000000000000000000", 503 },
};

START_TEST(refuses)
{
	struct bench bench;
	struct reply reply;

	bench_open(&bench);
	answer(&bench, refusals[_i].method, refusals[_i].path, &reply);
	ck_assert_msg(reply.status == refusals[_i].status, "%s: %d %s", refusals[_i].what, reply.status,
		      buf_string(&reply.body.written));
	ck_assert(reply.status != 503 || header_of(&reply, "Retry-After"));
	reply_release(&reply);
	bench_close(&bench);
}
END_TEST

/* What is not what was published is never sent, and the next one who asks is told that it has gone. */
START_TEST(sends_nothing_that_was_changed)
{
	struct bench bench;
	struct reply reply;
	char command[600];

	bench_open(&bench);
	snprintf(command, sizeof(command), "f=$(find '%s' -type f -size -2 -path '*objects*' | head -n 1); "
		 "chmod u+w \"$f\" && printf X | dd of=\"$f\" conv=notrunc status=none",
		 bench.state.cache_folder);
	ck_assert_int_eq(system(command), 0);
	for (int i = 0; i < 2; i++) {
		answer(&bench, METHOD_GET, bench.path, &reply);
		ck_assert_int_eq(reply.status, 503);
		reply_release(&reply);
	}
	bench_close(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("first_endpoint");
	TCase *tcase = tcase_create("first_endpoint");

	tcase_add_test(tcase, answers_with_a_file_and_a_header);
	tcase_add_test(tcase, is_counted_by_itself);
	tcase_add_loop_test(tcase, refuses, 0, (int)(sizeof(refusals) / sizeof(refusals[0])));
	tcase_add_test(tcase, sends_nothing_that_was_changed);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
