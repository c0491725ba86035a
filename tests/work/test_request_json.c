/* test_request_json.c -- the tree of a body: what is taken, what is refused, and what comes of numbers and
 * escapes. */
#include "support/support.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"
#include "work/json_filter.h"
#include "work/request_json.h"

#define BYTES(literal) { (literal), sizeof(literal) - 1 }
#define ARENA_BYTES ((size_t)1 << 20)

static const struct {
	const char *what;
	struct text body;
	const char *becomes;         /* what cJSON reads as the same; NULL: refused */
	const char *why;             /* part of the refusal */
} scans[] = {
	{ "an object", BYTES("{\"a\":[1,true,false,null,\"x\"]}"),
	  "{\"a\":[1,true,false,null,\"x\"]}", NULL },
	{ "white space all over", BYTES(" \t\r\n[ 1 , 2 ] \n"), " \t\r\n[ 1 , 2 ] \n", NULL },
	{ "15 digits stay a number", BYTES("[999999999999999]"), "[999999999999999]", NULL },
	{ "2^53+1", BYTES("[9007199254740993]"), "[\"\xff" "9007199254740993\"]", NULL },
	{ "negative and long", BYTES("-1234567890123456"), "\"\xff-1234567890123456\"", NULL },
	{ "-1 stays", BYTES("[-1]"), "[-1]", NULL },
	{ "1.0 is no integer", BYTES("[1.0,2]"), "[0.5,2]", NULL },
	{ "1e3 is no integer", BYTES("[1e3]"), "[0.5]", NULL },
	{ "-0 is no integer", BYTES("[-0,-0]"), "[0.5,0.5]", NULL },
	{ "a NUL escape", BYTES("\"a\\u0000b\""), "\"a\xef\xbf\xbd" "b\"", NULL },
	{ "a high surrogate alone", BYTES("\"\\ud800\""), "\"\xef\xbf\xbd\"", NULL },
	{ "a low surrogate alone", BYTES("\"\\uDC00x\""), "\"\xef\xbf\xbdx\"", NULL },
	{ "two high ones and a low one", BYTES("\"\\ud83d\\ud83d\\ude00\""),
	  "\"\xef\xbf\xbd\\ud83d\\ude00\"", NULL },
	{ "a pair stays", BYTES("\"\\ud83d\\ude00\""), "\"\\ud83d\\ude00\"", NULL },
	{ "escapes stay", BYTES("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\""),
	  "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", NULL },
	{ "UTF-8 stays", BYTES("\"\xc3\xa9\xf0\x9f\x98\x80\""), "\"\xc3\xa9\xf0\x9f\x98\x80\"",
	  NULL },
	{ "nothing", BYTES(""), NULL, "ends early" },
	{ "only space", BYTES("  "), NULL, "ends early" },
	{ "a bare 0xff", BYTES("\"\xff\""), NULL, "not UTF-8, at byte 1" },
	{ "overlong UTF-8", BYTES("\"\xc0\x80\""), NULL, "not UTF-8" },
	{ "a surrogate in UTF-8", BYTES("\"\xed\xa0\x80\""), NULL, "not UTF-8" },
	{ "UTF-8 cut short", BYTES("\"\xe2\x82"), NULL, "not UTF-8" },
	{ "a NUL byte", BYTES("\"a\0b\""), NULL, "control character" },
	{ "a NUL byte outside", BYTES("[1]\0"), NULL, "more after" },
	{ "a newline in a string", BYTES("\"a\nb\""), NULL, "control character" },
	{ "a string without end", BYTES("\"abc"), NULL, "no end" },
	{ "an escape without end", BYTES("\"abc\\"), NULL, "no end" },
	{ "an unknown escape", BYTES("\"\\x41\""), NULL, "escape that does not exist" },
	{ "an escaped NUL byte", BYTES("\"\\\0\""), NULL, "escape that does not exist" },
	{ "\\u with three digits", BYTES("\"\\u12g4\""), NULL, "four hexadecimal digits" },
	{ "a leading zero", BYTES("[01]"), NULL, "leading zero" },
	{ "only a minus", BYTES("[-]"), NULL, "without digits" },
	{ "a point and nothing", BYTES("[1.]"), NULL, "after its point" },
	{ "an exponent and nothing", BYTES("[1e+]"), NULL, "in its exponent" },
	{ "NaN", BYTES("[NaN]"), NULL, "a value was expected" },
	{ "a cut word", BYTES("[tru]"), NULL, "other than true" },
	{ "a comma too many", BYTES("[1,]"), NULL, "a value was expected" },
	{ "a comma too few", BYTES("[1 2]"), NULL, "a comma or ]" },
	{ "a member without colon", BYTES("{\"a\" 1}"), NULL, "a colon" },
	{ "a member without name", BYTES("{1:2}"), NULL, "name" },
	{ "a comma after the last member", BYTES("{\"a\":1,}"), NULL, "name" },
	{ "the wrong bracket", BYTES("[1}"), NULL, "a comma or ]" },
	{ "a bracket too many", BYTES("[]]"), NULL, "more after" },
	{ "two values", BYTES("1 1"), NULL, "more after" },
	{ "never closed", BYTES("[[1]"), NULL, "ends early" },
	{ "a byte order mark", BYTES("\xef\xbb\xbf{}"), NULL, "a value was expected" },
};

