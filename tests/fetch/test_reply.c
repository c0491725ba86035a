/* test_reply -- what the head of a response means for a download. */
#include "support/support.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "fetch/http_reply.h"

#define LOCATION "Location: https://elsewhere.example/\r\n"

static const struct {
	const char *what, *host, *head;
	enum reply_asked asked;
	enum reply_verdict verdict;
	enum err_kind kind;
	const char *text;
} cases[] = {
	{ "all of it", "h", "HTTP/1.1 200 OK\r\n\r\n", REPLY_ASKED_FIRST, REPLY_WHOLE, ERR_NONE, "" },
	{ "HTTP/2 has no words", "h", "HTTP/2 200 \r\n\r\n", REPLY_ASKED_FIRST, REPLY_WHOLE, ERR_NONE, "" },
	{ "first the one, then the other", "h", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\n\r\n",
	  REPLY_ASKED_FIRST, REPLY_FAILED, ERR_NOT_FOUND, "404 Not Found" },
	{ "elsewhere", "h", "HTTP/1.1 302 Found\r\n" LOCATION "\r\n", REPLY_ASKED_FIRST, REPLY_REDIRECT,
	  ERR_NONE, "" },
	{ "elsewhere, of a part", "h", "HTTP/1.1 302 Found\r\n" LOCATION "\r\n", REPLY_ASKED_PART,
	  REPLY_FAILED, ERR_DENIED, "Potential login page detected" },
	{ "a login page", "dev.azure.com", "HTTP/1.1 302 Found\r\n" LOCATION "\r\n", REPLY_ASKED_FIRST,
	  REPLY_FAILED, ERR_DENIED, "Potential login page detected" },
	{ "a login page, loudly", "Dev.Azure.Com", "HTTP/1.1 302 Found\r\n" LOCATION "\r\n",
	  REPLY_ASKED_FIRST, REPLY_FAILED, ERR_DENIED, "Potential login page detected" },
	{ "there, but no login page", "dev.azure.com", "HTTP/1.1 307 Go\r\n" LOCATION "\r\n",
	  REPLY_ASKED_FIRST, REPLY_REDIRECT, ERR_NONE, "" },
	{ "a host of its own", "x.dev.azure.com", "HTTP/1.1 302 Found\r\n" LOCATION "\r\n",
	  REPLY_ASKED_FIRST, REPLY_REDIRECT, ERR_NONE, "" },
	{ "300 is none we follow", "h", "HTTP/1.1 300 Many\r\n" LOCATION "\r\n", REPLY_ASKED_FIRST,
	  REPLY_FAILED, ERR_DOWNLOAD, "300 Multiple Choices" },
	{ "no status", "h", "HTTP/1.1 huh\r\n\r\n", REPLY_ASKED_FIRST, REPLY_FAILED, ERR_DOWNLOAD, NULL },
	{ "a proxy's refusal", "h", "HTTP/1.1 407 Pay\r\n\r\n", REPLY_ASKED_FIRST, REPLY_FAILED,
	  ERR_DOWNLOAD, "407 Proxy Authentication Required" },
	{ "410", "h", "HTTP/1.1 410 Gone\r\n\r\n", REPLY_ASKED_FIRST, REPLY_FAILED, ERR_NOT_FOUND,
	  "410 Gone" },
	{ "503", "h", "HTTP/1.1 503 Busy\r\n\r\n", REPLY_ASKED_FIRST, REPLY_FAILED, ERR_DOWNLOAD,
	  "503 Service Unavailable" },
};

static enum reply_verdict judge(const char *head, enum reply_asked asked, const char *host,
				struct err *err)
{
	struct http_reply reply = { .status = 0 };
	enum reply_verdict verdict;

	while (*head) {
		const char *end = strstr(head, "\r\n");
		size_t size = end ? (size_t)(end - head) + 2 : strlen(head);

		http_reply_line(&reply, (struct text){ head, size });
		head += size;
	}
	verdict = http_reply_judge(&reply, asked, false, host, err);
	http_reply_clear(&reply);
	return verdict;
}

START_TEST(heads_have_a_meaning)
{
	struct err err = ERR_INIT;
	enum reply_verdict verdict = judge(cases[_i].head, cases[_i].asked, cases[_i].host, &err);

	ck_assert_msg(verdict == cases[_i].verdict, "%s: %d %s", cases[_i].what, verdict, err.text);
	ck_assert_msg(err.kind == cases[_i].kind, "%s: %s", cases[_i].what, err.text);
	if (cases[_i].text)
		ck_assert_str_eq(err.text, cases[_i].text);
}
END_TEST

static const struct { const char *head, *source_map; } maps[] = {
	{ "HTTP/1.1 200 OK\r\nSOURCEMAP: a.map \r\n\r\n", "a.map" },
	{ "HTTP/1.1 200 OK\r\nx-sourcemap: a.map\r\n\r\n", "a.map" },
	{ "HTTP/1.1 200 OK\r\nX-SourceMap: a.map\r\nSourceMap: b.map\r\nSourceMap: c.map\r\n\r\n", "b.map" },
	{ "HTTP/1.1 200 OK\r\nSourceMap: b.map\r\nX-SourceMap: a.map\r\n\r\n", "b.map" },
	{ "HTTP/1.1 302 Found\r\nSourceMap: a.map\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", NULL },
	{ "HTTP/1.1 200 OK\r\nSourceMap:\r\n\r\n", NULL },
	{ "HTTP/1.1 200 OK\r\nSourceMap: a\001\377.map\r\n\r\n", NULL },
};

