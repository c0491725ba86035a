/* test_proguard -- mappings read, written and asked. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/mem.h"
#include "proguard/mapping_cache.h"
#include "proguard/mapping_read.h"
#include "proguard/proguard.h"
#include "proguard/proguard_write.h"
#include "support/support.h"

#define OUT_BYTES ((size_t)1 << 20)
#define MEMORY_BYTES ((size_t)1 << 30)

static void print_frames(const struct proguard_frames *frames, struct buf *out)
{
	for (size_t i = 0; i < frames->count; i++) {
		const struct proguard_frame *frame = &frames->frames[i];

		buf_printf(out, "%s%.*s.%.*s(", i ? " " : "", (int)frame->class_name.size,
			   frame->class_name.bytes, (int)frame->method.size, frame->method.bytes);
		proguard_file_add(frame->file, out);
		if (frame->has_line)
			buf_printf(out, ":%u", (unsigned)frame->line);
		buf_add_string(out, frame->is_synthesized ? ")~" : ")");
	}
}

/* --- Tables of the rules ---------------------------------------------------------------------- */

#define INLINED "o.C -> c:\n    1:1:void bar():54:54 -> t\n    1:1:void foo():44 -> t\n    1:1:void top(android.view.View):40 -> t\n"
#define NO_LINES "com.example.App -> com.example.App:\n# {\"id\":\"sourceFile\",\"fileName\":\"App.java\"}\n" \
	"    0:4:void barInternalInject():47:47 -> onCreate\n    0:4:void onCreate():42 -> onCreate\n" \
	"    5:6:void barInternalInject():48:48 -> onCreate\n    5:6:void onCreate():42 -> onCreate\n" \
	"    21:24:void onCreate():43:43 -> onCreate\n"
#define ONE(entry) "o.C -> c:\n    " entry " -> m\n"
#define RANGED "    30:31:void g():1:2 -> m\n"

