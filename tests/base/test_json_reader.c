/* test_json_reader.c -- JSON taken apart: values, strings, what is refused and where. */
#include "base/json_reader.h"

#include "base/arena.h"
#include "base/limits.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ARENA_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct json_reader over(const char *text)
{
	return json_reader_over("it", text_of(text));
}

START_TEST(goes_through_a_document)
{
	struct json_reader json = over(" { \"a\" : [ 1 , [ ] , true ] ,\n\t\"b\" : { } , \"c\" : \"d\" } ");
	struct json_string name, text;
	struct err err = ERR_INIT;
	uint64_t number;
	bool flag;

	ck_assert(!json_reader_array(&json));
	ck_assert(json_reader_object(&json));
	ck_assert(json_reader_member(&json, &name) && json_string_is(&name, "a"));
	ck_assert(json_reader_array(&json));
	ck_assert(json_reader_element(&json));
	ck_assert(!json_reader_string(&json, &text) && !json_reader_bool(&json, &flag));
	ck_assert(json_reader_u64(&json, &number) && number == 1);
	ck_assert(json_reader_element(&json) && json_reader_array(&json));
	ck_assert(!json_reader_element(&json));
	ck_assert(json_reader_element(&json) && json_reader_bool(&json, &flag) && flag);
	ck_assert(!json_reader_element(&json));
	ck_assert(json_reader_member(&json, &name) && json_string_is(&name, "b"));
	ck_assert(json_reader_object(&json) && !json_reader_member(&json, &name));
	ck_assert(json_reader_member(&json, &name) && json_reader_string(&json, &text));
	ck_assert(json_string_is(&text, "d") && !json_reader_at_end(&json));
	ck_assert(!json_reader_member(&json, &name) && json_reader_at_end(&json));
	ck_assert_int_eq(json_reader_check(&json, &err), 0);
}
END_TEST

START_TEST(numbers_are_exact_or_none)
{
	static const struct { const char *text; bool is_u64; uint64_t value; } cases[] = {
		{ "0", true, 0 }, { "18446744073709551615", true, UINT64_MAX },
		{ "9007199254740993 ", true, 9007199254740993u },
		{ "18446744073709551616", false, 0 }, { "-1", false, 0 }, { "01", false, 0 },
		{ "1.5", false, 0 }, { "1e3", false, 0 }, { "1E3", false, 0 }, { "", false, 0 },
		{ "\"1\"", false, 0 }, { "a", false, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json_reader json = over(cases[i].text);
		uint64_t value = 0;
		uint32_t half;

		ck_assert_msg(!json_reader_u32(&json, &half) || half == cases[i].value, "%s",
			      cases[i].text);
		json.pos = 0;
		ck_assert_msg(json_reader_u64(&json, &value) == cases[i].is_u64, "%s", cases[i].text);
		ck_assert_msg(!cases[i].is_u64 || value == cases[i].value, "%s", cases[i].text);
		ck_assert_msg(cases[i].is_u64 || (json.pos == 0 && !json.missing), "%s", cases[i].text);
	}
}
END_TEST

START_TEST(half_as_long_numbers_end_earlier)
{
	struct json_reader fits = over("4294967295"), exceeds = over("4294967296");
	uint32_t value;

	ck_assert(json_reader_u32(&fits, &value) && value == UINT32_MAX);
	ck_assert(!json_reader_u32(&exceeds, &value) && exceeds.pos == 0);
}
END_TEST

START_TEST(strings_say_what_their_escapes_mean)
{
	static const struct { const char *text, *says; } cases[] = {
		{ "\"\"", "" }, { "\"plain caf\xc3\xa9\"", "plain caf\xc3\xa9" },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!" },
		{ "\"\\ud83d!\"", "\xef\xbf\xbd!" }, { "\"\\ude00\"", "\xef\xbf\xbd" },
		{ "\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A" },
	};
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json_reader json = over(cases[i].text);
		struct json_string string;
		struct text text;

		ck_assert_msg(json_reader_string(&json, &string), "%s", cases[i].text);
		ck_assert(json_reader_at_end(&json));
		ck_assert(json_string_text(&string, &arena, &text));
		ck_assert_msg(text_is(text, cases[i].says), "%s", cases[i].text);
		ck_assert(string.has_escapes || text.bytes == cases[i].text + 1);
		ck_assert(json_string_is(&string, cases[i].says));
		ck_assert(!json_string_is(&string, "plain"));
	}
	arena_release(&arena);
}
END_TEST

