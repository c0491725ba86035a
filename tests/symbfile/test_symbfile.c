/* test_symbfile -- symbfiles read and written: the examples of the format's page, what is refused, torments. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "support/support.h"
#include "symbfile/file_id.h"
#include "symbfile/symbfile.h"

#define OUT_BYTES ((size_t)1 << 20)

/* Hexadecimal digits and blanks to bytes. */
static size_t unhex(const char *hex, uint8_t *out)
{
	size_t count = 0;

	while (*hex) {
		unsigned byte;

		if (*hex == ' ') {
			hex++;
			continue;
		}
		ck_assert_int_eq(sscanf(hex, "%2x", &byte), 1);
		out[count++] = (uint8_t)byte;
		hex += 2;
	}
	return count;
}

static int print_range(void *payload, const struct symbfile_range *range, struct err *err)
{
	(void)err;
	buf_printf(payload, "R %llx+%llx %.*s", (unsigned long long)range->address,
		   (unsigned long long)range->length, (int)range->function.size, range->function.bytes);
	if (range->file.bytes)
		buf_printf(payload, " file=%.*s", (int)range->file.size, range->file.bytes);
	if (range->call_file.bytes)
		buf_printf(payload, " call=%.*s", (int)range->call_file.size, range->call_file.bytes);
	buf_printf(payload, ":%u depth=%u", range->call_line, range->depth);
	for (size_t i = 0; i < range->line_count; i++)
		buf_printf(payload, " +%x=%u", range->lines[i].offset, range->lines[i].line);
	buf_add_char(payload, '\n');
	return 0;
}

static int print_pad(void *payload, const struct symbfile_pad *pad, struct err *err)
{
	(void)err;
	buf_printf(payload, "P %llx", (unsigned long long)pad->address);
	for (size_t i = 0; i < pad->count; i++)
		buf_printf(payload, " %.*s@%.*s:%u", (int)pad->calls[i].function.size,
			   pad->calls[i].function.bytes, (int)pad->calls[i].file.size,
			   pad->calls[i].file.bytes, pad->calls[i].line);
	buf_add_char(payload, '\n');
	return 0;
}

static int print(const void *bytes, size_t size, struct buf *out, struct err *err)
{
	const struct symbfile_sink sink = { out, print_range, print_pad };
	struct symbfile_report report;

	return symbfile_read(bytes, size, &sink, &report, err);
}

#define HEAD "73796D6266696C65 0001 "
#define RANGES HEAD "0A04 0A08 2F7372632F612E63 " \
	"1902 60 80A08002 1040 1A046D61696E 5000 42080A02002812020509 " \
	"1902 0820 1018 1A03616464 5000 2806 5800 3801 42060A0100120102"
#define PADS HEAD "1504 0A046D61696E 0A082F7372632F612E63 0A03616464 " \
	"1103 2898A08002 12020002 1A020101 22020602"

static const struct { const char *what, *bytes, *text; } readable[] = {
	{ "ranges", RANGES, "R 401000+40 main file=/src/a.c:0 depth=0 +0=5 +28=9\n"
	  "R 401010+18 add file=/src/a.c call=/src/a.c:6 depth=1 +0=2\n" },
	{ "pads", PADS, "P 401018 main@/src/a.c:6 add@/src/a.c:2\n" },
	{ "mixed", HEAD "0304 0A0166 0802 608020 10AC02 4800 0209FFFF 0004 1902 08FF03 1010 1A0167 2203782E63 "
	  "420A0A020408 1204AC02AD02 0A04 0A01670A000A03782E63 0C03 080E 120100 1A0102 2202AC02 "
	  "0B03 0820 120100 1A0101 220100",
	  "R 1000+12c f:0 depth=0\nR f00+10 g file=x.c:0 depth=0 +4=300 +c=301\nP f07 g@x.c:300\nP f17 g@:0\n" },
	{ "nothing", HEAD, "" },
	{ "an empty name", HEAD "0402 6001 1A00", "R 1+0 :0 depth=0\n" },
	{ "an empty pad", HEAD "0203 2805", "P 5\n" },
	{ "a longer header", "73796D6266696C65 0201 0801", "" },
	{ "long prefixes", "73796D6266696C65 8000 8100", "" },
	{ "unpacked and packed", HEAD "1002 6001 1A00 420A 0802 0A0101 1005 120106",
	  "R 1+0 :0 depth=0 +2=5 +3=6\n" },
	{ "the last of a oneof", HEAD "0A02 6001 6007 1A0161 1A0162", "R 7+0 b:0 depth=0\n" },
	{ "two line tables are one", HEAD "1202 6001 1A00 4206 0A0101 120105 4204 0802 1006",
	  "R 1+0 :0 depth=0 +1=5 +3=6\n" },
	{ "unknown fields", HEAD "2202 6001 1A00 A00601 A206020000 A5060000 0000 A306 0801 A406 A1060000000000000000",
	  "R 1+0 :0 depth=0\n" },
	{ "an address wraps", HEAD "0402 6001 1A00 0402 0803 1A00", "R 1+0 :0 depth=0\nR ffffffffffffffff+0 :0 depth=0\n" },
};

