/* test_result.c -- results of jobs: from memory up to 64 KiB, above from their file, never in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "front/front_internal.h"
#include "store/boot.h"
#include "store/state.h"
#include "support/support.h"

#define LARGEST ((size_t)5 << 20)
#define IN_MEMORY ((size_t)64 * 1024)
#define HEAD "Status: 206\nContent-Type: text/x-odd\nX-Of-Kind: yes\n\n"
#define HEAD_BYTES (sizeof(HEAD) - 1)

static const struct { const char *what, *head; size_t bytes; bool is_file; } cases[] = {
	{ "JSON of a byte", "", 1, false },
	{ "JSON, the last from memory", "", IN_MEMORY, false },
	{ "JSON, the first from its file", "", IN_MEMORY + 1, true },
	{ "JSON of some MiB", "", LARGEST, true },
	{ "a head and no byte", HEAD, 0, false },
	{ "a head and the last from memory", HEAD, IN_MEMORY - HEAD_BYTES, false },
	{ "a head and the first from its file", HEAD, IN_MEMORY - HEAD_BYTES + 1, true },
	{ "a head and some MiB", HEAD, LARGEST, true },
};

struct desk {
	struct state state;
	struct jobs jobs;
	struct front front;
	char id[JOB_ID_BYTES];
};

/* Bytes that tell their place. */
static char byte_at(size_t i)
{
	return (char)('a' + (i * 31 + i / 4096) % 26);
}

static void desk_open(struct desk *desk)
{
	struct err err = ERR_INIT;
	struct store_boot boot;

	memset(desk, 0, sizeof(*desk));
	state_open(&desk->state);
	ck_assert_int_eq(store_boot_join(desk->state.store, &boot, &err), 0);
	desk->jobs = (struct jobs){ .config = &desk->state.config, .store = desk->state.store,
				    .board = desk->state.board };
	desk->front = (struct front){ .config = &desk->state.config, .board = desk->state.board,
				      .store = desk->state.store };
}

static void end_job(struct desk *desk, struct text result)
{
	const struct job_order order = { .kind = "symbolicate", .scope = TEXT_NONE, .body = TEXT("{}"),
					 .x_request_id = TEXT_NONE };
	struct err err = ERR_INIT;
	struct job job;

	ck_assert_msg(job_submit(&desk->jobs, &order, desk->id, &err) == 0, "%s", err.text);
	ck_assert_int_eq(job_claim(&desk->jobs, "w", &job, &err), 1);
	ck_assert_msg(job_finish(&desk->jobs, &job, "w", JOB_COMPLETED, result, &err) == 0, "%s", err.text);
}

/* What would be sent. */
static void read_reply(const struct reply *reply, char *bytes, size_t size)
{
	ck_assert_uint_eq(reply_body_size(&reply->body), size);
	if (reply->body.file >= 0)
		ck_assert_int_eq(pread(reply->body.file, bytes, size, (off_t)reply->body.offset),
				 (ssize_t)size);
	else if (reply->body.lent.bytes && size > 0)
		memcpy(bytes, reply->body.lent.bytes, size);
	else
		memcpy(bytes, reply->body.written.bytes, size);
}

static void check(const struct reply *reply, const char *head, size_t size, bool is_file)
{
	static char bytes[LARGEST];

	ck_assert_int_eq(reply->body.file >= 0, is_file);
	ck_assert_uint_le(reply_body_memory(&reply->body), 2 * IN_MEMORY);
	ck_assert_int_eq(reply->status, head[0] ? 206 : 200);
	ck_assert_str_eq(reply->content_type, head[0] ? "text/x-odd" : "application/json");
	ck_assert_uint_eq(reply->header_count > 0, head[0] != '\0');
	read_reply(reply, bytes, size);
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != byte_at(i))
			ck_abort_msg("byte %zu of %zu", i, size);
}

START_TEST(is_sent_from_where_it_lies)
{
	struct desk desk;
	struct reply reply;
	struct buf result;

	desk_open(&desk);
	buf_init(&result, (size_t)8 << 20);
	buf_add_string(&result, cases[_i].head);
	for (size_t i = 0; i < cases[_i].bytes; i++)
		buf_add_char(&result, byte_at(i));
	end_job(&desk, buf_text(&result));
	reply_init(&reply);
	for (int time = 0; time < 2; time++) {      /* and again, as whoever polls may */
		reply_reset(&reply);
		ck_assert(answer_job_if_ended(&desk.front, &desk.jobs, desk.id, &reply));
		check(&reply, cases[_i].head, cases[_i].bytes, cases[_i].is_file);
	}
	reply_release(&reply);
	buf_release(&result);
	state_remove(&desk.state);
}
END_TEST

/* A client that was told of the result reads all of it although its time ended meanwhile. */
START_TEST(is_whole_when_its_time_ends_while_it_is_sent)
{
	struct desk desk;
	struct reply reply;
	static char bytes[2 * IN_MEMORY];
	char command[600];

	desk_open(&desk);
	for (size_t i = 0; i < 2 * IN_MEMORY; i++)
		bytes[i] = byte_at(i);
	end_job(&desk, (struct text){ bytes, 2 * IN_MEMORY });
	reply_init(&reply);
	ck_assert(answer_job_if_ended(&desk.front, &desk.jobs, desk.id, &reply));
	snprintf(command, sizeof(command), "find '%s' -path '*spool*' -type f -delete", desk.state.folder);
	ck_assert_int_eq(system(command), 0);
	check(&reply, "", 2 * IN_MEMORY, true);
	reply_reset(&reply);
	ck_assert(answer_job_if_ended(&desk.front, &desk.jobs, desk.id, &reply));
	ck_assert_int_eq(reply.status, 404);
	reply_release(&reply);
	state_remove(&desk.state);
}
END_TEST

/* A head that is none is ours to tell, and nothing of it is sent. */
START_TEST(a_broken_head_is_not_sent)
{
	struct desk desk;
	struct reply reply;

	desk_open(&desk);
	end_job(&desk, TEXT("Status: 200\nX-Secret: of ours"));
	reply_init(&reply);
	ck_assert(answer_job_if_ended(&desk.front, &desk.jobs, desk.id, &reply));
	ck_assert_int_eq(reply.status, 500);
	ck_assert_ptr_null(strstr(buf_string(&reply.body.written), "X-Secret"));
	reply_release(&reply);
	state_remove(&desk.state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("result");
	TCase *tcase = tcase_create("result");

	tcase_add_loop_test(tcase, is_sent_from_where_it_lies, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, is_whole_when_its_time_ends_while_it_is_sent);
	tcase_add_test(tcase, a_broken_head_is_not_sent);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
