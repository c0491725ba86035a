/* test_reader.c -- no read leaves its range, in either byte order. */
#include "base/reader.h"

#include "base/mem.h"
#include "support/support.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t read_u8(struct reader *r)  { return reader_u8(r); }
static uint64_t read_u16(struct reader *r) { return reader_u16(r); }
static uint64_t read_u32(struct reader *r) { return reader_u32(r); }
static uint64_t read_u64(struct reader *r) { return reader_u64(r); }
static uint64_t read_1(struct reader *r)   { return reader_unsigned(r, 1); }
static uint64_t read_3(struct reader *r)   { return reader_unsigned(r, 3); }
static uint64_t read_8(struct reader *r)   { return reader_unsigned(r, 8); }

static const struct {
	const char *what;
	uint64_t (*read)(struct reader *reader);
	size_t width;
	uint64_t little, big;
} fixed[] = {
	{ "u8",  read_u8,  1, 0x01, 0x01 },
	{ "u16", read_u16, 2, 0x0201, 0x0102 },
	{ "u32", read_u32, 4, 0x04030201, 0x01020304 },
	{ "u64", read_u64, 8, 0x0807060504030201, 0x0102030405060708 },
	{ "1",   read_1,   1, 0x01, 0x01 },
	{ "3",   read_3,   3, 0x030201, 0x010203 },
	{ "8",   read_8,   8, 0x0807060504030201, 0x0102030405060708 },
};

/* Each read from each length, the bytes in a block of just that size. */
START_TEST(reads_just_what_is_there)
{
	for (size_t i = 0; i < COUNT(fixed); i++) {
		for (size_t size = 0; size <= 9; size++) {
			uint8_t *bytes = mem_get(size);

			for (size_t at = 0; at < size; at++)
				bytes[at] = (uint8_t)(at + 1);
			for (int big = 0; big < 2; big++) {
				struct reader reader = reader_over("x", bytes, size);
				bool fits = size >= fixed[i].width;
				uint64_t value;

				reader.big_endian = big;
				value = fixed[i].read(&reader);
				ck_assert_msg(reader.failed == !fits, "%s", fixed[i].what);
				ck_assert_uint_eq(value, !fits ? 0 : big ? fixed[i].big
									 : fixed[i].little);
				ck_assert_uint_eq(reader.pos, fits ? fixed[i].width : 0);
			}
			mem_give_back(bytes);
		}
	}
}
END_TEST

