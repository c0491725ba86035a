/* test_json_writer.c -- commas, escapes and numbers. */
#include "base/json_writer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "support/support.h"

#define BYTES(literal) { (literal), sizeof(literal) - 1 }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct buf out;
static struct json_writer json;

static void fresh(void)
{
	buf_release(&out);
	buf_init(&out, 1 << 20);
	json_writer_init(&json, &out);
}

START_TEST(keeps_commas_and_nesting)
{
	fresh();
	json_object(&json);
	json_member_string(&json, "a", "x");
	json_member_string(&json, "absent", NULL);
	json_member_text(&json, "none", TEXT_NONE);
	json_member_text(&json, "empty", TEXT(""));
	json_key(&json, "list");
	json_array(&json);
	json_u64(&json, 1);
	json_object(&json);
	json_object_end(&json);
	json_array(&json);
	json_array_end(&json);
	json_null(&json);
	json_array_end(&json);
	json_member_bool(&json, "yes", true);
	json_member_bool(&json, "no", false);
	json_member_u64(&json, "n", 7);
	json_member_hex(&json, "h", 0x1f);
	json_key_text(&json, TEXT("k\"y"));
	json_raw(&json, TEXT("{\"raw\":1}"));
	json_key(&json, "null");
	json_string(&json, NULL);
	json_object_end(&json);
	ck_assert_str_eq(buf_string(&out),
			 "{\"a\":\"x\",\"empty\":\"\",\"list\":[1,{},[],null],\"yes\":true,"
			 "\"no\":false,\"n\":7,\"h\":\"0x1f\",\"k\\\"y\":{\"raw\":1},"
			 "\"null\":null}");
	ck_assert_uint_eq(json.depth, 0);
}
END_TEST

#define FFFD "\xef\xbf\xbd"

