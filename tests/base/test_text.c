/* test_text.c -- borrowed bytes: numbers, base names, UTF-8; and the growing buf. */
#include "base/text.h"

#include "base/buf.h"
#include "base/mem.h"
#include "support/support.h"

#define BYTES(literal) { (literal), sizeof(literal) - 1 }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

START_TEST(compares)
{
	ck_assert(text_equal(TEXT_NONE, TEXT("")));
	ck_assert(text_is(TEXT("abc"), "abc"));
	ck_assert(!text_is(TEXT("abc"), "abd"));
	ck_assert(!text_is(TEXT("abc"), "ab"));
	ck_assert(text_equal_ignoring_case(TEXT("aBc-Z"), TEXT("AbC-z")));
	ck_assert(!text_equal_ignoring_case(TEXT("["), TEXT("{")));
	ck_assert(!text_equal_ignoring_case(TEXT("a"), TEXT("ab")));
	ck_assert(text_starts_with(TEXT("abc"), "ab"));
	ck_assert(text_starts_with(TEXT("abc"), ""));
	ck_assert(!text_starts_with(TEXT("a"), "ab"));
	ck_assert(text_ends_with(TEXT("abc"), "bc"));
	ck_assert(!text_ends_with(TEXT("c"), "bc"));
}
END_TEST