START_TEST(a_failure_sticks_and_tells)
{
	static const uint8_t bytes[6] = { 1, 2, 3, 4, 5, 6 };
	struct reader reader = reader_over(".debug_line", bytes, sizeof(bytes));
	struct err err = ERR_INIT;

	ck_assert_uint_eq(reader_u32(&reader), 0x04030201);
	ck_assert_int_eq(reader_check(&reader, &err), 0);
	ck_assert_uint_eq(reader_u32(&reader), 0);
	ck_assert_uint_eq(reader_u8(&reader), 0);
	reader_seek(&reader, 0);
	ck_assert_uint_eq(reader_u8(&reader), 0);
	ck_assert_uint_eq(reader_uleb128(&reader), 0);
	ck_assert_int_eq(reader_sleb128(&reader), 0);
	ck_assert_uint_eq(reader_unsigned(&reader, 1), 0);
	ck_assert_ptr_null(reader_string(&reader).bytes);
	ck_assert(reader_part(&reader, "p", 0).failed);
	ck_assert(reader_window(&reader, "w", 0, 0).failed);
	ck_assert(reader_at_end(&reader));
	ck_assert_int_eq(reader_check(&reader, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, ".debug_line ends early, at byte 4 of 6");
}
END_TEST

START_TEST(refuses_other_widths)
{
	static const uint8_t bytes[16];
	static const unsigned widths[] = { 0, 9, 16, 0xffffffff };

	for (size_t i = 0; i < COUNT(widths); i++) {
		struct reader reader = reader_over("x", bytes, sizeof(bytes));

		ck_assert_uint_eq(reader_unsigned(&reader, widths[i]), 0);
		ck_assert(reader.failed);
	}
}
END_TEST

START_TEST(seeks_and_skips_within_the_range)
{
	static const uint8_t bytes[4] = { 1, 2, 3, 4 };
	static const struct {
		uint64_t to;
		bool fits;
	} cases[] = { { 0, true }, { 4, true }, { 5, false }, { UINT64_MAX, false } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct reader seeks = reader_over("x", bytes, sizeof(bytes));
		struct reader skips = seeks;

		reader_seek(&seeks, cases[i].to);
		reader_skip(&skips, cases[i].to);
		ck_assert_int_eq(!seeks.failed, cases[i].fits);
		ck_assert_int_eq(!skips.failed, cases[i].fits);
		ck_assert_uint_le(seeks.pos, 4);
		ck_assert_uint_le(skips.pos, 4);
	}
}
END_TEST

static const struct {
	const char *what;
	const char *bytes;
	size_t size;
	bool fits;
	uint64_t value;
	size_t left;
} unsigned_cases[] = {
	{ "zero",             "\0", 1, true, 0, 0 },
	{ "one byte",         "\x7f!", 2, true, 127, 1 },
	{ "two bytes",        "\x80\x01", 2, true, 128, 0 },
	{ "redundant zeros",  "\x81\x80\x80\x00", 4, true, 1, 0 },
	{ "very redundant",   "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 13, true, 1, 0 },
	{ "largest",          "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, true, UINT64_MAX, 0 },
	{ "65 bits",          "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, false, 0, 0 },
	{ "a bit far beyond", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, false, 0, 0 },
	{ "cut",              "\x80", 1, false, 0, 0 },
	{ "empty",            "", 0, false, 0, 0 },
};

START_TEST(reads_uleb128)
{
	for (size_t i = 0; i < COUNT(unsigned_cases); i++) {
		struct reader reader = reader_over("x", unsigned_cases[i].bytes,
						   unsigned_cases[i].size);

		ck_assert_msg(reader_uleb128(&reader) == unsigned_cases[i].value, "%s",
			      unsigned_cases[i].what);
		ck_assert_msg(reader.failed == !unsigned_cases[i].fits, "%s",
			      unsigned_cases[i].what);
		if (!reader.failed)
			ck_assert_uint_eq(reader_left(&reader), unsigned_cases[i].left);
	}
}
END_TEST

static const struct {
	const char *what;
	const char *bytes;
	size_t size;
	bool fits;
	int64_t value;
} signed_cases[] = {
	{ "zero",            "\0", 1, true, 0 },
	{ "two",             "\x02", 1, true, 2 },
	{ "minus two",       "\x7e", 1, true, -2 },
	{ "63",              "\x3f", 1, true, 63 },
	{ "minus 64",        "\x40", 1, true, -64 },
	{ "127",             "\xff\x00", 2, true, 127 },
	{ "minus 128",       "\x80\x7f", 2, true, -128 },
	{ "largest",         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, true, INT64_MAX },
	{ "smallest",        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, true, INT64_MIN },
	{ "too large",       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, false, 0 },
	{ "too small",       "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e", 10, false, 0 },
	{ "redundant sign",  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 12, true, -1 },
	{ "redundant zeros", "\x85\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12, true, 5 },
	{ "sign that turns", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 11, false, 0 },
	{ "cut",             "\xff\xff", 2, false, 0 },
	{ "empty",           "", 0, false, 0 },
};

START_TEST(reads_sleb128)
{
	for (size_t i = 0; i < COUNT(signed_cases); i++) {
		struct reader reader = reader_over("x", signed_cases[i].bytes,
						   signed_cases[i].size);

		ck_assert_msg(reader_sleb128(&reader) == signed_cases[i].value, "%s",
			      signed_cases[i].what);
		ck_assert_msg(reader.failed == !signed_cases[i].fits, "%s",
			      signed_cases[i].what);
	}
}
END_TEST

START_TEST(reads_strings)
{
	struct reader reader = reader_over("x", "ab\0\0c", 5);

	ck_assert(text_is(reader_string(&reader), "ab"));
	ck_assert(text_is(reader_string(&reader), ""));
	ck_assert(!reader.failed);
	ck_assert_ptr_null(reader_string(&reader).bytes);
	ck_assert(reader.failed);
	reader = reader_over("x", "", 0);
	ck_assert_ptr_null(reader_string(&reader).bytes);
	ck_assert(reader.failed);
}
END_TEST

START_TEST(gives_parts_and_windows)
{
	static const uint8_t bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct reader reader = reader_over("whole", bytes, sizeof(bytes));
	struct reader part, window;
	struct err err = ERR_INIT;

	reader.big_endian = true;
	reader_skip(&reader, 2);
	part = reader_part(&reader, "part", 4);
	ck_assert_uint_eq(reader.pos, 6);
	ck_assert_uint_eq(reader_u32(&part), 0x03040506);
	ck_assert(reader_at_end(&part));
	window = reader_window(&reader, "window", 7, 1);
	ck_assert_uint_eq(reader_u16(&window), 0);
	ck_assert_int_eq(reader_check(&window, &err), -1);
	ck_assert_str_eq(err.text, "window ends early, at byte 0 of 1");
	ck_assert_uint_eq(reader.pos, 6);
	ck_assert(!reader_window(&reader, "at the end", 8, 0).failed);
	ck_assert(reader_window(&reader, "beyond", 9, 0).failed);
	ck_assert(reader_window(&reader, "sum wraps round", 4, UINT64_MAX).failed);
	ck_assert(!reader.failed);
	part = reader_part(&reader, "large", 3);
	ck_assert(part.failed && reader.failed);
	ck_assert_uint_eq(part.size, 0);
}
END_TEST

START_TEST(nothing_is_a_range_too)
{
	struct reader reader = reader_over("nothing", NULL, 0);
	struct reader part = reader_part(&reader, "part", 0);

	ck_assert(!reader.failed && !part.failed && reader_at_end(&part));
	ck_assert_ptr_nonnull(reader_take(&reader, 0));
	ck_assert_ptr_null(reader_take(&reader, 1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/reader");
	TCase *tcase = tcase_create("reader");

	tcase_add_test(tcase, reads_just_what_is_there);
	tcase_add_test(tcase, a_failure_sticks_and_tells);
	tcase_add_test(tcase, refuses_other_widths);
	tcase_add_test(tcase, seeks_and_skips_within_the_range);
	tcase_add_test(tcase, reads_uleb128);
	tcase_add_test(tcase, reads_sleb128);
	tcase_add_test(tcase, reads_strings);
	tcase_add_test(tcase, gives_parts_and_windows);
	tcase_add_test(tcase, nothing_is_a_range_too);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
