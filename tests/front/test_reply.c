/* test_reply.c -- replies by condition and in parts, and what their headers say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front/front_internal.h"
#include "front/writer.h"
#include "support/support.h"

#define WHEN ((int64_t)784111777)        /* Sun, 06 Nov 1994 08:49:37 GMT */
#define THEN "Sun, 06 Nov 1994 08:49:37 GMT"
#define BEFORE "Sun, 06 Nov 1994 08:49:36 GMT"
#define AFTER "Monday, 07-Nov-94 08:49:37 GMT"
#define BODY "0123456789"

static const struct {
	const char *what;
	enum method method;
	const char *variables[3];
	int status;
	const char *body, *range;
} cases[] = {
	{ "nothing asked", METHOD_GET, { NULL }, 200, BODY, NULL },
	{ "its tag", METHOD_GET, { "HTTP_IF_NONE_MATCH=\"abc\"" }, 304, NULL, NULL },
	{ "its tag, weakened", METHOD_GET, { "HTTP_IF_NONE_MATCH=W/\"abc\"" }, 304, NULL, NULL },
	{ "among others", METHOD_GET, { "HTTP_IF_NONE_MATCH=\"x\", \"y,\" ,\"abc\"" }, 304, NULL, NULL },
	{ "any", METHOD_HEAD, { "HTTP_IF_NONE_MATCH= * " }, 304, NULL, NULL },
	{ "another tag", METHOD_GET, { "HTTP_IF_NONE_MATCH=\"abcd\"" }, 200, BODY, NULL },
	{ "a tag inside another", METHOD_GET, { "HTTP_IF_NONE_MATCH=\"x,abc,y\"" }, 200, BODY, NULL },
	{ "no tag at all", METHOD_GET, { "HTTP_IF_NONE_MATCH=abc" }, 200, BODY, NULL },
	{ "an open quote", METHOD_GET, { "HTTP_IF_NONE_MATCH=\"abc" }, 200, BODY, NULL },
	{ "nothing for a tag", METHOD_GET, { "HTTP_IF_NONE_MATCH=" }, 200, BODY, NULL },
	{ "of POST", METHOD_POST, { "HTTP_IF_NONE_MATCH=\"abc\"" }, 200, BODY, NULL },
	{ "since then", METHOD_GET, { "HTTP_IF_MODIFIED_SINCE=" THEN }, 304, NULL, NULL },
	{ "since later", METHOD_GET, { "HTTP_IF_MODIFIED_SINCE=" AFTER }, 304, NULL, NULL },
	{ "since before", METHOD_GET, { "HTTP_IF_MODIFIED_SINCE=" BEFORE }, 200, BODY, NULL },
	{ "since nonsense", METHOD_GET, { "HTTP_IF_MODIFIED_SINCE=yesterday" }, 200, BODY, NULL },
	{ "the tag before the time", METHOD_GET,
	  { "HTTP_IF_NONE_MATCH=\"x\"", "HTTP_IF_MODIFIED_SINCE=" THEN }, 200, BODY, NULL },
	{ "a part", METHOD_GET, { "HTTP_RANGE=bytes=2-4" }, 206, "234", "bytes 2-4/10" },
	{ "one byte", METHOD_GET, { "HTTP_RANGE=bytes=0-0" }, 206, "0", "bytes 0-0/10" },
	{ "the rest", METHOD_GET, { "HTTP_RANGE=bytes=7-" }, 206, "789", "bytes 7-9/10" },
	{ "beyond its end", METHOD_GET, { "HTTP_RANGE=BYTES=7-99" }, 206, "789", "bytes 7-9/10" },
	{ "the last", METHOD_GET, { "HTTP_RANGE=bytes=-3" }, 206, "789", "bytes 7-9/10" },
	{ "more than all", METHOD_GET, { "HTTP_RANGE=bytes=-30" }, 206, BODY, "bytes 0-9/10" },
	{ "from its end on", METHOD_GET, { "HTTP_RANGE=bytes=10-" }, 416, NULL, "bytes */10" },
	{ "the last none", METHOD_GET, { "HTTP_RANGE=bytes=-0" }, 416, NULL, "bytes */10" },
	{ "the highest number", METHOD_GET, { "HTTP_RANGE=bytes=1-18446744073709551615" }, 206,
	  "123456789", "bytes 1-9/10" },
	{ "more than a number", METHOD_GET, { "HTTP_RANGE=bytes=1-18446744073709551616" }, 200, BODY, NULL },
	{ "backwards", METHOD_GET, { "HTTP_RANGE=bytes=4-2" }, 200, BODY, NULL },
	{ "several", METHOD_GET, { "HTTP_RANGE=bytes=0-1,3-4" }, 200, BODY, NULL },
	{ "no numbers", METHOD_GET, { "HTTP_RANGE=bytes=-" }, 200, BODY, NULL },
	{ "no dash", METHOD_GET, { "HTTP_RANGE=bytes=5" }, 200, BODY, NULL },
	{ "another unit", METHOD_GET, { "HTTP_RANGE=lines=1-2" }, 200, BODY, NULL },
	{ "nothing of it", METHOD_GET, { "HTTP_RANGE=bytes=" }, 200, BODY, NULL },
	{ "HEAD has no parts", METHOD_HEAD, { "HTTP_RANGE=bytes=2-4" }, 200, BODY, NULL },
	{ "a part if it is that", METHOD_GET, { "HTTP_RANGE=bytes=2-4", "HTTP_IF_RANGE=\"abc\"" }, 206, "234",
	  "bytes 2-4/10" },
	{ "... and it is not", METHOD_GET, { "HTTP_RANGE=bytes=2-4", "HTTP_IF_RANGE=\"old\"" }, 200, BODY, NULL },
	{ "... weakly is not enough", METHOD_GET, { "HTTP_RANGE=bytes=2-4", "HTTP_IF_RANGE=W/\"abc\"" }, 200,
	  BODY, NULL },
	{ "... of that time", METHOD_GET, { "HTTP_RANGE=bytes=2-4", "HTTP_IF_RANGE=" THEN }, 206, "234",
	  "bytes 2-4/10" },
	{ "... of another", METHOD_GET, { "HTTP_RANGE=bytes=2-4", "HTTP_IF_RANGE=" AFTER }, 200, BODY, NULL },
	{ "304 before 206", METHOD_GET, { "HTTP_RANGE=bytes=2-4", "HTTP_IF_NONE_MATCH=\"abc\"" }, 304, NULL, NULL },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static void fill(struct request *request, char **variables, size_t which)
{
	memset(request, 0, sizeof(*request));
	for (size_t i = 0; i < 3 && cases[which].variables[i]; i++)
		variables[i] = (char *)(uintptr_t)cases[which].variables[i];
	request->fcgi.envp = variables;
	request->method = cases[which].method;
}

static const char *header_of(const struct reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->header_count; i++)
		if (strcmp(reply->headers[i].name, name) == 0)
			return reply->headers[i].value;
	return NULL;
}