static const struct {
	const char *what;
	struct text in, out;
} strings[] = {
	{ "plain",             BYTES("plain text, nothing to escape"),
	  BYTES("\"plain text, nothing to escape\"") },
	{ "quote, backslash",  BYTES("a\"b\\c/d"), BYTES("\"a\\\"b\\\\c/d\"") },
	{ "short escapes",     BYTES("\b\f\n\r\t"), BYTES("\"\\b\\f\\n\\r\\t\"") },
	{ "controls",          BYTES("\0\x01\x1f\x7f"), BYTES("\"\\u0000\\u0001\\u001f\x7f\"") },
	{ "UTF-8",             BYTES("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
	  BYTES("\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\"") },
	{ "not UTF-8",         BYTES("a\xff" "b\xc3"), BYTES("\"a" FFFD "b" FFFD "\"") },
	{ "surrogate",         BYTES("\xed\xa0\x80"), BYTES("\"" FFFD FFFD FFFD "\"") },
	{ "cut character",     BYTES("\xf0\x9f\x98!"), BYTES("\"" FFFD "!\"") },
	{ "quote after eight", BYTES("01234567\"9abcdef\n"), BYTES("\"01234567\\\"9abcdef\\n\"") },
};

START_TEST(escapes_strings)
{
	for (size_t i = 0; i < COUNT(strings); i++) {
		fresh();
		json_text(&json, strings[i].in);
		ck_assert_msg(text_equal(buf_text(&out), strings[i].out), "%s: %s",
			      strings[i].what, buf_string(&out));
	}
}
END_TEST

/* The run of eight misses no byte, at no place in the word. */
START_TEST(finds_every_special_byte_at_every_place)
{
	for (unsigned c = 0; c < 256; c++) {
		for (size_t at = 0; at < 20; at++) {
			char bytes[20];
			bool is_plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';

			memset(bytes, c == 'x' ? 'y' : 'x', sizeof(bytes));
			bytes[at] = (char)c;
			fresh();
			json_text(&json, (struct text){ bytes, sizeof(bytes) });
			ck_assert_int_eq(out.size == sizeof(bytes) + 2, is_plain);
		}
	}
}
END_TEST

static void write_members(struct text value, uint64_t number)
{
	json_object(&json);
	json_member_text(&json, "text", value);
	json_member_word(&json, "word", "of ours");
	json_member_u64(&json, "number", number);
	json_member_hex(&json, "hex", number);
	json_key(&json, "list");
	json_array(&json);
	json_text(&json, value);
	json_array_end(&json);
	json_object_end(&json);
}

/* A new buf grows at almost every step; one with room is written by the shorter way. */
START_TEST(writes_the_same_with_room_and_without)
{
	static const char specials[] = { 'x', '"', '\n', '\xff' };
	const size_t most = 40;

	for (size_t i = 0; i < COUNT(specials); i++) {
		for (size_t size = 0; size <= most; size++) {
			for (size_t at = 0; at < size + (size == 0); at++) {
				/* Ends where it ends: a sanitizer sees what is read behind it. */
				char *bytes = malloc(size + (size == 0)), *without;
				struct text value = { bytes, size };

				memset(bytes, 'a', size);
				if (size)
					bytes[at] = specials[i];
				buf_release(&out);
				buf_init(&out, 1 << 20);
				json_writer_init(&json, &out);
				for (size_t fill = 0; fill < 250; fill++)
					buf_add_char(&out, ' ');
				write_members(value, size * 1000003);
				without = strdup(buf_string(&out) + 250);
				fresh();
				ck_assert_ptr_nonnull(buf_reserve(&out, 1000));
				write_members(value, size * 1000003);
				ck_assert_str_eq(buf_string(&out), without);
				free(without);
				free(bytes);
			}
		}
	}
}
END_TEST

START_TEST(writes_numbers)
{
	static const struct {
		uint64_t number;
		const char *decimal, *hex;
	} cases[] = {
		{ 0, "0", "\"0x0\"" }, { 9, "9", "\"0x9\"" }, { 10, "10", "\"0xa\"" },
		{ 4096, "4096", "\"0x1000\"" },
		{ UINT64_MAX, "18446744073709551615", "\"0xffffffffffffffff\"" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		fresh();
		json_u64(&json, cases[i].number);
		ck_assert_str_eq(buf_string(&out), cases[i].decimal);
		fresh();
		json_hex(&json, cases[i].number);
		ck_assert_str_eq(buf_string(&out), cases[i].hex);
	}
	fresh();
	json_array(&json);
	json_i64(&json, INT64_MIN);
	json_i64(&json, -1);
	json_i64(&json, 0);
	json_i64(&json, INT64_MAX);
	json_array_end(&json);
	ck_assert_str_eq(buf_string(&out),
			 "[-9223372036854775808,-1,0,9223372036854775807]");
}
END_TEST

START_TEST(writes_fractions)
{
	static const double numbers[] = { 0.1, 1.0 / 3, 1767323045.123, DBL_MAX, DBL_MIN,
					  5e-324, -2.5, 123456789012345678.0 };

	fresh();
	json_array(&json);
	json_double(&json, 0);
	json_double(&json, 1);
	json_double(&json, 0.5);
	json_double(&json, 0.1);
	json_double(&json, NAN);
	json_double(&json, -INFINITY);
	json_array_end(&json);
	ck_assert_str_eq(buf_string(&out), "[0.0,1.0,0.5,0.1,null,null]");
	for (size_t i = 0; i < COUNT(numbers); i++) {
		fresh();
		json_double(&json, numbers[i]);
		ck_assert(strtod(buf_string(&out), NULL) == numbers[i]);
	}
}
END_TEST

START_TEST(keeps_the_ceiling_of_its_buf)
{
	struct err err = ERR_INIT;

	buf_release(&out);
	buf_init(&out, 10);
	json_writer_init(&json, &out);
	json_array(&json);
	for (int i = 0; i < 100; i++)
		json_string(&json, "word");
	json_array_end(&json);
	ck_assert_int_eq(buf_check(&out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_uint_le(out.size, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/json_writer");
	TCase *tcase = tcase_create("json_writer");

	tcase_add_test(tcase, keeps_commas_and_nesting);
	tcase_add_test(tcase, escapes_strings);
	tcase_add_test(tcase, finds_every_special_byte_at_every_place);
	tcase_add_test(tcase, writes_the_same_with_room_and_without);
	tcase_add_test(tcase, writes_numbers);
	tcase_add_test(tcase, writes_fractions);
	tcase_add_test(tcase, keeps_the_ceiling_of_its_buf);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