START_TEST(reads)
{
	uint8_t bytes[512];
	size_t size = unhex(readable[_i].bytes, bytes);
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	ck_assert_msg(print(bytes, size, &out, &err) == 0, "%s: %s", readable[_i].what, err.text);
	ck_assert_str_eq(buf_string(&out), readable[_i].text);
	buf_release(&out);
}
END_TEST

#define BARE "73796D6266696C65 "
static const struct { const char *what, *bytes, *words; enum err_kind kind; } refused[] = {
	{ "another magic", "73796D6266696C66 0001", "does not begin", ERR_MALFORMED },
	{ "empty", "", "does not begin", ERR_MALFORMED },
	{ "magic alone", BARE, "length", ERR_MALFORMED },
	{ "first is a range", BARE "0002", "no header", ERR_MALFORMED },
	{ "first is of type 0", BARE "0000", "no header", ERR_MALFORMED },
	{ "type 0 later", HEAD "0000", "type 0", ERR_MALFORMED },
	{ "two headers", HEAD "0001", "second header", ERR_MALFORMED },
	{ "length alone", HEAD "05", "type", ERR_MALFORMED },
	{ "cut short", HEAD "0502 6080", "of a message", ERR_MALFORMED },
	{ "too long", HEAD "8180800802", "16777217", ERR_MALFORMED },
	{ "a prefix of 11 bytes", HEAD "8080808080808080808000 02", "length", ERR_MALFORMED },
	{ "a type above 31 bits", HEAD "00 8080808008", "type", ERR_MALFORMED },
	{ "a delta first", HEAD "0502 0802 1A0161", "relative", ERR_MALFORMED },
	{ "no address", HEAD "0302 1A0161", "no address", ERR_MALFORMED },
	{ "no function", HEAD "0202 6001", "no function", ERR_MALFORMED },
	{ "a string of no table", HEAD "0402 6001 4800", "string 0", ERR_MALFORMED },
	{ "columns differ", HEAD "0A02 6001 1A00 4204 0A020001", "2 offsets and 0", ERR_MALFORMED },
	{ "columns of a pad differ", HEAD "0304 0A0161 0503 2801 120100", "1 functions", ERR_MALFORMED },
	{ "no UTF-8", HEAD "0502 6001 1A01FF", "UTF-8", ERR_MALFORMED },
	{ "no UTF-8 in a table", HEAD "0304 0A01FF", "UTF-8", ERR_MALFORMED },
	{ "a wrong type", HEAD "0402 6001 1800", "wire type", ERR_MALFORMED },
	{ "field 0", HEAD "0502 6001 1A00 00", "tag", ERR_MALFORMED },
	{ "a number without end", HEAD "0B02 6080808080808080808002 ", "number", ERR_MALFORMED },
	{ "offsets above 32 bits", HEAD "1202 6001 1A00 420C 0A06 FFFFFFFF0F01 12020101", "32 bits", ERR_MALFORMED },
	{ "a group without end", HEAD "0602 6001 1A00 A306", "group", ERR_MALFORMED },
	{ "the end of another group", HEAD "0802 6001 1A00 A306 AC06", "group", ERR_MALFORMED },
	{ "too deep", HEAD "0802 6001 1A00 38808004", "depth 65536", ERR_LIMIT },
};

START_TEST(refuses)
{
	uint8_t bytes[512];
	size_t size = unhex(refused[_i].bytes, bytes);
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	ck_assert_msg(print(bytes, size, &out, &err) < 0, "%s", refused[_i].what);
	ck_assert_msg(err.kind == refused[_i].kind && strstr(err.text, refused[_i].words), "%s: %s",
		      refused[_i].what, err.text);
	buf_release(&out);
}
END_TEST

/* --- Writing ------------------------------------------------------------------------------------ */