START_TEST(refuses_at_the_byte)
{
	static const struct { const char *text, *says; } cases[] = {
		{ "", "it has no value at byte 0" }, { "  ", "it has no value at byte 2" },
		{ "tru", "it has no value at byte 0" }, { "-", "it has no value at byte 1" },
		{ "01", "it has no value at byte 0" }, { "1.", "it has no value at byte 2" },
		{ "1.e5", "it has no value at byte 2" }, { "1e+", "it has no value at byte 3" },
		{ "[1,]", "it has no value at byte 3" }, { "[", "it has no value at byte 1" },
		{ "[1", "it has no comma or end at byte 2" },
		{ "[1 2]", "it has no comma or end at byte 3" },
		{ "[}", "it has no value at byte 1" }, { "{]", "it has no string at byte 1" },
		{ "{\"a\"}", "it has no colon at byte 4" }, { "{\"a\":}", "it has no value at byte 5" },
		{ "{\"a\":1,}", "it has no string at byte 7" }, { "{1:2}", "it has no string at byte 1" },
		{ "\"ab", "it has no end of a string at byte 3" },
		{ "\"a\nb\"", "it has no end of a string at byte 2" },
		{ "\"\\x\"", "it has no escape that is one at byte 1" },
		{ "\"\\", "it has no escape that is one at byte 1" },
		{ "\"\\u12g4\"", "it has no escape that is one at byte 1" },
		{ "\"\\u123", "it has no escape that is one at byte 1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json_reader json = over(cases[i].text);
		struct err err = ERR_INIT;

		json_reader_skip(&json);
		ck_assert_int_eq(json_reader_check(&json, &err), -1);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		ck_assert_msg(strcmp(err.text, cases[i].says) == 0, "%s: %s", cases[i].text, err.text);
	}
}
END_TEST

START_TEST(failures_stay)
{
	struct json_reader json = over("[1 2, {\"a\":3}]");
	struct json_string name;
	struct err err = ERR_INIT;
	uint64_t number;
	bool flag;

	ck_assert(json_reader_array(&json) && json_reader_element(&json));
	ck_assert(!json_reader_refuse(&json, "sense"));
	ck_assert(!json_reader_refuse(&json, "other reason"));
	ck_assert(!json_reader_element(&json) && !json_reader_member(&json, &name));
	ck_assert(!json_reader_object(&json) && !json_reader_array(&json));
	ck_assert(!json_reader_u64(&json, &number) && !json_reader_bool(&json, &flag));
	ck_assert(!json_reader_string(&json, &name) && !json_reader_at_end(&json));
	json_reader_skip(&json);
	ck_assert_int_eq(json_reader_check(&json, &err), -1);
	ck_assert_str_eq(err.text, "it has no sense at byte 1");
}
END_TEST

START_TEST(skips_no_deeper_than_it_says)
{
	char text[2 * (LIMIT_JSON_DEPTH + 1)];

	for (unsigned depth = LIMIT_JSON_DEPTH; depth <= LIMIT_JSON_DEPTH + 1; depth++) {
		struct json_reader json = json_reader_over("it", (struct text){ text, 2 * depth });

		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		json_reader_skip(&json);
		ck_assert(json_reader_at_end(&json) == (depth == LIMIT_JSON_DEPTH));
	}
}
END_TEST

START_TEST(no_memory_is_said)
{
	struct json_reader json = over("\"\\n123456\"");
	struct json_string string;
	struct arena arena;
	struct text text;

	arena_init(&arena, 0);
	ck_assert(json_reader_string(&json, &string));
	ck_assert(!json_string_text(&string, &arena, &text));
	arena_release(&arena);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(every_byte_may_change)
{
	static const char text[] = "{\"a\":[1,-2.5e+3,{\"\\u00e9\\ud83d\\ude00\":\"\\n\\\\\"}],"
				   "\"b\":{\"c\":null,\"d\":true},\"e\":[[],{}]}";

	support_every_byte_change((const uint8_t *)text, sizeof(text) - 1, read_changed, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_reader");
	TCase *tests = tcase_create("json_reader");

	tcase_add_test(tests, goes_through_a_document);
	tcase_add_test(tests, numbers_are_exact_or_none);
	tcase_add_test(tests, half_as_long_numbers_end_earlier);
	tcase_add_test(tests, strings_say_what_their_escapes_mean);
	tcase_add_test(tests, refuses_at_the_byte);
	tcase_add_test(tests, failures_stay);
	tcase_add_test(tests, skips_no_deeper_than_it_says);
	tcase_add_test(tests, no_memory_is_said);
	tcase_add_test(tests, every_byte_may_change);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