static struct text body_of(const struct reply *reply)
{
	if (reply->body.lent.bytes)
		return (struct text){ reply->body.lent.bytes + reply->body.offset, (size_t)reply->body.size };
	return buf_text(&reply->body.written);
}

static unsigned released;

static void release(void *payload)
{
	(void)payload;
	released++;
}

/* Of bytes that were written and of bytes that are lent. */
START_TEST(meets_conditions)
{
	size_t which = (size_t)_i % CASES;
	bool is_lent = (size_t)_i >= CASES;
	char *variables[4] = { NULL };
	struct request request;
	struct reply reply;
	const char *range;

	fill(&request, variables, which);
	reply_init(&reply);
	reply_reset(&reply);
	if (is_lent)
		reply_bytes(&reply, "text/plain", text_of(BODY), release, NULL);
	else
		reply_text(&reply, 200, BODY);
	reply_validators(&reply, "abc", WHEN);
	reply_allow_parts(&reply);
	ck_assert_str_eq(header_of(&reply, "ETag"), "\"abc\"");
	ck_assert_str_eq(header_of(&reply, "Last-Modified"), THEN);
	reply_meet_conditions(&reply, &request);
	ck_assert_msg(reply.status == cases[which].status, "%s: %d", cases[which].what, reply.status);
	ck_assert_msg((reply.content_type != NULL) == (cases[which].body != NULL), "%s", cases[which].what);
	if (cases[which].body)
		ck_assert_msg(text_is(body_of(&reply), cases[which].body), "%s", cases[which].what);
	range = header_of(&reply, "Content-Range");
	ck_assert_msg(!range == !cases[which].range && (!range || strcmp(range, cases[which].range) == 0),
		      "%s: %s", cases[which].what, range ? range : "none");
	reply_release(&reply);
	ck_assert_uint_eq(released, is_lent);
}
END_TEST