#define LINES(...) (const struct symbfile_line[]){ __VA_ARGS__ }
static const struct symbfile_range two_ranges[] = {
	{ .address = 0x401000, .length = 0x40, .function = { "main", 4 }, .file = { "/src/a.c", 8 },
	  .lines = (const struct symbfile_line[]){ { 0, 5 }, { 0x28, 9 } }, .line_count = 2 },
	{ .address = 0x401010, .length = 0x18, .function = { "add", 3 }, .file = { "/src/a.c", 8 },
	  .call_file = { "/src/a.c", 8 }, .call_line = 6, .depth = 1,
	  .lines = (const struct symbfile_line[]){ { 0, 2 } }, .line_count = 1 },
};
static const struct symbfile_call two_calls[] = {
	{ { "main", 4 }, { "/src/a.c", 8 }, 6 }, { { "add", 3 }, { "/src/a.c", 8 }, 2 },
};

static int write_both(int fd, bool ranges, bool pads, struct err *err)
{
	const struct symbfile_pad pad = { 0x401018, two_calls, 2 };
	struct symbfile_writer writer;
	int rc = symbfile_writer_init(&writer, fd, err);

	for (size_t i = 0; i < 2 && ranges && rc == 0; i++)
		rc = symbfile_write_range(&writer, &two_ranges[i], err);
	if (rc == 0 && pads)
		rc = symbfile_write_pad(&writer, &pad, err);
	if (rc == 0)
		rc = symbfile_writer_end(&writer, err);
	symbfile_writer_release(&writer);
	return rc;
}

static void check_written(bool ranges, bool pads, const char *hex)
{
	uint8_t want[512], got[512];
	size_t size = unhex(hex, want);
	struct err err = ERR_INIT;
	int fd = memfd_create("symbfile", MFD_CLOEXEC);

	ck_assert_msg(write_both(fd, ranges, pads, &err) == 0, "%s", err.text);
	ck_assert_int_eq(pread(fd, got, sizeof(got), 0), (ssize_t)size);
	ck_assert_mem_eq(got, want, size);
	close(fd);
}

START_TEST(writes_as_the_page_has_it)
{
	check_written(true, false, RANGES);
	check_written(false, true, PADS);
	check_written(false, false, HEAD "0004");
}
END_TEST

START_TEST(many_batches_read_as_written)
{
	int fd = memfd_create("symbfile", MFD_CLOEXEC);
	struct buf want, got;
	struct symbfile_writer writer;
	struct err err = ERR_INIT;
	struct file_map map;

	buf_init(&want, (size_t)256 << 20);
	buf_init(&got, (size_t)256 << 20);
	ck_assert_int_eq(symbfile_writer_init(&writer, fd, &err), 0);
	for (unsigned i = 0; i < 200000; i++) {
		char name[64], file[32];
		struct symbfile_line lines[2] = { { i % 7, i }, { i % 7 + 5, i + 1 } };
		struct symbfile_range range = {
			.address = (uint64_t)i * 0x9e3779b97f4a7c15u, .length = i, .depth = i % 3,
			.call_line = i % 5, .lines = lines, .line_count = i % 3,
		};

		snprintf(name, sizeof(name), "a_function_with_a_name_that_is_number_%u", i);
		snprintf(file, sizeof(file), "file%u.c", i / 1000);
		range.function = text_of(name);
		if (i % 4)
			range.file = text_of(file);
		if (i % 8 == 1)
			range.call_file = text_of(file);
		ck_assert_msg(symbfile_write_range(&writer, &range, &err) == 0, "%s", err.text);
		ck_assert_int_eq(print_range(&want, &range, &err), 0);
		if (i % 16 == 0) {
			struct symbfile_pad pad = { range.address + 3, two_calls, i % 32 ? 1 : 2 };

			ck_assert_int_eq(symbfile_write_pad(&writer, &pad, &err), 0);
			ck_assert_int_eq(print_pad(&want, &pad, &err), 0);
		}
	}
	ck_assert_int_eq(symbfile_writer_end(&writer, &err), 0);
	symbfile_writer_release(&writer);
	ck_assert_int_eq(file_map_fd(&map, fd, &err), 0);
	ck_assert_msg(print(map.bytes, map.size, &got, &err) == 0, "%s", err.text);
	ck_assert(text_equal(buf_text(&want), buf_text(&got)));
	file_unmap(&map);
	close(fd);
	buf_release(&want);
	buf_release(&got);
}
END_TEST