/* As two passes read it: the same tree, or the same error. */
static void compare_with_filter(void *payload, const uint8_t *bytes, size_t size)
{
	const struct text body = { (const char *)bytes, size };
	struct err err = ERR_INIT, expected = ERR_INIT;
	struct cJSON *json = NULL, *other = NULL;
	struct arena arena;
	int result;

	(void)payload;
	arena_init(&arena, ARENA_BYTES);
	result = request_json_parse(body, &arena, &json, &err);
	ck_assert_int_eq(result, json_filter_parse(body, &arena, &other, &expected));
	if (result == 0) {
		const char *how = json_trees_differ(json, other);

		ck_assert_msg(how == NULL, "%s differs in: %.*s", how, (int)size, body.bytes);
	}
	ck_assert_int_eq(err.kind, expected.kind);
	ck_assert_str_eq(err.text, expected.text);
	arena_release(&arena);
}

START_TEST(reads_as_the_table_says)
{
	struct err err = ERR_INIT;
	struct cJSON *json;
	struct arena arena;
	int result;

	arena_init(&arena, ARENA_BYTES);
	result = request_json_parse(scans[_i].body, &arena, &json, &err);
	if (scans[_i].becomes) {
		cJSON *expected = cJSON_Parse(scans[_i].becomes);

		ck_assert_msg(result == 0, "%s: %s", scans[_i].what, err.text);
		ck_assert_ptr_nonnull(expected);
		ck_assert_msg(json_trees_differ(json, expected) == NULL, "%s: %s differs", scans[_i].what,
			      json_trees_differ(json, expected));
		cJSON_Delete(expected);
	} else {
		ck_assert_msg(result < 0, "%s: accepted", scans[_i].what);
		ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
		ck_assert_msg(strstr(err.text, scans[_i].why) != NULL, "%s: %s", scans[_i].what,
			      err.text);
	}
	arena_release(&arena);
	compare_with_filter(NULL, (const uint8_t *)scans[_i].body.bytes, scans[_i].body.size);
}
END_TEST

/* A little of everything. */
static const char mixed[] =
	"{\"a\":[1,-2,0,-0,3.5,1e9,2147483648,-2147483649,999999999999999,1234567890123456,\n"
	"-9223372036854775808],\"\":{},\"b\\u0000\":[[],[{}],\"\\ud83d\\ude00\\ud83d\\n\xc3\xa9\"],\t"
	"\"b\":true,\"b\":false,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\":null,\"long enough for a word\":\"\"}";