START_TEST(what_says_nothing_is_answered_whole)
{
	struct request request;
	struct reply reply;

	for (size_t i = 0; i < CASES; i++) {
		char *variables[4] = { NULL };

		fill(&request, variables, i);
		reply_init(&reply);
		reply_text(&reply, 200, BODY);
		reply_meet_conditions(&reply, &request);
		ck_assert_msg(reply.status == 200 && text_is(body_of(&reply), BODY), "%s", cases[i].what);
		reply_text(&reply, 404, BODY);
		reply_validators(&reply, "abc", WHEN);
		reply_allow_parts(&reply);
		reply_meet_conditions(&reply, &request);
		ck_assert_msg(reply.status == 404, "%s", cases[i].what);
		reply_release(&reply);
	}
}
END_TEST

/* What the web server gets of it, records and all. */
static void sent_as(struct reply *reply, enum method method, char *text, size_t capacity)
{
	FCGX_Stream read_to_its_end = { .isClosed = 1 };
	struct request request = { .method = method, .fcgi.in = &read_to_its_end };
	struct err err = ERR_INIT;
	struct writer *writer;
	size_t said;
	ssize_t size;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert_int_eq(writer_start(&writer, &err), 0);
	request.fcgi.ipcFd = pair[0];
	request.fcgi.requestId = 1;
	reply_send(writer, &request, reply);
	size = read(pair[1], text, capacity - 1);
	ck_assert_int_gt(size, 8);
	said = (size_t)(uint8_t)text[4] << 8 | (uint8_t)text[5];
	ck_assert_uint_ge((size_t)size, said + 8);
	memmove(text, text + 8, said);
	text[said] = '\0';
	writer_stop(writer);
	close(pair[1]);
}

START_TEST(heads_say_what_follows)
{
	char text[8192], path[] = "/tmp/symgate-reply-XXXXXX";
	struct reply reply;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	unlink(path);
	ck_assert_int_eq(write(fd, BODY, 10), 10);
	reply_init(&reply);
	reply_file(&reply, "application/octet-stream", fd, 2, 8);
	sent_as(&reply, METHOD_HEAD, text, sizeof(text));
	ck_assert_str_eq(text, "Status: 200 OK\r\nContent-Type: application/octet-stream\r\n"
			       "Content-Length: 8\r\n\r\n");
	reply_reset(&reply);
	reply_redirect(&reply, 303, "/requests/1");
	sent_as(&reply, METHOD_GET, text, sizeof(text));
	ck_assert_str_eq(text, "Status: 303 See Other\r\nLocation: /requests/1\r\nContent-Length: 0\r\n\r\n");
	reply_reset(&reply);
	reply_empty(&reply, 304);
	reply_validators(&reply, "abc", 0);
	sent_as(&reply, METHOD_GET, text, sizeof(text));
	ck_assert_str_eq(text, "Status: 304 Not Modified\r\nETag: \"abc\"\r\n\r\n");
	reply_release(&reply);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reply");
	TCase *tcase = tcase_create("reply");

	tcase_add_loop_test(tcase, meets_conditions, 0, 2 * (int)CASES);
	tcase_add_test(tcase, what_says_nothing_is_answered_whole);
	tcase_add_test(tcase, heads_say_what_follows);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
