/*
 * test_writer -- replies as FastCGI records, and slow readers that hold up nobody.
 */
#include <check.h>
#include <errno.h>
#include <fastcgi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"
#include "front/front_counters.h"
#include "front/reply_body.h"
#include "front/writer.h"
#include "supervisor/supervisor.h"
#include "support/support.h"

#define CHUNK 65528u             /* as reply_stream.c cuts a body */
#define HEAD "Status: 200 OK\r\n\r\n"
#define REQUEST_ID 0x1234
#define PATIENCE_MILLIS 60000
#define LARGE ((size_t)3 * 1024 * 1024)

static void make_pair(int pair[2])
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

/* Different bytes everywhere, so that none can stand in for another. */
static void fill(struct buf *body, size_t size)
{
	uint32_t state = 1;

	buf_init(body, size + 1);
	for (size_t i = 0; i < size; i++) {
		state = state * 1103515245u + 12345u;
		buf_add_char(body, (char)(state >> 16));
	}
	ck_assert(!body->failed);
}

/* How a reply carries the same bytes. */
enum form { FORM_WRITTEN, FORM_LENT, FORM_FILE, FORMS };

static unsigned released;

static void release(void *payload)
{
	mem_give_back(payload);
	released++;
}

/* With something before and after the stretch that is sent. */
static int file_of(const struct buf *bytes)
{
	char path[] = "/tmp/symgate-writer-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(write(fd, "before", 6), 6);
	ck_assert_int_eq(write(fd, bytes->bytes, bytes->size), (ssize_t)bytes->size);
	ck_assert_int_eq(write(fd, "after", 5), 5);
	return fd;
}

static void make_body(struct reply_body *body, const struct buf *bytes, enum form form)
{
	char *copy;

	reply_body_init(body);
	switch (form) {
	case FORM_WRITTEN:
		buf_add_text(&body->written, buf_text(bytes));
		break;
	case FORM_LENT:
		copy = mem_get(bytes->size + 1);
		memcpy(copy, bytes->bytes ? bytes->bytes : "", bytes->size);
		reply_body_lend(body, (struct text){ copy, bytes->size }, release, copy);
		break;
	default:
		reply_body_take_file(body, file_of(bytes), 6, bytes->size);
		break;
	}
}

static struct reply_stream stream_for(int fd, const struct reply_body *body)
{
	struct reply_stream stream = { .fd = fd, .request_id = REQUEST_ID, .head = HEAD,
				       .head_size = sizeof(HEAD) - 1 };

	reply_stream_carry(&stream, body);
	return stream;
}

/* What has come so far; false at the end of the connection. */
static bool read_some(int fd, struct buf *into)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char bytes[8192];
	ssize_t size;

	ck_assert_int_eq(poll(&wait, 1, (int)support_stretched(PATIENCE_MILLIS)), 1);
	size = read(fd, bytes, sizeof(bytes));
	ck_assert(size >= 0 || errno == ECONNRESET);
	if (size > 0)
		buf_add(into, bytes, (size_t)size);
	return size > 0;
}

static void read_to_end(int fd, struct buf *into)
{
	buf_init(into, (size_t)64 * 1024 * 1024);
	while (read_some(fd, into))
		;
}

/* The records say HEAD and the body, an end of output, an end of the request, and no more. */
static void check_records(const struct buf *records, const struct buf *body)
{
	const uint8_t *at = (const uint8_t *)records->bytes, *end = at + records->size;
	struct buf output;
	bool ended = false;

	buf_init(&output, body->size + sizeof(HEAD));
	while (!ended) {
		size_t size;

		ck_assert_int_ge(end - at, 8);
		size = (size_t)at[4] << 8 | at[5];
		ck_assert_uint_eq(at[0], 1);
		ck_assert_uint_eq((unsigned)at[2] << 8 | at[3], REQUEST_ID);
		ck_assert_uint_eq(at[6], 0);
		ck_assert_int_ge(end - at, (ptrdiff_t)(8 + size));
		ck_assert_uint_eq(at[1], FCGI_STDOUT);
		buf_add(&output, at + 8, size);
		ended = size == 0;
		at += 8 + size;
	}
	ck_assert_int_eq(end - at, 16);
	ck_assert_uint_eq(at[1], FCGI_END_REQUEST);
	ck_assert_mem_eq(at + 4, "\0\10\0\0\0\0\0\0\0\0\0\0", 12);
	ck_assert_uint_eq(output.size, sizeof(HEAD) - 1 + body->size);
	ck_assert_mem_eq(output.bytes, HEAD, sizeof(HEAD) - 1);
	if (body->size)
		ck_assert_mem_eq(output.bytes + sizeof(HEAD) - 1, body->bytes, body->size);
	buf_release(&output);
}