static void read_head(struct http_reply *reply, struct text rest)
{
	while (rest.size > 0) {
		const char *end = memchr(rest.bytes, '\n', rest.size);
		size_t line = end ? (size_t)(end - rest.bytes) + 1 : rest.size;

		http_reply_line(reply, (struct text){ rest.bytes, line });
		rest = (struct text){ rest.bytes + line, rest.size - line };
	}
}

START_TEST(heads_tell_of_source_maps)
{
	struct http_reply reply = { .status = 0 };

	read_head(&reply, text_of(maps[_i].head));
	ck_assert_pstr_eq(reply.source_map, maps[_i].source_map);
	http_reply_clear(&reply);
}
END_TEST

#define A50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DATE "Sun, 06 Nov 1994 08:49:37 GMT"

static const struct { const char *what, *lines, *etag, *modified; } versions[] = {
	{ "none", "", "", "" },
	{ "both", "etag: \"a-1\"\r\nLAST-MODIFIED:  " DATE " \r\n", "\"a-1\"", DATE },
	{ "a weak one", "ETag: W/\"a\"\r\n", "W/\"a\"", "" },
	{ "an empty one", "ETag: \"\"\r\n", "\"\"", "" },
	{ "without quotes", "ETag: abc\r\n", "", "" },
	{ "half of them", "ETag: \"abc\r\n", "", "" },
	{ "one quote", "ETag: \"\r\n", "", "" },
	{ "two at once", "ETag: \"a\", \"b\"\r\n", "", "" },
	{ "the last counts, though it is none", "ETag: \"a\"\r\nETag: *\r\n", "", "" },
	{ "controls", "ETag: \"a\001\"\r\nLast-Modified: Sun, 06 Nov\t1994 08:49:37 GMT\r\n", "", "" },
	{ "bytes that are no ASCII", "ETag: \"\377\"\r\n", "", "" },
	{ "too long", "ETag: \"" A50 A50 A50 A50 A50 "aaaa\"\r\n", "", "" },
	{ "just not too long", "ETag: \"" A50 A50 A50 A50 A50 "aaa\"\r\n", "\"" A50 A50 A50 A50 A50 "aaa\"", "" },
	{ "no date", "Last-Modified: yesterday\r\n", "", "" },
	{ "an old form", "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT\r\n", "", "Sunday, 06-Nov-94 08:49:37 GMT" },
	{ "of another head", "ETag: \"a\"\r\n\r\nHTTP/1.1 200 OK\r\n", "", "" },
};

START_TEST(heads_name_versions)
{
	struct http_reply reply = { .status = 0 };

	read_head(&reply, TEXT("HTTP/1.1 200 OK\r\n"));
	read_head(&reply, text_of(versions[_i].lines));
	ck_assert_msg(strcmp(reply.validators.etag, versions[_i].etag) == 0, "%s: %s", versions[_i].what,
		      reply.validators.etag);
	ck_assert_msg(strcmp(reply.validators.modified, versions[_i].modified) == 0, "%s: %s", versions[_i].what,
		      reply.validators.modified);
	http_reply_clear(&reply);
}
END_TEST

START_TEST(nothing_changed_only_where_that_was_asked)
{
	struct http_reply reply = { .status = 304 };
	struct err err = ERR_INIT;

	ck_assert_int_eq(http_reply_judge(&reply, REPLY_ASKED_FIRST, true, "h", &err), REPLY_UNCHANGED);
	ck_assert_int_eq(http_reply_judge(&reply, REPLY_ASKED_FIRST, false, "h", &err), REPLY_FAILED);
	ck_assert_int_eq(err.kind, ERR_DOWNLOAD);
}
END_TEST

static void survive(void *payload, const uint8_t *bytes, size_t size)
{
	struct http_reply reply = { .status = 0 };
	struct err err = ERR_INIT;

	(void)payload;
	read_head(&reply, (struct text){ (const char *)bytes, size });
	for (unsigned asked = REPLY_ASKED_ALL; asked <= REPLY_ASKED_PART; asked++) {
		enum reply_verdict verdict = http_reply_judge(&reply, (enum reply_asked)asked, asked % 2, "h", &err);

		ck_assert(verdict != REPLY_FAILED || err.kind != ERR_NONE);
		if (verdict == REPLY_BEGINNING || verdict == REPLY_PART)
			ck_assert(reply.first <= reply.last &&
				  (reply.total == 0 || reply.last < reply.total));
	}
	http_reply_clear(&reply);
}

START_TEST(survives_every_byte_change)
{
	static const char head[] = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99/1000\r\n"
				   "Content-Length: 100\r\nLast-Modified: " DATE "\r\nETag: \"x\"\r\nLocation: /a\r\nSourceMap: b\r\n"
				   "Content-Encoding: gzip\r\n\r\n";
	long live = atomic_load(&mem_live);

	support_every_byte_change((const uint8_t *)head, sizeof(head) - 1, survive, NULL);
	ck_assert_int_eq(atomic_load(&mem_live), live);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reply");
	TCase *tcase = tcase_create("reply");

	tcase_add_loop_test(tcase, heads_have_a_meaning, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(tcase, heads_tell_of_source_maps, 0, (int)(sizeof(maps) / sizeof(maps[0])));
	tcase_add_loop_test(tcase, heads_name_versions, 0, sizeof(versions) / sizeof(versions[0]));
	tcase_add_test(tcase, nothing_changed_only_where_that_was_asked);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
