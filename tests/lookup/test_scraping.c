/* test_scraping.c -- what a request says of scraping, its origins, and URLs of source files. */
#include "support/support.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "lookup/scraping.h"
#include "work/request_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- What a request says ----------------------------------------------------------------- */

static const struct { const char *json, *why; size_t origins, headers; bool enabled, verify; } says[] = {
	{ "{\"enabled\":true,\"allowed_origins\":[\"*\"],\"headers\":{}}", NULL, 1, 0, true, true },
	{ "{\"enabled\":false,\"verify_ssl\":false,\"allowed_origins\":[],"
	  "\"headers\":{\"X-A\":\"1\",\"X-B\":\"2\"}}", NULL, 0, 2, false, false },
	{ "{\"enabled\":true,\"allowed_origins\":[]}", "scraping: member `headers` is missing",
	  0, 0, false, false },
	{ "{\"allowed_origins\":[],\"headers\":{}}", "scraping: member `enabled` is missing",
	  0, 0, false, false },
	{ "{\"enabled\":true,\"allowed_origins\":\"*\",\"headers\":{}}",
	  "scraping.allowed_origins: an array of strings was expected", 0, 0, false, false },
	{ "{\"enabled\":true,\"allowed_origins\":[],\"headers\":{\"A\":1}}",
	  "scraping.headers: an object of strings was expected", 0, 0, false, false },
	{ "{\"enabled\":true,\"allowed_origins\":[],\"headers\":{\"Host\":\"x\"}}",
	  "scraping.headers: `Host` cannot be set", 0, 0, false, false },
	{ "[]", "scraping: an object was expected", 0, 0, false, false },
};

static int read_said(const char *text, struct arena *arena, struct scraping *scraping,
		     struct err *err)
{
	const struct schema_place place = { .name = "scraping" };
	struct cJSON *json;

	*scraping = scraping_default();
	if (request_json_parse(text_of(text), arena, &json, err) < 0)
		return -1;
	return scraping_read(scraping, json, &place, arena, err);
}

START_TEST(reads_what_a_request_says)
{
	struct scraping scraping;
	struct arena arena;
	struct err err = ERR_INIT;
	int rc;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	rc = read_said(says[_i].json, &arena, &scraping, &err);
	if (says[_i].why) {
		ck_assert_int_lt(rc, 0);
		ck_assert_int_eq(err.kind, ERR_BAD_SHAPE);
		ck_assert_msg(strstr(err.text, says[_i].why) != NULL, "%s", err.text);
	} else {
		ck_assert_msg(rc == 0, "%s", err.text);
		ck_assert_uint_eq(scraping.allowed_origins.count, says[_i].origins);
		ck_assert_uint_eq(scraping.header_count, says[_i].headers);
		ck_assert(scraping.enabled == says[_i].enabled);
		ck_assert(scraping.verify_ssl == says[_i].verify);
		if (says[_i].headers)
			ck_assert(text_is(scraping.headers[1].name, "X-B") &&
				  text_is(scraping.headers[1].value, "2"));
	}
	arena_release(&arena);
}
END_TEST

START_TEST(says_everything_when_nothing_is_said)
{
	const struct scraping scraping = scraping_default();

	ck_assert(scraping.enabled && scraping.verify_ssl && !scraping.header_count);
	ck_assert(scraping_allows(&scraping, TEXT("https://example.org/a")));
}
END_TEST

/* --- Origins and URLs --------------------------------------------------------------------- */

static const struct { const char *origin, *url; bool allowed; } origins[] = {
	{ "*", "https://example.org/a", true },
	{ "https://example.org/a", "https://example.org/a", true },
	{ "example.org", "https://example.org/a", true },
	{ "EXAMPLE.org", "https://example.ORG/a", true },
	{ "example.org", "https://www.example.org/a", false },
	{ "*.example.org", "https://www.example.org/a", true },
	{ "*.example.org", "https://example.org:81/a", true },
	{ "*.example.org", "https://badexample.org/a", false },
	{ "http://example.org", "https://example.org/a", false },
	{ "https://example.org", "https://example.org/a", true },
	{ "*://example.org", "http://example.org/a", true },
	{ "example.org:443", "https://example.org/a", true },
	{ "example.org:443", "http://example.org/a", false },
	{ "*:8080", "http://any:8080/a", true },
	{ "example.org:8080/a", "http://example.org:8080/a", false },
	{ "http://example.org/", "http://example.org/a", true },
	{ "http://example.org/a", "http://example.org/ab", false },
	{ "example.org", "https://example.org@evil.net/a", false },
	{ "[::1]", "http://[::1]/a", false },
	{ "", "http://x/", false },
};

START_TEST(knows_origins)
{
	const struct text allowed = text_of(origins[_i].origin);
	struct scraping scraping = { .allowed_origins = { &allowed, 1 } };

	ck_assert_msg(scraping_allows(&scraping, text_of(origins[_i].url)) == origins[_i].allowed,
		      "%s for %s", origins[_i].origin, origins[_i].url);
	scraping.allowed_origins.count = 0;
	ck_assert(!scraping_allows(&scraping, text_of(origins[_i].url)));
}
END_TEST

static const struct { const char *url, *normal; } urls[] = {
	{ "https://example.org/a b/\xc3\xa9.c", "https://example.org/a%20b/%C3%A9.c" },
	{ "http://h/a\nb?q=%20#f", "http://h/ab?q=%20#f" },
	{ "https://", NULL }, { "https:///path", NULL }, { "ftp://h/x", NULL }, { "h/x", NULL },
	{ "file:///etc/passwd", NULL }, { "", NULL }, { "http://user@/x", NULL },
};

START_TEST(normalises_urls)
{
	struct err err = ERR_INIT;
	struct arena arena;
	struct text normal;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	ck_assert_int_eq(scraping_normalise_url(text_of(urls[_i].url), &arena, &normal,
						&err), 0);
	ck_assert_msg(text_equal(normal, text_of(urls[_i].normal)) &&
		      !normal.bytes == !urls[_i].normal, "%s: %s", urls[_i].url,
		      normal.bytes ? normal.bytes : "none");
	arena_release(&arena);
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------- */

static int read_once(void *payload, struct err *err)
{
	struct scraping scraping;
	struct arena arena;
	int rc;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	rc = read_said(payload, &arena, &scraping, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	char json[256];

	strncpy(json, says[1].json, sizeof(json) - 1);
	json[sizeof(json) - 1] = '\0';
	support_every_allocation_failure(read_once, json, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scraping");
	TCase *tests = tcase_create("scraping");

	tcase_add_loop_test(tests, reads_what_a_request_says, 0, COUNT(says));
	tcase_add_test(tests, says_everything_when_nothing_is_said);
	tcase_add_loop_test(tests, knows_origins, 0, COUNT(origins));
	tcase_add_loop_test(tests, normalises_urls, 0, COUNT(urls));
	tcase_add_test(tests, survives_every_allocation_failure);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