static const struct { const char *what; size_t size; } bodies[] = {
	{ "none", 0 },
	{ "one byte", 1 },
	{ "one less than a record", CHUNK - 1 },
	{ "a whole record", CHUNK },
	{ "one more", CHUNK + 1 },
	{ "as many as one call writes", 16 * CHUNK },
	{ "one more than that", 16 * CHUNK + 1 },
	{ "many", 40 * CHUNK + 17 },
};

#define BODIES (sizeof(bodies) / sizeof(bodies[0]))

START_TEST(a_reply_is_whole_however_it_is_read)
{
	enum form form = (enum form)(_i / (int)BODIES);
	size_t which = (size_t)_i % BODIES;
	int pair[2], capacity = 4096 << (which % 3);
	struct reply_stream stream;
	struct reply_body body;
	struct buf bytes, records;
	enum written written;

	make_pair(pair);
	ck_assert_int_eq(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &capacity, sizeof(capacity)), 0);
	fill(&bytes, bodies[which].size);
	make_body(&body, &bytes, form);
	ck_assert_uint_eq(reply_body_size(&body), bytes.size);
	buf_init(&records, (size_t)64 * 1024 * 1024);
	stream = stream_for(pair[0], &body);
	while ((written = reply_write_some(&stream)) == WRITTEN_SOME)
		ck_assert(read_some(pair[1], &records));
	ck_assert_msg(written == WRITTEN_ALL, "%s", bodies[which].what);
	ck_assert_int_eq(reply_write_some(&stream), WRITTEN_ALL);
	close(pair[0]);
	while (read_some(pair[1], &records))
		;
	check_records(&records, &bytes);
	released = 0;
	reply_body_release(&body);
	ck_assert_uint_eq(released, form == FORM_LENT);
	buf_release(&records);
	buf_release(&bytes);
	close(pair[1]);
}
END_TEST

START_TEST(a_part_of_a_body_is_that_part)
{
	struct buf bytes, part, records;
	struct reply_stream stream;
	struct reply_body body;
	int pair[2];

	make_pair(pair);
	fill(&bytes, 1000);
	make_body(&body, &bytes, (enum form)_i);
	reply_body_narrow(&body, 10, 500);
	reply_body_narrow(&body, 1, 99);
	stream = stream_for(pair[0], &body);
	ck_assert_int_eq(reply_write_some(&stream), WRITTEN_ALL);
	close(pair[0]);
	read_to_end(pair[1], &records);
	buf_init(&part, 100);
	buf_add(&part, bytes.bytes + 11, 99);
	check_records(&records, &part);
	reply_body_release(&body);
	buf_release(&part);
	buf_release(&records);
	buf_release(&bytes);
	close(pair[1]);
}
END_TEST

START_TEST(a_reader_that_has_gone_is_noticed)
{
	struct reply_stream stream;
	struct reply_body body;
	struct buf bytes;
	int pair[2];

	make_pair(pair);
	fill(&bytes, 10);
	make_body(&body, &bytes, (enum form)_i);
	stream = stream_for(pair[0], &body);
	close(pair[1]);
	ck_assert_int_eq(reply_write_some(&stream), WRITTEN_NOTHING);      /* and no SIGPIPE */
	close(pair[0]);
	reply_body_release(&body);
	buf_release(&bytes);
}
END_TEST