/* line: -1 without, -2 by parameters */
static const struct { const char *what, *mapping, *class_name, *method; long line; const char *parameters, *expected; } lines[] = {
	{ "inlined calls", INLINED, "c", "t", 1, NULL, "o.C.bar(C.java:54) o.C.foo(C.java:44) o.C.top(C.java:40)" },
	{ "by parameters", INLINED, "c", "t", -2, "android.view.View", "o.C.top(C.java:40)" },
	{ "an unknown method", INLINED, "c", "zz", -1, NULL, "o.C.zz(C.java:0)" },
	{ "a line outside of all ranges", INLINED, "c", "t", 7, NULL, "o.C.t(C.java:7)" },
	{ "an unknown class", INLINED, "d", "t", 7, NULL, "" },
	{ "ranges without line", NO_LINES, "com.example.App", "onCreate", -1, NULL, "com.example.App.onCreate(App.java:0)" },
	/* the summary of doc/formats/proguard.md: line, 0, by parameters */
	{ "f", ONE("void f()"), "c", "m", 5, NULL, "o.C.f(C.java:5)" },
	{ "f, none", ONE("void f()"), "c", "m", -1, NULL, "o.C.f(C.java:0)" },
	{ "f, by parameters", ONE("void f()"), "c", "m", -2, "", "o.C.f(C.java)" },
	{ "f, skipped", ONE("void f()") RANGED, "c", "m", 5, NULL, "o.C.m(C.java:5)" },
	{ "f:9", ONE("void f():9"), "c", "m", 5, NULL, "o.C.f(C.java:9)" },
	{ "f:9, none", ONE("void f():9"), "c", "m", 0, NULL, "o.C.f(C.java:9)" },
	{ "f:9, none, two", ONE("void f():9") "    void f(int):8 -> m\n", "c", "m", 0, NULL, "o.C.f(C.java:0)" },
	{ "f:9, none, two names", ONE("void f():9") "    void e():8 -> m\n", "c", "m", 0, NULL, "o.C.e(C.java:0) o.C.f(C.java:0)" },
	{ "f, none, two names", ONE("void f()") "    void e() -> m\n", "c", "m", 0, NULL, "o.C.f(C.java:0) o.C.e(C.java:0)" },
	{ "f:9, by parameters", ONE("void f():9"), "c", "m", -2, "", "o.C.f(C.java:9)" },
	{ "f:9:11", ONE("void f():9:11"), "c", "m", 5, NULL, "o.C.f(C.java:9) o.C.f(C.java:10) o.C.f(C.java:11)" },
	{ "f:9:11, none", ONE("void f():9:11"), "c", "m", 0, NULL, "o.C.f(C.java:9)" },
	{ "0:0:f", ONE("0:0:void f()"), "c", "m", 5, NULL, "o.C.f(C.java)" },
	{ "0:0:f, none", ONE("0:0:void f()"), "c", "m", 0, NULL, "o.C.f(C.java)" },
	{ "0:0:f, none, spans", ONE("0:0:void f()") "    0:0:void f():9:11 -> m\n", "c", "m", 0, NULL, "o.C.f(C.java:0) o.C.f(C.java:0)" },
	{ "0:0:f:9", ONE("0:0:void f():9:9"), "c", "m", 5, NULL, "o.C.f(C.java:9)" },
	{ "0:0:f:9, none", ONE("0:0:void f():9"), "c", "m", 0, NULL, "o.C.f(C.java:9)" },
	{ "0:0:f:9:11", ONE("0:0:void f():9:11"), "c", "m", 5, NULL, "o.C.f(C.java:9) o.C.f(C.java:10) o.C.f(C.java:11)" },
	{ "3:5:f", ONE("3:5:void f()"), "c", "m", 4, NULL, "o.C.f(C.java:4)" },
	{ "3:5:f, by parameters", ONE("3:5:void f()"), "c", "m", -2, "", "o.C.f(C.java:3)" },
	{ "3:5:f:9", ONE("3:5:void f():9"), "c", "m", 5, NULL, "o.C.f(C.java:9)" },
	{ "3:5:f:9:11", ONE("3:5:void f():9:11"), "c", "m", 5, NULL, "o.C.f(C.java:11)" },
	{ "3:5:f:0:0", ONE("3:5:void f():0:0"), "c", "m", 5, NULL, "o.C.f(C.java:0)" },
	{ "3:5:f:0:0, by parameters", ONE("3:5:void f():0:0"), "c", "m", -2, "", "o.C.f(C.java)" },
	{ "inverted ranges", ONE("5:3:void f():11:9"), "c", "m", 4, NULL, "o.C.f(C.java:10)" },
	{ "a range above", ONE("1:7:void f():9:9") "    8:15:void f():10:10 -> m\n", "c", "m", 12, NULL, "o.C.f(C.java:10)" },
	{ "entries of two sections", ONE("1:1:void f():2:2") "o.D -> c:\n    1:1:void g():3:3 -> m\n", "c", "m", 1, NULL, "o.D.f(D.java:2) o.D.g(D.java:3)" },
	{ "a method before all classes", "    void f() -> m\no.C -> c:\n    void f() -> m\n", "c", "m", 1, NULL, "" },
	{ "the next entry has this one's range", ONE("1:1:void f():5:5") "    1:1:void g():6:6 -> m\n", "c", "m", -2, "", "o.C.g(C.java:6)" },
	{ "numbers of one to eight digits", ONE("1:99:void f():1234567:1234665") "    100:12345678:void g():12345678 -> m\n", "c", "m", 99, NULL, "o.C.f(C.java:1234665)" },
	{ "the lower 32 bits of twenty digits", ONE("1:1:void f():18446744069414584327") "", "c", "m", 1, NULL, "o.C.f(C.java:7)" },
	{ "a number beyond 64 bits is a line that is none", ONE("1:1:void f():18446744073709551616") "    2:2:void g():3 -> m\n", "c", "m", 2, NULL, "o.C.g(C.java:3)" },
	{ "a number of twenty-one digits", ONE("000000000000000000004:5:void f():6") "", "c", "m", 5, NULL, "o.C.f(C.java:6)" },
	{ "a mapping that ends in a number's line", "o.C -> c:\n    3:4:void f():12:13 -> m", "c", "m", 4, NULL, "o.C.f(C.java:13)" },
	{ "one declaration in two classes, and another between", ONE("1:1:void f():5") "o.D -> d:\n    1:1:void g():6 -> m\n    1:1:void f():7 -> n\n", "d", "n", 1, NULL, "o.D.f(D.java:7)" },
	{ "CR LF, junk and blank lines", "\r\n# x\r\no.C -> c:\r\n\r\njunk\r\n    1:2:void f():5:6 -> m\r\n", "c", "m", 2, NULL, "o.C.f(C.java:6)" },
};

static void ask(const struct proguard *mapping, size_t i, struct buf *out)
{
	struct proguard_query query = { .class_name = text_of(lines[i].class_name), .method = text_of(lines[i].method),
		.line = lines[i].line > 0 ? (uint32_t)lines[i].line : 0, .has_line = lines[i].line >= 0,
		.by_parameters = lines[i].line == -2, .parameters = text_of(lines[i].parameters) };
	struct proguard_frames frames = { 0 };
	struct proguard_carry carry = { 0 };
	enum proguard_outcome outcome;
	struct err err = ERR_INIT;

	ck_assert_int_eq(proguard_remap(mapping, &query, &carry, &frames, &outcome, &err), 0);
	print_frames(&frames, out);
	proguard_frames_release(&frames);
}

