/* test_il2cpp -- Unity's line maps: what is read of one, and lookup files made with one. */
#include "support/support.h"
#include "symcache/fake.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "symcache/il2cpp.h"

#define ARENA_BYTES ((size_t)16 << 20)
#define FILE_CEILING_BYTES ((size_t)64 << 20)
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define NAME(literal) { (literal), sizeof(literal) - 1 }

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char whole[] =
	"{ \"__debug-id__\": \"00000000-0000-0000-0000-000000000000\",\n"
	"  \"/b/a.cpp\": { \"Assets/A.cs\": { \"10\": 3, \"100\": 40, \"20\" : 5 },\n"
	"                  \"Assets/B.cs\": {\"15\":1,\"20\":7} },\n"
	"  \"C:\\\\b\\\\\\u0063.cpp\": { \"Gr\\u00fc\\ud83d\\ude00\\n\\/\\ud800.cs\": {\"1\":2} },\n"
	"  \"empty.cpp\": {}, \"none.cpp\": { \"C.cs\": {} }, \"odd\": 1.5e+3, \"nul\": null,\n"
	"  \"x.cpp\": { \"odd\": true, \"Late.cs\": { \"0\": 0, \"4294967295\": 4294967295 } },\n"
	"  \"twice.cpp\": { \"Old.cs\": {\"1\":1} }, \"twice.cpp\": { \"New.cs\": {\"2\":2} } }\n";

/* --- Reading ------------------------------------------------------------------------- */

static const struct {
	const char *file;
	uint32_t line;
	const char *answer;          /* "-": the map says nothing */
} answers[] = {
	{ "/b/a.cpp", 9, "-" }, { "/b/a.cpp", 10, "Assets/A.cs:3" },
	{ "/b/a.cpp", 14, "Assets/A.cs:3" }, { "/b/a.cpp", 15, "Assets/B.cs:1" },
	{ "/b/a.cpp", 20, "Assets/B.cs:7" }, { "/b/a.cpp", 70, "Assets/B.cs:7" },
	{ "/b/a.cpp", 71, "-" }, { "/b/a.cpp", 150, "Assets/A.cs:40" },
	{ "/b/a.cpp", 151, "-" }, { "/b/a.cpp", UINT32_MAX, "-" }, { "/b/a.cp", 10, "-" },
	{ "/b/A.cpp", 10, "-" }, { "", 10, "-" },
	{ "C:\\b\\c.cpp", 1, "Gr\xc3\xbc\xf0\x9f\x98\x80\n/\xef\xbf\xbd.cs:2" },
	{ "empty.cpp", 1, "-" }, { "none.cpp", 1, "-" }, { "odd", 1, "-" },
	{ "__debug-id__", 1, "-" }, { "x.cpp", 0, "Late.cs:0" }, { "x.cpp", 51, "-" },
	{ "x.cpp", UINT32_MAX, "Late.cs:4294967295" },
	{ "twice.cpp", 1, "-" }, { "twice.cpp", 2, "New.cs:2" },
};

static void say_answer(const struct il2cpp *map, const char *path, uint32_t line, char *out,
		       size_t capacity)
{
	const struct il2cpp_file *file = il2cpp_file(map, text_of(path));
	const struct il2cpp_line *origin = file ? il2cpp_line(file, line) : NULL;
	struct text managed;

	snprintf(out, capacity, "-");
	if (!origin)
		return;
	managed = map->managed[origin->managed];
	snprintf(out, capacity, "%.*s:%u", (int)managed.size, managed.bytes, origin->line);
}

START_TEST(answers_with_the_line_before)
{
	struct err err = ERR_INIT;
	struct il2cpp map;
	struct arena arena;
	char said[128];

	arena_init(&arena, ARENA_BYTES);
	ck_assert_msg(il2cpp_read(&map, TEXT(whole), &arena, &err) == 0, "%s", err.text);
	for (size_t i = 0; i < COUNT(answers); i++) {
		say_answer(&map, answers[i].file, answers[i].line, said, sizeof(said));
		ck_assert_msg(strcmp(said, answers[i].answer) == 0, "%s:%u is %s, not %s",
			      answers[i].file, answers[i].line, said, answers[i].answer);
	}
	arena_release(&arena);
}
END_TEST