/* The end of the request is missing: nobody takes what came for all of it. */
START_TEST(a_file_that_became_shorter_cuts_the_reply)
{
	struct reply_stream stream;
	struct reply_body body;
	struct buf bytes, records;
	int pair[2];

	make_pair(pair);
	fill(&bytes, 3 * CHUNK);
	make_body(&body, &bytes, FORM_FILE);
	stream = stream_for(pair[0], &body);
	ck_assert_int_eq(ftruncate(body.file, _i == 0 ? 0 : 6 + CHUNK + 100), 0);
	ck_assert_int_eq(reply_write_some(&stream), WRITTEN_NOTHING);
	close(pair[0]);
	read_to_end(pair[1], &records);
	ck_assert_uint_lt(records.size, 2 * CHUNK);
	reply_body_release(&body);
	buf_release(&records);
	buf_release(&bytes);
	close(pair[1]);
}
END_TEST

static struct writer *start_writer(void)
{
	struct err err = ERR_INIT;
	struct writer *writer;

	ck_assert_msg(writer_start(&writer, &err) == 0, "%s", err.text);
	return writer;
}

/* Returns our end of the connection. */
static int send_as(struct writer *writer, const struct buf *bytes, bool is_read, enum form form)
{
	struct reply_stream stream;
	struct reply_body body;
	int pair[2];

	make_pair(pair);
	make_body(&body, bytes, form);
	stream = stream_for(pair[0], &body);
	writer_send(writer, &stream, &body, is_read);
	reply_body_release(&body);
	return pair[1];
}

static int send_body(struct writer *writer, const struct buf *bytes, bool is_read)
{
	return send_as(writer, bytes, is_read, FORM_WRITTEN);
}

/* Whatever carries it: the writer has it, and lets it go when it is sent. */
START_TEST(bodies_go_along_to_the_writer)
{
	struct writer *writer = start_writer();
	struct buf large, records;
	int fds[FORMS];

	released = 0;
	fill(&large, LARGE);
	for (int i = 0; i < FORMS; i++)
		fds[i] = send_as(writer, &large, true, (enum form)i);
	ck_assert_uint_eq(released, 0);
	for (int i = 0; i < FORMS; i++) {
		read_to_end(fds[i], &records);
		check_records(&records, &large);
		buf_release(&records);
		close(fds[i]);
	}
	writer_stop(writer);
	ck_assert_uint_eq(released, 1);
	buf_release(&large);
}
END_TEST

START_TEST(a_slow_reader_holds_up_nobody)
{
	struct writer *writer = start_writer();
	struct buf large, small, records;
	int slow[2], quick;

	fill(&large, LARGE);
	fill(&small, 100);
	slow[0] = send_body(writer, &large, true);
	slow[1] = send_body(writer, &large, false);
	for (int i = 0; i < 20; i++) {
		quick = send_body(writer, &small, i % 2 == 0);
		read_to_end(quick, &records);
		check_records(&records, &small);
		buf_release(&records);
		close(quick);
	}
	for (int i = 0; i < 2; i++) {
		read_to_end(slow[i], &records);
		check_records(&records, &large);
		buf_release(&records);
		close(slow[i]);
	}
	writer_stop(writer);
	buf_release(&large);
	buf_release(&small);
}
END_TEST

/* A web server that is still sending a body gets the whole reply and no reset. */
START_TEST(what_the_web_server_still_says_is_listened_to)
{
	struct writer *writer = start_writer();
	static const char more[100000];
	struct buf body, records;
	int fd;

	fill(&body, 100);
	fd = send_body(writer, &body, false);
	for (size_t sent = 0; sent < 10 * sizeof(more); sent += sizeof(more))
		ck_assert_int_eq(send(fd, more, sizeof(more), MSG_NOSIGNAL), sizeof(more));
	read_to_end(fd, &records);
	check_records(&records, &body);
	close(fd);
	writer_stop(writer);
	buf_release(&records);
	buf_release(&body);
}
END_TEST

static struct board *open_board(char *folder, size_t capacity)
{
	struct err err = ERR_INIT;
	struct config config = { 0 };
	struct board *board;