START_TEST(frames_are_those_the_rules_say)
{
	struct proguard mapping;
	struct file_map map = mapping_cache_open(lines[_i].what, text_of(lines[_i].mapping), &mapping);
	struct buf out;

	buf_init(&out, OUT_BYTES);
	ask(&mapping, (size_t)_i, &out);
	ck_assert_msg(strcmp(buf_string(&out), lines[_i].expected) == 0, "%s: %s, not %s", lines[_i].what,
		      buf_string(&out), lines[_i].expected);
	buf_release(&out);
	file_unmap(&map);
}
END_TEST

/* --- Names ----------------------------------------------------------------------------------- */

static const struct { const char *class_name, *reference, *file; } files[] = {
	{ "com.example.MainKt", NULL, "Main.kt" }, { "Main$Inner", NULL, "Main.java" },
	{ "ComposableSingletons$MainKt", NULL, "Main.kt" }, { "Foo$Kt", NULL, "Foo.java" },
	{ "Main", "Other.kt", "Main.kt" }, { "io.x.-$$Lambda$abc", NULL, "-.java" },
	{ "$$compose", NULL, ".java" }, { "a.B", "SourceFile", "B.java" }, { "a.BKt", "B.java", "B.kt" },
};

START_TEST(files_are_called_after_classes)
{
	struct buf out;

	buf_init(&out, OUT_BYTES);
	proguard_file_add(proguard_file_of_class(text_of(files[_i].class_name), text_of(files[_i].reference)), &out);
	ck_assert_str_eq(buf_string(&out), files[_i].file);
	buf_release(&out);
}
END_TEST

static const struct { const char *descriptor, *shown, *parameters; } signatures[] = {
	{ "()V", "()", "" }, { "(I)I", "(int): int", "int" }, { "([[J)V", "(long[][])", "long[][]" },
	{ "(Lc;[Lc;)Lc;", "(o.C, o.C[]): o.C", "o.C,o.C[]" }, { "()[V", "(): void[]", "" },
	{ "(Ljava/lang/String;Z)V", "(java.lang.String, boolean)", "java.lang.String,boolean" },
	{ "([)V", "()", "" }, { "(qI)V", "(int)", "int" },
	{ "()X", NULL, NULL }, { "()[", NULL, NULL }, { "()Lq", NULL, NULL }, { "()", NULL, NULL },
	{ "(Lc)V", NULL, NULL }, { "I)V", NULL, NULL }, { "", NULL, NULL }, { "(", NULL, NULL },
};

START_TEST(signatures_are_written_in_javas_words)
{
	struct proguard mapping;
	struct file_map map = mapping_cache_open("one method", TEXT(ONE("void f()")), &mapping);
	struct buf shown, parameters;
	bool is_one;

	buf_init(&shown, OUT_BYTES);
	buf_init(&parameters, OUT_BYTES);
	is_one = proguard_signature(&mapping, text_of(signatures[_i].descriptor), &shown, &parameters);
	ck_assert_msg(is_one == (signatures[_i].shown != NULL), "%s", signatures[_i].descriptor);
	ck_assert_str_eq(buf_string(&shown), is_one ? signatures[_i].shown : "");
	ck_assert_str_eq(buf_string(&parameters), is_one ? signatures[_i].parameters : "");
	buf_release(&shown);
	buf_release(&parameters);
	file_unmap(&map);
}
END_TEST

START_TEST(a_mapping_is_known_by_the_uuid_of_its_bytes)
{
	struct debugid id = proguard_uuid("", 0);
	char text[DEBUGID_TEXT_BYTES];

	/* uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, "guardsquare.com"), "") of Python */
	debugid_format(&id, text);
	ck_assert_str_eq(text, "0e71d76c-5067-5a02-a5d9-7e81070eb125");
	ck_assert(text_is(proguard_map_id(TEXT("r8-map-id-0123abcd")), "0123abcd"));
	ck_assert(text_is(proguard_map_id(TEXT("My.kt r8-map-id-ff:3")), "ff"));
	ck_assert_ptr_null(proguard_map_id(TEXT("r8-map-id-")).bytes);
}
END_TEST

#define HASH "9d35a2a4a6b8d1c2e07f7b0d6f0f3c6a9b1d2e3f405162738495a6b7c8d9e0f1"

