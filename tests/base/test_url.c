/* test_url.c -- URLs split into parts: literals, users, ports, and what is none. */
#include "base/url.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "support/support.h"

static const struct {
	const char *url, *scheme, *user, *host, *port, *path, *tail;
	const char *port_meant;
} cases[] = {
	{ "https://example.org/a/b?q#f", "https", NULL, "example.org", "", "/a/b", "?q#f", "443" },
	{ "HTTP://Example.ORG", "HTTP", NULL, "Example.ORG", "", "", "", "80" },
	{ "HttpS://h", "HttpS", NULL, "h", "", "", "", "443" },
	{ "http://h:8080", "http", NULL, "h", "8080", "", "", "8080" },
	{ "http://h:/x", "http", NULL, "h", "", "/x", "", "80" },
	{ "http://h:80:90/x", "http", NULL, "h", "80:90", "/x", "", "80:90" },
	{ "http://:80/", "http", NULL, "", "80", "/", "", "80" },
	{ "s3+x-1.2://bucket/key", "s3+x-1.2", NULL, "bucket", "", "/key", "", "80" },
	{ "http://u:p@h/x", "http", "u:p", "h", "", "/x", "", "80" },
	{ "http://u@p@h:1/x", "http", "u@p", "h", "1", "/x", "", "1" },
	{ "http://@h/", "http", "", "h", "", "/", "", "80" },
	{ "http://user@/x", "http", "user", "", "", "/x", "", "80" },
	{ "http://h/a@b:c", "http", NULL, "h", "", "/a@b:c", "", "80" },
	{ "http://h?a@b/c", "http", NULL, "h", "", "", "?a@b/c", "80" },
	{ "http://h#a?b", "http", NULL, "h", "", "", "#a?b", "80" },
	{ "http://[::1]/", "http", NULL, "[::1]", "", "/", "", "80" },
	{ "https://u@[fe80::1%25eth0]:8443/", "https", "u", "[fe80::1%25eth0]", "8443", "/", "", "8443" },
	{ "http://[::1/", "http", NULL, "[::1", "", "/", "", "80" },
	{ "http://[::1]x:80/", "http", NULL, "[::1]", ":80", "/", "", ":80" },
	{ "http://[]:1", "http", NULL, "[]", "1", "", "", "1" },
	{ "http://::1/", "http", NULL, "", ":1", "/", "", ":1" },
	{ "http://ex%61mple/%2f%", "http", NULL, "ex%61mple", "", "/%2f%", "", "80" },
	{ "http://", "http", NULL, "", "", "", "", "80" },
	{ "http:///path", "http", NULL, "", "", "/path", "", "80" },
	{ "file:///etc/passwd", "file", NULL, "", "", "/etc/passwd", "", "80" },
	{ "http://a\\@b/", "http", "a\\", "b", "", "/", "", "80" },
};

static void check_text(struct text text, const char *wanted, const char *url, const char *what)
{
	ck_assert_msg(text_equal(text, text_of(wanted)), "%s of %s: %.*s", what, url,
		      (int)text.size, text.bytes ? text.bytes : "");
}

static const struct { const char *url, *rest; } stripped[] = {
	{ "https://u@h:1/a/b?c#d", "/a/b?c#d" }, { "https://h", "h" }, { "https://", "" }, { "~/a", "/a" },
	{ "~https://h/a", "https://h/a" }, { "/a/b", "/a/b" }, { "a:b", "a:b" }, { "", "" }, { "://x", "x" },
};

START_TEST(strips_hosts)
{
	for (size_t i = 0; i < sizeof(stripped) / sizeof(stripped[0]); i++)
		check_text(url_strip_host(text_of(stripped[i].url)), stripped[i].rest, stripped[i].url,
			   "without a host");
	ck_assert_uint_eq(url_strip_host(TEXT_NONE).size, 0);
}
END_TEST

START_TEST(splits)
{
	const char *url = cases[_i].url;
	struct url_parts parts;

	ck_assert_msg(url_parse(text_of(url), URL_RFC3986, &parts), "%s", url);
	check_text(parts.scheme, cases[_i].scheme, url, "scheme");
	check_text(parts.user, cases[_i].user, url, "user");
	ck_assert_msg(!parts.user.bytes == !cases[_i].user, "user of %s", url);
	check_text(parts.host, cases[_i].host, url, "host");
	check_text(parts.port, cases[_i].port, url, "port");
	check_text(parts.path, cases[_i].path, url, "path");
	check_text(parts.tail, cases[_i].tail, url, "tail");
	check_text(url_port(&parts), cases[_i].port_meant, url, "meant port");
}
END_TEST

START_TEST(splits_as_browsers_do)
{
	struct url_parts parts;

	ck_assert(url_parse(TEXT("http://a\\@b/"), URL_WHATWG, &parts));
	check_text(parts.host, "a", "http://a\\@b/", "host");
	check_text(parts.path, "\\@b/", "http://a\\@b/", "path");
	ck_assert(!parts.user.bytes);
}
END_TEST

static const char *const none[] = {
	"", "h/x", "//h/x", "/x", "http:", "http:/", "http:/h", "http:h", "1http://h", "+x://h",
	"ht tp://h", " http://h", "://h", "h\xc3\xa9://h", "mailto:a@b",
};

START_TEST(refuses_what_is_none)
{
	struct url_parts parts;

	ck_assert_msg(!url_parse(text_of(none[_i]), URL_RFC3986, &parts), "%s", none[_i]);
	ck_assert(!url_parse(TEXT_NONE, URL_RFC3986, &parts));
}
END_TEST

/* NULs are bytes like others, and nothing behind the text is read. */
START_TEST(keeps_to_its_bytes)
{
	static const char bytes[] = "http://a\0b:1/x\0y?z";
	struct url_parts parts;

	ck_assert(url_parse((struct text){ bytes, sizeof(bytes) - 1 }, URL_RFC3986, &parts));
	ck_assert_uint_eq(parts.host.size, 3);
	ck_assert_uint_eq(parts.path.size, 4);
	for (size_t size = 0; size < sizeof(bytes); size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, bytes, size);
		(void)!url_parse((struct text){ copy, size }, URL_WHATWG, &parts);
		free(copy);
	}
}
END_TEST

START_TEST(encodes_all_but_the_unreserved)
{
	struct buf out;

	buf_init(&out, 1024);
	url_add_escaped(&out, TEXT("a/b +()=@:~-._\xc3\xa4%\0"), "/");
	ck_assert_str_eq(buf_string(&out), "a/b%20%2B%28%29%3D%40%3A~-._%C3%A4%25%00");
	buf_clear(&out);
	url_add_escaped(&out, TEXT("a/b"), "");
	ck_assert_str_eq(buf_string(&out), "a%2Fb");
	buf_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/url");
	TCase *tcase = tcase_create("urls");

	tcase_add_test(tcase, strips_hosts);
	tcase_add_loop_test(tcase, splits, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, splits_as_browsers_do);
	tcase_add_loop_test(tcase, refuses_what_is_none, 0, sizeof(none) / sizeof(none[0]));
	tcase_add_test(tcase, keeps_to_its_bytes);
	tcase_add_test(tcase, encodes_all_but_the_unreserved);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