	snprintf(folder, capacity, "/tmp/symgate-writer-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	config.state_dir = folder;
	supervisor_register_counters();
	ck_assert_msg(board_open(&board, &config, &err) == 0, "%s", err.text);
	return board;
}

static void close_board(struct board *board, const char *folder)
{
	char command[128];

	board_close(board);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(of_too_many_the_oldest_goes)
{
	struct writer *writer = start_writer();
	int fds[WRITER_MOST + 2];
	struct buf body, records;
	struct board *board;
	char folder[64];

	board = open_board(folder, sizeof(folder));
	writer_show_on(writer, board);
	fill(&body, 1024 * 1024);
	for (unsigned i = 0; i < WRITER_MOST + 2; i++) {
		fds[i] = send_body(writer, &body, true);
		/* In that order, and one after the other. */
		while (i < WRITER_MOST && board_gauge(board, &front_writing_now) != i + 1)
			usleep(100);
	}
	for (unsigned i = 0; i < 2; i++) {
		read_to_end(fds[i], &records);
		ck_assert_uint_lt(records.size, body.size);
		buf_release(&records);
	}
	ck_assert_uint_eq(board_counter(board, &front_replies_cut, 0), 2);
	read_to_end(fds[2], &records);
	check_records(&records, &body);
	buf_release(&records);
	for (unsigned i = 0; i < WRITER_MOST + 2; i++)
		close(fds[i]);
	writer_stop(writer);
	close_board(board, folder);
	buf_release(&body);
}
END_TEST

START_TEST(replies_under_way_end_with_it_or_are_cut)
{
	struct writer *writer = start_writer();
	struct buf body, records;
	int fd;

	fill(&body, LARGE);
	fd = send_body(writer, &body, true);
	writer_stop(writer);
	read_to_end(fd, &records);
	ck_assert_uint_lt(records.size, body.size);
	close(fd);
	buf_release(&records);
	buf_release(&body);
}
END_TEST

static int start_and_stop(void *payload, struct err *err)
{
	struct writer *writer;

	(void)payload;
	if (writer_start(&writer, err) < 0)
		return -1;
	writer_stop(writer);
	return 0;
}

START_TEST(survives_every_allocation_failure)
{
	struct writer *writer = start_writer();
	struct reply_stream stream;
	struct reply_body body;
	struct buf bytes, records;
	int pair[2];

	support_every_allocation_failure(start_and_stop, NULL, 10);
	/* No memory to go on: the connection ends early, and that is all. */
	make_pair(pair);
	fill(&bytes, LARGE);
	released = 0;
	make_body(&body, &bytes, (enum form)_i);
	stream = stream_for(pair[0], &body);
	mem_fail_after = 0;
	writer_send(writer, &stream, &body, true);
	mem_fail_after = -1;
	reply_body_release(&body);
	ck_assert_uint_eq(released, _i == FORM_LENT);
	read_to_end(pair[1], &records);
	ck_assert_uint_lt(records.size, bytes.size);
	close(pair[1]);
	writer_stop(writer);
	buf_release(&records);
	buf_release(&bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("writer");
	TCase *tcase = tcase_create("writer");

	signal(SIGPIPE, SIG_IGN);            /* as a front does */
	tcase_add_loop_test(tcase, a_reply_is_whole_however_it_is_read, 0, (int)(FORMS * BODIES));
	tcase_add_loop_test(tcase, a_part_of_a_body_is_that_part, 0, FORMS);
	tcase_add_loop_test(tcase, a_reader_that_has_gone_is_noticed, 0, FORMS);
	tcase_add_loop_test(tcase, a_file_that_became_shorter_cuts_the_reply, 0, 2);
	tcase_add_test(tcase, bodies_go_along_to_the_writer);
	tcase_add_test(tcase, a_slow_reader_holds_up_nobody);
	tcase_add_test(tcase, what_the_web_server_still_says_is_listened_to);
	tcase_add_test(tcase, of_too_many_the_oldest_goes);
	tcase_add_test(tcase, replies_under_way_end_with_it_or_are_cut);
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, FORMS);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