START_TEST(agrees_with_two_passes_on_every_byte_change)
{
	compare_with_filter(NULL, (const uint8_t *)mixed, sizeof(mixed) - 1);
	support_every_byte_change((const uint8_t *)mixed, sizeof(mixed) - 1, compare_with_filter, NULL);
}
END_TEST

static int read_mixed(void *payload, struct err *err)
{
	struct cJSON *json;
	struct arena arena;
	int result;

	(void)payload;
	arena_init(&arena, ARENA_BYTES);
	result = request_json_parse((struct text){ mixed, sizeof(mixed) - 1 }, &arena, &json, err);
	arena_release(&arena);
	return result;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(read_mixed, NULL, 100);
}
END_TEST

/* Wherever the arena ends, what is wrong with a body comes first. */
START_TEST(says_what_is_wrong_whatever_the_memory)
{
	static const char wrong[] = "[1,\"\\u0041\",12345678901234567890,{\"a\":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]},x]";
	struct err err = ERR_INIT;
	struct cJSON *json;
	struct arena arena;

	for (size_t ceiling = 0; ceiling < 4096; ceiling += 16) {
		arena_init(&arena, ceiling);
		ck_assert_int_lt(request_json_parse((struct text){ wrong, sizeof(wrong) - 1 }, &arena,
						    &json, &err), 0);
		ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
		ck_assert_ptr_nonnull(strstr(err.text, "a value was expected, at byte 72"));
		arena_release(&arena);
	}
}
END_TEST

START_TEST(refuses_what_is_too_deep_at_once)
{
	size_t size = (size_t)55 * 1024 * 1024;
	char *body = mem_get(size);
	struct err err = ERR_INIT;
	struct arena arena;
	struct cJSON *json;

	ck_assert_ptr_nonnull(body);
	memset(body, '[', size);
	arena_init(&arena, 1 << 20);
	ck_assert_int_lt(request_json_parse((struct text){ body, size }, &arena, &json, &err), 0);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	ck_assert_ptr_nonnull(strstr(err.text, "deeper than 256 levels, at byte 256"));
	ck_assert_uint_eq(arena.held_bytes, 0);
	memset(body, '[', LIMIT_JSON_DEPTH);
	memset(body + LIMIT_JSON_DEPTH, ']', LIMIT_JSON_DEPTH);
	ck_assert_int_eq(request_json_parse((struct text){ body, (size_t)2 * LIMIT_JSON_DEPTH },
					    &arena, &json, &err), 0);
	mem_give_back(body);
	arena_release(&arena);
}
END_TEST

START_TEST(keeps_to_the_ceiling)
{
	size_t size = 1 << 20;
	char *body = mem_get(size);
	struct err err = ERR_INIT;
	struct arena arena;
	struct cJSON *json;

	ck_assert_ptr_nonnull(body);
	for (size_t i = 0; i < size; i += 2)
		memcpy(body + i, "0,", 2);
	body[0] = '[';
	body[1] = ' ';
	memcpy(body + size - 2, "0]", 2);
	arena_init(&arena, 1 << 20);
	ck_assert_int_lt(request_json_parse((struct text){ body, size }, &arena, &json, &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	memset(body, 'x', size);             /* one huge string */
	body[0] = body[size - 1] = '"';
	arena_release(&arena);
	arena_init(&arena, (size_t)2 << 20);
	ck_assert_int_eq(request_json_parse((struct text){ body, size }, &arena, &json, &err), 0);
	ck_assert_uint_eq(strlen(json->valuestring), size - 2);
	mem_give_back(body);
	arena_release(&arena);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *suite = suite_create("request JSON");
	TCase *tests = tcase_create("request JSON");

	tcase_add_loop_test(tests, reads_as_the_table_says, 0, COUNT(scans));
	tcase_add_test(tests, agrees_with_two_passes_on_every_byte_change);
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_test(tests, says_what_is_wrong_whatever_the_memory);
	tcase_add_test(tests, refuses_what_is_too_deep_at_once);
	tcase_add_test(tests, keeps_to_the_ceiling);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