static const struct { const char *json, *words; } refusals[] = {
	{ "", "no object at byte 0" }, { "[]", "no object at byte 0" },
	{ "\x7f" "ELF", "no object at byte 0" }, { "{", "no string at byte 1" },
	{ "{\"a\"", "no colon at byte 4" }, { "{\"a\":", "no value of ours at byte 5" },
	{ "{\"a\":[]}", "no value of ours at byte 5" }, { "{\"a\":{}", "no comma or end at byte 7" },
	{ "{\"a\":{},}", "no string at byte 8" }, { "{,}", "no string at byte 1" },
	{ "{\"a\":{}}x", "no end at byte 8" }, { "{\"a\":{}}{}", "no end at byte 8" },
	{ "{\"a", "no end of a string at byte 3" }, { "{\"a\nb\":{}}", "no end of a string" },
	{ "{\"\\x\":{}}", "no escape that is one" }, { "{\"\\u12", "no escape that is one" },
	{ "{\"\\u12x4\":{}}", "no escape that is one" }, { "{\"a\\\":{}}", "no " },
	{ "{\"a\":{\"b\":{\"x\":1}}}", "no number of a line before it" },
	{ "{\"a\":{\"b\":{\"\":1}}}", "no number of a line before it" },
	{ "{\"a\":{\"b\":{\"-1\":1}}}", "no number of a line before it" },
	{ "{\"a\":{\"b\":{\"4294967296\":1}}}", "no number of a line before it" },
	{ "{\"a\":{\"b\":{\"1\":-1}}}", "no line at byte 15" },
	{ "{\"a\":{\"b\":{\"1\":\"1\"}}}", "no line at byte 15" },
	{ "{\"a\":{\"b\":{\"1\":4294967296}}}", "no line at byte 15" },
	{ "{\"a\":{\"b\":{\"1\":01}}}", "no line at byte 15" },
	{ "{\"a\":{\"b\":{\"1\":1.5}}}", "no line at byte 15" },
	{ "{\"a\":{\"b\":{\"1\":{}}}}", "no line at byte 15" },
	{ "{\"__debug-id__\":{}}", "no value of ours" }, { "{\"\xff\":{}}", "is not UTF-8" },
};

START_TEST(refuses_what_is_no_map)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(symcache_check_line_map(text_of(refusals[_i].json), &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strstr(err.text, refusals[_i].words), "%s: %s", refusals[_i].json, err.text);
}
END_TEST

static int read_whole(void *payload, struct err *err)
{
	struct il2cpp map;
	struct arena arena;
	int rc;

	(void)payload;
	arena_init(&arena, ARENA_BYTES);
	rc = il2cpp_read(&map, TEXT(whole), &arena, err);
	arena_release(&arena);
	return rc;
}

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(reading_survives_everything)
{
	support_every_allocation_failure(read_whole, NULL, 1000);
	support_every_byte_change((const uint8_t *)whole, sizeof(whole) - 1, read_changed, NULL);
}
END_TEST

/* --- Writing ------------------------------------------------------------------------- */

#define MAP "{\"/b/a.cpp\":{\"A.cs\":{\"10\":3,\"12\":4}}," \
	"\"/b/g/b.cpp\":{\"B.cs\":{\"7\":70},\"A.cs\":{\"9\":90}}}"

static const struct object_file_name files[] = {
	{ NAME("/b"), { NULL, 0 }, NAME("a.cpp") },
	{ NAME("/b/x"), NAME("../g"), NAME("b.cpp") },
	{ NAME("/b"), { NULL, 0 }, NAME("native.c") },
};
static const struct object_line lines[] = {
	{ 0x100, 0, 9 }, { 0x104, 0, 10 }, { 0x108, 0, 11 }, { 0x10c, 1, 7 }, { 0x110, 1, 9 },
	{ 0x114, 2, 10 }, { 0x118, OBJECT_NO_FILE, 0 },
};
static const struct object_range call_ranges[] = { { 0x10c, 8 } };
static const struct object_inlinee calls[] = {
	{ .parent = OBJECT_NO_PARENT, .call_file = 0, .call_line = 12, .name = NAME("inner"),
	  .ranges = call_ranges, .range_count = 1 },
};
static const struct object_function functions[] = {
	{ .range = { 0x100, 0x20 }, .name = NAME("outer"), .lines = lines,
	  .line_count = COUNT(lines), .inlinees = calls, .inlinee_count = 1 },
};
static const struct fake_unit units[] = {
	{ .files = files, .file_count = COUNT(files), .functions = functions, .function_count = 1 },
	{ .files = files, .file_count = COUNT(files), .functions = functions, .function_count = 1 },
};
static const struct fake fake = { .units = units, .unit_count = COUNT(units) };