START_TEST(reads_numbers)
{
	static const struct {
		const char *text;
		unsigned base;
		bool is_number;
		uint64_t value;
	} cases[] = {
		{ "0", 10, true, 0 },
		{ "00012", 10, true, 12 },
		{ "18446744073709551615", 10, true, UINT64_MAX },
		{ "18446744073709551616", 10, false, 0 },
		{ "99999999999999999999999", 10, false, 0 },
		{ "ffffffffffffffff", 16, true, UINT64_MAX },
		{ "10000000000000000", 16, false, 0 },
		{ "DeadBeef", 16, true, 0xdeadbeef },
		{ "", 10, false, 0 },
		{ "-1", 10, false, 0 },
		{ "+1", 10, false, 0 },
		{ " 1", 10, false, 0 },
		{ "1 ", 10, false, 0 },
		{ "0x1", 16, false, 0 },
		{ "a", 10, false, 0 },
		{ "g", 16, false, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 0;

		ck_assert_msg(text_to_u64(text_of(cases[i].text), cases[i].base, &value) ==
			      cases[i].is_number, "%s", cases[i].text);
		ck_assert_uint_eq(value, cases[i].value);
	}
}
END_TEST

START_TEST(measures_distances)
{
	static const struct { const char *a, *b; size_t away; } cases[] = {
		{ "", "", 0 }, { "a", "", 1 }, { "", "abc", 3 }, { "abc", "abc", 0 }, { "abc", "acb", 2 },
		{ "pth", "path", 1 }, { "kitten", "sitting", 3 }, { "flaw", "lawn", 2 },
	};
	char long_one[400];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(text_edit_distance(text_of(cases[i].a), text_of(cases[i].b)),
				  cases[i].away);
	memset(long_one, 'x', sizeof(long_one));
	ck_assert_uint_eq(text_edit_distance(TEXT("x"), (struct text){ long_one, 400 }), 400);
	ck_assert_uint_eq(text_edit_distance((struct text){ long_one, 400 }, TEXT("x")), 399);
}
END_TEST

START_TEST(finds_base_names)
{
	static const char *const cases[][2] = {
		{ "a/b/c", "c" }, { "c", "c" }, { "", "" }, { "/", "" }, { "//\\", "" },
		{ "C:\\dir\\file.pdb", "file.pdb" }, { "a/b\\c", "c" }, { "a\\b/c", "c" },
		{ "a/b/", "b" }, { "a/b/\\/", "b" }, { "/x", "x" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_msg(text_is(text_basename(text_of(cases[i][0])), cases[i][1]),
			      "%s", cases[i][0]);
	ck_assert_ptr_null(text_basename(TEXT_NONE).bytes);
}
END_TEST

static const struct {
	const char *what;
	struct text text;
	bool is_valid;
	size_t steps;      /* characters, each wrong piece counted as one */
} utf8_cases[] = {
	{ "empty",                   BYTES(""), true, 0 },
	{ "NUL",                     BYTES("\0"), true, 1 },
	{ "two bytes, smallest",     BYTES("\xc2\x80"), true, 1 },
	{ "two bytes, overlong",     BYTES("\xc1\xbf"), false, 2 },
	{ "three bytes, smallest",   BYTES("\xe0\xa0\x80"), true, 1 },
	{ "three bytes, overlong",   BYTES("\xe0\x9f\xbf"), false, 3 },
	{ "before the surrogates",   BYTES("\xed\x9f\xbf"), true, 1 },
	{ "a surrogate",             BYTES("\xed\xa0\x80"), false, 3 },
	{ "after the surrogates",    BYTES("\xee\x80\x80"), true, 1 },
	{ "four bytes, smallest",    BYTES("\xf0\x90\x80\x80"), true, 1 },
	{ "four bytes, overlong",    BYTES("\xf0\x8f\xbf\xbf"), false, 4 },
	{ "U+10FFFF",                BYTES("\xf4\x8f\xbf\xbf"), true, 1 },
	{ "above U+10FFFF",          BYTES("\xf4\x90\x80\x80"), false, 4 },
	{ "f5",                      BYTES("\xf5\x80\x80\x80"), false, 4 },
	{ "lone continuation",       BYTES("a\x80z"), false, 3 },
	{ "cut after one of two",    BYTES("a\xc3"), false, 2 },
	{ "cut after three of four", BYTES("\xf0\x9f\x98"), false, 1 },
	{ "cut, then ASCII",         BYTES("\xf0\x9f\x98" "A"), false, 2 },
	{ "fe and ff",               BYTES("\xfe\xff"), false, 2 },
	{ "long ASCII, wrong end",   BYTES("0123456789abcdefghij\xff"), false, 21 },
	{ "long ASCII, good end",    BYTES("0123456789abcdefghij\xc3\xa4"), true, 21 },
};

START_TEST(takes_lines)
{
	struct text rest = TEXT("one\n\nlast"), line;

	ck_assert(text_take_line(&rest, &line) && text_is(line, "one"));
	ck_assert(text_take_line(&rest, &line) && line.size == 0);
	ck_assert(text_take_line(&rest, &line) && text_is(line, "last"));
	ck_assert(!text_take_line(&rest, &line));
	rest = TEXT("\n");
	ck_assert(text_take_line(&rest, &line) && line.size == 0);
	ck_assert(!text_take_line(&rest, &line));
	rest = TEXT_NONE;
	ck_assert(!text_take_line(&rest, &line));
}
END_TEST

START_TEST(cuts)
{
	struct text rest = TEXT("a=b=&c");
	struct text pair = text_cut(&rest, '&');

	ck_assert(text_is(text_cut(&pair, '='), "a") && text_is(pair, "b="));
	ck_assert(text_is(text_cut(&pair, '='), "b") && pair.size == 0 && text_is(rest, "c"));
	ck_assert(text_is(text_cut(&rest, '&'), "c") && rest.size == 0 && text_cut(&rest, '&').size == 0);
}
END_TEST

START_TEST(trims)
{
	ck_assert(text_is(text_trim(TEXT(" \t a b\r\n")), "a b"));
	ck_assert(text_is(text_trim(TEXT("a")), "a"));
	ck_assert_uint_eq(text_trim(TEXT(" \r\n ")).size, 0);
	ck_assert_uint_eq(text_trim(TEXT_NONE).size, 0);
}
END_TEST

START_TEST(sees_controls)
{
	ck_assert(!text_has_controls(TEXT("a \xc3\xbc~")));
	ck_assert(!text_has_controls(TEXT_NONE));
	ck_assert(text_has_controls(TEXT("a\tb")));
	ck_assert(text_has_controls(TEXT("a\x7f")));
	ck_assert(text_has_controls(TEXT("\r\n")));
}
END_TEST

START_TEST(judges_utf8)
{
	for (size_t i = 0; i < COUNT(utf8_cases); i++) {
		struct text text = utf8_cases[i].text;
		bool all = true;
		size_t steps = 0;

		ck_assert_msg(text_is_utf8(text) == utf8_cases[i].is_valid, "%s",
			      utf8_cases[i].what);
		for (size_t at = 0; at < text.size; steps++) {
			bool valid;
			size_t step = utf8_step(text.bytes + at, text.size - at, &valid);

			ck_assert(step >= 1 && step <= 4 && step <= text.size - at);
			all = all && valid;
			at += step;
		}
		ck_assert_msg(all == utf8_cases[i].is_valid && steps == utf8_cases[i].steps,
			      "%s: %zu steps", utf8_cases[i].what, steps);
	}
}
END_TEST

START_TEST(buf_grows_within_its_ceiling)
{
	struct err err = ERR_INIT;
	struct buf buf;

	buf_init(&buf, 1000);
	ck_assert_str_eq(buf_string(&buf), "");
	ck_assert_uint_eq(buf_text(&buf).size, 0);
	ck_assert_ptr_nonnull(buf_text(&buf).bytes);
	ck_assert_ptr_nonnull(buf_reserve(&buf, 500));
	ck_assert_str_eq(buf_string(&buf), "");
	for (int i = 0; i < 100; i++)
		buf_add_string(&buf, "0123456789");
	ck_assert_int_eq(buf_check(&buf, &err), 0);
	ck_assert_uint_eq(buf.size, 1000);
	ck_assert_uint_eq(strlen(buf_string(&buf)), 1000);
	buf_add(&buf, NULL, 0);
	ck_assert_int_eq(buf_check(&buf, &err), 0);
	buf_add_char(&buf, 'x');
	ck_assert_int_eq(buf_check(&buf, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "more than 1000 bytes");
	ck_assert_uint_eq(buf.size, 1000);
	ck_assert_ptr_null(buf_reserve(&buf, 0));
	buf_clear(&buf);
	buf_add_text(&buf, TEXT("again"));
	ck_assert_str_eq(buf_string(&buf), "again");
	ck_assert_int_eq(buf_check(&buf, &err), 0);
	buf_release(&buf);
}
END_TEST

/* Every byte at every place of every short run, with another one after it. */
START_TEST(plain_runs_end_at_the_first_that_is_not)
{
	char bytes[26];

	for (size_t size = 0; size < sizeof(bytes); size++) {
		for (size_t at = 0; at < size; at++) {
			for (int c = 0; c < 256; c++) {
				bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';

				memset(bytes, 'a', sizeof(bytes));
				bytes[size - 1] = '"';
				bytes[at] = (char)c;
				ck_assert_uint_eq(ascii_plain_run(bytes, size),
						  !plain ? at : at == size - 1 ? size : size - 1);
			}
		}
		memset(bytes, '~', sizeof(bytes));
		ck_assert_uint_eq(ascii_plain_run(bytes, size), size);
	}
}
END_TEST

START_TEST(buf_refuses_absurd_sizes)
{
	struct buf buf;

	buf_init(&buf, SIZE_MAX);
	buf_add_char(&buf, 'a');
	ck_assert_ptr_null(buf_reserve(&buf, SIZE_MAX));
	buf_clear(&buf);
	buf_add_char(&buf, 'a');
	ck_assert_ptr_null(buf_reserve(&buf, SIZE_MAX - 1));
	buf_clear(&buf);
	ck_assert_ptr_null(buf_reserve(&buf, SIZE_MAX / 2));
	buf_release(&buf);
	buf_init(&buf, 0);
	buf_add(&buf, "", 0);
	ck_assert(!buf.failed);
	buf_add_char(&buf, 'a');
	ck_assert(buf.failed);
	buf_release(&buf);
}
END_TEST

START_TEST(buf_prints)
{
	struct buf buf;

	for (size_t ceiling = 0; ceiling < 600; ceiling++) {
		buf_init(&buf, ceiling);
		buf_add_string(&buf, "");
		buf_printf(&buf, "%s", "");
		buf_printf(&buf, "%0300d", 1);
		ck_assert_int_eq(buf.failed, ceiling < 300);
		ck_assert_uint_eq(buf.size, ceiling < 300 ? 0 : 300);
		buf_printf(&buf, "%0200d", 2);
		ck_assert_int_eq(buf.failed, ceiling < 500);
		ck_assert_uint_eq(strlen(buf_string(&buf)), buf.size);
		buf_release(&buf);
	}
}
END_TEST

static int fill_a_buf(void *payload, struct err *err)
{
	struct buf buf;
	int result;

	(void)payload;
	buf_init(&buf, 1 << 20);
	for (int i = 0; i < 1000; i++)
		buf_printf(&buf, "line %d\n", i);
	result = buf_check(&buf, err);
	ck_assert(result == 0 || err->kind == ERR_NO_MEMORY);
	buf_release(&buf);
	return result;
}

START_TEST(buf_survives_every_allocation_failure)
{
	support_every_allocation_failure(fill_a_buf, NULL, 100);
}
END_TEST

static const struct { const char *text, *shown; } shown[] = {
	{ "plain \xc3\xa9 \xe2\x82\xac", "plain \xc3\xa9 \xe2\x82\xac" },
	{ "\x1b[31m\n\x7f", "\\x1b[31m\\x0a\\x7f" },
	{ "long enough \"\x7f\" for words", "long enough \"\\x7f\" for words" },
	{ "\xc2\x9b" "1m\xc2\xa0", "\\xc2\\x9b" "1m\xc2\xa0" },         /* CSI of eight bits */
	{ "a\xff\xa5z\xe2\x82", "a\\xff\\xa5z\\xe2\\x82" },             /* no UTF-8 */
	{ "\xed\xa0\x80\xc0\xaf", "\\xed\\xa0\\x80\\xc0\\xaf" },
};

START_TEST(no_terminal_obeys_what_is_shown)
{
	struct buf out;

	buf_init(&out, 1000);
	buf_add_visible(&out, text_of(shown[_i].text));
	ck_assert_str_eq(buf_string(&out), shown[_i].shown);
	buf_release(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/text");
	TCase *tcase = tcase_create("text and buf");

	tcase_add_test(tcase, compares);
	tcase_add_test(tcase, reads_numbers);
	tcase_add_test(tcase, measures_distances);
	tcase_add_test(tcase, finds_base_names);
	tcase_add_test(tcase, takes_lines);
	tcase_add_test(tcase, cuts);
	tcase_add_test(tcase, trims);
	tcase_add_test(tcase, sees_controls);
	tcase_add_test(tcase, judges_utf8);
	tcase_add_test(tcase, buf_grows_within_its_ceiling);
	tcase_add_test(tcase, plain_runs_end_at_the_first_that_is_not);
	tcase_add_test(tcase, buf_refuses_absurd_sizes);
	tcase_add_test(tcase, buf_prints);
	tcase_add_test(tcase, buf_survives_every_allocation_failure);
	tcase_add_loop_test(tcase, no_terminal_obeys_what_is_shown, 0, sizeof(shown) / sizeof(shown[0]));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