static const struct { const char *what, *text, *own_id; bool is_mapping; } heads[] = {
	{ "a class", "a.b.C -> d:\n", NULL, true },
	{ "comments before", "# compiler: R8\n\n# pg_map_id: 9d35a2a\na.C -> d:\r\n", "9d35a2a", true },
	{ "the hash counts", "# pg_map_hash: SHA-256 " HASH "\n# pg_map_id: 9d35a2a\na.C -> d:", HASH, true },
	{ "longer than a hash", "# pg_map_hash: SHA-256 " HASH "0\n# pg_map_id: " HASH HASH "\na.C -> d:\n", NULL, true },
	{ "too short for an id", "# pg_map_id: 9d35a2\na.C -> d:\n", NULL, true },
	{ "ids that are none", "# pg_map_id: xyz\n# pg_map_hash: SHA-256 \na.C -> d:\n", NULL, true },
	{ "nothing", "", NULL, false },
	{ "comments alone", "# pg_map_id: 1234567\n", "1234567", false },
	{ "a member first", "    int a -> b\na.C -> d:\n", NULL, false },
	{ "no colon", "a -> b\n", NULL, false },
	{ "words", "see a -> b:\n", NULL, false },
	{ "nothing behind", "a -> :\n", NULL, false },
};

START_TEST(mappings_are_told_by_their_first_lines)
{
	const char *text = heads[_i].text;
	struct text own_id = proguard_own_id(text, strlen(text));

	ck_assert_msg(proguard_probe(text, strlen(text)) == heads[_i].is_mapping, "%s", heads[_i].what);
	ck_assert_msg(heads[_i].own_id ? text_is(own_id, heads[_i].own_id) : !own_id.bytes, "%s", heads[_i].what);
}
END_TEST

/* --- Torments --------------------------------------------------------------------------------- */

#define WHOLE INLINED "    # {\"id\":\"com.android.tools.r8.rewriteFrame\",\"conditions\":[\"throws(La;)\"],\"actions\":[\"removeInnerFrames(1)\"]}\n" \
	"    27:27:int out():0:0 -> s\n    # {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":4,\"2\":5}}\n" \
	"    # {\"id\":\"com.android.tools.r8.synthesized\"}\no.D -> d:\n    void p.E.g(int,int) -> h\n"

static int write_whole(void *payload, struct err *err)
{
	const char *text = payload;
	int fd = memfd_create("cache", MFD_CLOEXEC);
	struct proguard_report report;
	int rc = proguard_write(text_of(text), MEMORY_BYTES, fd, &report, err);

	close(fd);
	return rc;
}

START_TEST(writing_survives_every_allocation_failure)
{
	char text[] = WHOLE;

	support_every_allocation_failure(write_whole, text, 200);
}
END_TEST

static void ask_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct proguard mapping;
	struct err err = ERR_INIT;
	struct buf out;

	(void)payload;
	if (proguard_open(&mapping, bytes, size, &err) < 0)
		return;
	buf_init(&out, OUT_BYTES);
	for (uint32_t i = 0; i < 8 && proguard_dump_class(&mapping, i, &out); i++)
		;
	for (size_t i = 0; i < 8; i++)
		ask(&mapping, i, &out);
	buf_release(&out);
}

START_TEST(a_changed_file_is_read_within_its_bytes)
{
	struct proguard mapping;
	struct file_map map = mapping_cache_open("a whole one", TEXT(WHOLE), &mapping);

	support_every_byte_change(map.bytes, map.size, ask_changed, NULL);
	file_unmap(&map);
}
END_TEST

static const struct { const char *what, *text; enum err_kind kind; } refused[] = {
	{ "nothing", "", ERR_MALFORMED }, { "a class alone", "a -> b:\n", ERR_MALFORMED },
	{ "a member alone", "    int a -> b\n", ERR_MALFORMED }, { "words", "These are\nno mappings\n", ERR_MALFORMED },
};

START_TEST(what_is_no_mapping_is_refused)
{
	struct err err = ERR_INIT;

	ck_assert_int_lt(write_whole((void *)(uintptr_t)refused[_i].text, &err), 0);
	ck_assert_int_eq(err.kind, refused[_i].kind);
	ck_assert_str_eq(err.text, "The file is not a valid ProGuard file");
}
END_TEST