static const struct { uint64_t address; const char *plain, *mapped; } chains[] = {
	{ 0x100, "outer at /b/a.cpp:9", "outer at /b/a.cpp:9" },
	{ 0x104, "outer at /b/a.cpp:10", "outer at A.cs:3" },
	{ 0x108, "outer at /b/a.cpp:11", "outer at A.cs:3" },
	{ 0x10c, "inner at /b/g/b.cpp:7 < outer at /b/a.cpp:12",
	  "inner at B.cs:70 < outer at A.cs:4" },
	{ 0x110, "inner at /b/g/b.cpp:9 < outer at /b/a.cpp:12",
	  "inner at A.cs:90 < outer at A.cs:4" },
	{ 0x114, "outer at /b/native.c:10", "outer at /b/native.c:10" },
	{ 0x118, "outer at ?:0", "outer at ?:0" },
};

static int write_with(struct text map, unsigned threads, struct buf *out, struct err *err)
{
	const struct symcache_options options = { .threads = threads, .line_map = map };
	struct object object = fake_object(&fake);
	struct symcache_report report;
	struct file_map written;
	int fd = memfd_create("symcache", MFD_CLOEXEC), rc;

	ck_assert_int_ge(fd, 0);
	rc = symcache_write(&object, &options, fd, &report, err);
	if (rc == 0)
		rc = file_map_fd(&written, fd, err);
	if (rc == 0) {
		buf_add(out, written.bytes, written.size);
		file_unmap(&written);
		rc = buf_check(out, err);
	}
	close(fd);
	return rc;
}

START_TEST(lines_come_from_the_map)
{
	struct text map = _i ? TEXT(MAP) : TEXT_NONE;
	struct err err = ERR_INIT;
	struct buf one, two;

	buf_init(&one, FILE_CEILING_BYTES);
	buf_init(&two, FILE_CEILING_BYTES);
	ck_assert_msg(write_with(map, 1, &one, &err) == 0, "%s", err.text);
	ck_assert_msg(write_with(map, 2, &two, &err) == 0, "%s", err.text);
	ck_assert(text_equal(buf_text(&one), buf_text(&two)));
	for (size_t i = 0; i < COUNT(chains); i++)
		ck_assert_str_eq(fake_chain(&one, chains[i].address),
				 _i ? chains[i].mapped : chains[i].plain);
	buf_release(&one);
	buf_release(&two);
}
END_TEST

START_TEST(a_broken_map_makes_no_file)
{
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, FILE_CEILING_BYTES);
	ck_assert_int_eq(write_with(TEXT("{\"a\":"), 1, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, "writing symcache: the line map has no value of ours at byte 5");
	buf_release(&out);
}
END_TEST

static int write_mapped(void *payload, struct err *err)
{
	struct buf out;
	int rc;

	(void)payload;
	buf_init(&out, FILE_CEILING_BYTES);
	rc = write_with(TEXT(MAP), 1, &out, err);
	buf_release(&out);
	return rc;
}

START_TEST(writing_survives_every_allocation_failure)
{
	support_every_allocation_failure(write_mapped, NULL, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("line maps");
	TCase *reading = tcase_create("reading"), *writing = tcase_create("writing");

	tcase_add_test(reading, answers_with_the_line_before);
	tcase_add_loop_test(reading, refuses_what_is_no_map, 0, (int)COUNT(refusals));
	tcase_add_test(reading, reading_survives_everything);
	tcase_add_loop_test(writing, lines_come_from_the_map, 0, 2);
	tcase_add_test(writing, a_broken_map_makes_no_file);
	tcase_add_test(writing, writing_survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, writing);
	return support_main(suite);
}