START_TEST(refuses_lines_that_descend)
{
	const struct symbfile_range range = { .function = TEXT("f"), .lines = LINES({ 5, 1 }, { 4, 2 }),
					      .line_count = 2 };
	struct symbfile_writer writer;
	struct err err = ERR_INIT;

	ck_assert_int_eq(symbfile_writer_init(&writer, -1, &err), 0);
	ck_assert_int_eq(symbfile_write_range(&writer, &range, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	symbfile_writer_release(&writer);
}
END_TEST

/* --- Torments ----------------------------------------------------------------------------------- */

static int write_and_read(void *payload, struct err *err)
{
	int fd = memfd_create("symbfile", MFD_CLOEXEC);
	const struct symbfile_sink sink = { NULL, NULL, NULL };
	struct symbfile_report report;
	uint8_t bytes[512];
	int rc = write_both(fd, true, true, err);

	(void)payload;
	if (rc == 0)
		rc = symbfile_read(bytes, (size_t)pread(fd, bytes, sizeof(bytes), 0), &sink, &report, err);
	close(fd);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(write_and_read, NULL, 1000);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct buf out;

	(void)payload;
	buf_init(&out, OUT_BYTES);
	if (print(bytes, size, &out, &err) < 0)
		ck_assert_int_ne(err.kind, ERR_NONE);
	buf_release(&out);
}

START_TEST(survives_every_byte_change)
{
	uint8_t bytes[512];
	size_t size = unhex(readable[_i].bytes, bytes);

	support_every_byte_change(bytes, size, read_changed, NULL);
}
END_TEST

/* --- File ids ----------------------------------------------------------------------------------- */

START_TEST(file_ids)
{
	static uint8_t bytes[10240];
	static const struct { size_t size; int fill; const char *hex, *text; } known[] = {
		{ 123, 0, "f4c1e5fe2f28034fcceb0776ec00b125", "9MHl_i8oA0_M6wd27ACxJQ" },
		{ 5000, 'A', "c5917a8b578adea64fad36a06d2e5a29", "xZF6i1eK3qZPrTagbS5aKQ" },
		{ 10240, -1, "43a0e5b6c86a422f0e8c654be08b31f5", "Q6DltshqQi8OjGVL4Isx9Q" },
		{ 0, 0, "af5570f5a1810b7af78caf4bc70a660f", "r1Vw9aGBC3r3jK9LxwpmDw" },
	};
	static const char *const others[] = {
		"9MHl_i8oA0_M6wd27ACxJQ==", "9MHl/i8oA0/M6wd27ACxJQ", "f4c1e5fe2f28034fcceb0776ec00b125",
		"0xF4C1E5FE2F28034FCCEB0776EC00B125", "f4c1e5fe-2f28-034f-cceb-0776ec00b125",
	};
	static const char *const none[] = { "", "9MHl_i8oA0_M6wd27ACxJ", "f4c1e5fe2f28034fcceb0776ec00b12",
		"f4c1e5fe2f28034fcceb0776ec00b1255", "9MHl_i8oA0_M6wd27ACx%Q", "9MHl_i8oA0/M6wd27ACxJQ" };
	char hex[FILE_ID_HEX_BYTES], text[FILE_ID_TEXT_BYTES];
	struct file_id id, other;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (size_t j = 0; j < sizeof(bytes); j++)
			bytes[j] = (uint8_t)(known[i].fill < 0 ? (int)j : known[i].fill);
		id = file_id_of(bytes, known[i].size);
		file_id_format(&id, text);
		file_id_format_hex(&id, hex);
		ck_assert_str_eq(hex, known[i].hex);
		ck_assert_str_eq(text, known[i].text);
		ck_assert(file_id_parse(text_of(text), &other) && !memcmp(&id, &other, sizeof(id)));
	}
	ck_assert(file_id_parse(text_of(known[0].text), &id));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		ck_assert_msg(file_id_parse_any(text_of(others[i]), &other) && !memcmp(&id, &other, sizeof(id)),
			      "%s", others[i]);
		ck_assert_msg(!file_id_parse(text_of(others[i]), &other), "%s", others[i]);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_msg(!file_id_parse_any(text_of(none[i]), &other), "%s", none[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbfile");
	TCase *tcase = tcase_create("reading and writing");

	tcase_add_loop_test(tcase, reads, 0, sizeof(readable) / sizeof(readable[0]));
	tcase_add_loop_test(tcase, refuses, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, writes_as_the_page_has_it);
	tcase_add_test(tcase, many_batches_read_as_written);
	tcase_add_test(tcase, refuses_lines_that_descend);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, sizeof(readable) / sizeof(readable[0]));
	tcase_add_test(tcase, file_ids);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