START_TEST(memory_has_a_ceiling)
{
	int fd = memfd_create("cache", MFD_CLOEXEC);
	struct proguard_report report;
	struct err err = ERR_INIT;

	ck_assert_int_lt(proguard_write(TEXT(WHOLE), 4096, fd, &report, &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	close(fd);
}
END_TEST

/* Long runs of what merges with the line behind it, and a line that is none: each is read once. */
/* A line whose parts have `size` bytes each. */
static void write_line(size_t size, const char *end, struct buf *line)
{
	static const char *const before[] = { "    1:2:", " ", "(", "):34:5678 -> " };
	static const char letters[] = "tnao";

	buf_clear(line);
	for (size_t part = 0; part < 4; part++) {
		buf_add_string(line, before[part]);
		for (size_t i = 0; i < size; i++)
			buf_add_char(line, letters[part]);
	}
	buf_add_string(line, end);
}

static bool is_all(struct text text, char c, size_t size)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.bytes[i] != c)
			return false;
	return text.size == size;
}

START_TEST(a_line_is_read_whatever_the_length_of_its_parts)
{
	static const char *const ends[] = { "", "\n", "\r", "\r\n" };
	struct mapping_record record;
	struct buf line;

	buf_init(&line, OUT_BYTES);
	for (size_t size = 1; size < 70; size++) {
		write_line(size, ends[size % 4], &line);
		record = mapping_read_line(buf_text(&line));
		ck_assert_int_eq(record.kind, MAPPING_METHOD);
		ck_assert(is_all(record.type, 't', size) && is_all(record.original, 'n', size) &&
			  is_all(record.arguments, 'a', size) && is_all(record.obfuscated, 'o', size));
		ck_assert(record.start == 1 && record.end == 2 && record.original_start == 34 &&
			  record.original_end == 5678);
	}
	buf_release(&line);
}
END_TEST

/* With those bytes at that place; what follows the line has no part in it. */
static enum mapping_record_kind kind_of_line(size_t place, const char *bytes, struct buf *line)
{
	static const char rest[] = "\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	struct mapping_reader reader;
	struct mapping_record record;

	write_line(20, rest, line);
	memcpy(line->bytes + place, bytes, strlen(bytes));
	reader = mapping_reader_over(buf_text(line));
	ck_assert(mapping_reader_next(&reader, &record));
	return record.kind;
}

START_TEST(a_line_is_utf8_from_end_to_end)
{
	static const size_t parts[] = { 8, 29, 50, 83 };
	struct buf line;

	buf_init(&line, OUT_BYTES);
	for (size_t part = 0; part < 4; part++)
		for (size_t at = parts[part]; at + 1 < parts[part] + 20; at++) {
			ck_assert_int_eq(kind_of_line(at, "\xff", &line), MAPPING_FAILED);
			ck_assert_int_eq(kind_of_line(at, "\xc3\xa9", &line), MAPPING_METHOD);
		}
	buf_release(&line);
}
END_TEST

START_TEST(reading_is_linear)
{
	static const char *const pieces[] = { "  \n", "#\n", "# {\n", "\r", "    1:", "a -> b: " };
	struct proguard_report report;
	struct err err = ERR_INIT;
	struct buf text;

	buf_init(&text, (size_t)64 << 20);
	buf_add_string(&text, "o.C -> c:\n    void f() -> m\n");
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		for (unsigned j = 0; j < 1u << 18; j++)
			buf_add_string(&text, pieces[i]);
		buf_add_string(&text, "    x");
		for (unsigned j = 0; j < 1u << 20; j++)
			buf_add_char(&text, 'y');
		buf_add_char(&text, '\n');
	}
	ck_assert_int_eq(proguard_summary(buf_text(&text), &report, &err), 0);
	ck_assert_uint_gt(report.failed, 1u << 18);
	buf_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("proguard");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, frames_are_those_the_rules_say, 0, sizeof(lines) / sizeof(lines[0]));
	tcase_add_loop_test(all, files_are_called_after_classes, 0, sizeof(files) / sizeof(files[0]));
	tcase_add_loop_test(all, signatures_are_written_in_javas_words, 0, sizeof(signatures) / sizeof(signatures[0]));
	tcase_add_test(all, a_mapping_is_known_by_the_uuid_of_its_bytes);
	tcase_add_loop_test(all, mappings_are_told_by_their_first_lines, 0, (int)(sizeof(heads) / sizeof(heads[0])));
	tcase_add_test(all, writing_survives_every_allocation_failure);
	tcase_add_test(all, a_changed_file_is_read_within_its_bytes);
	tcase_add_loop_test(all, what_is_no_mapping_is_refused, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(all, memory_has_a_ceiling);
	tcase_add_test(all, a_line_is_read_whatever_the_length_of_its_parts);
	tcase_add_test(all, a_line_is_utf8_from_end_to_end);
	tcase_add_test(all, reading_is_linear);
	suite_add_tcase(suite, all);
	return support_main(suite);
}
