/*
 * test_names -- Microsoft's and Swift's names, one a line: the mangled one, a tab, the readable
 * one, or "-" for what stands for itself.
 *
 * Those of Swift are of the compiler's own tests and of Symbolicator's, in its words.
 */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "demangle/demangle.h"

#define OUT_CEILING_BYTES ((size_t)1 << 20)
#define MSVC_NAMES        100u
#define SWIFT_NAMES       190u

typedef void line_fn(struct text name, struct text readable);

/* Returns how many lines there are. */
static unsigned each_line(const char *file, line_fn *fn)
{
	struct file_map map = support_read(support_source(file));
	const char *at = (const char *)map.bytes, *end = at + map.size;
	unsigned count = 0;

	while (at < end) {
		const char *tab = memchr(at, '\t', (size_t)(end - at));
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		ck_assert(tab && line_end && tab < line_end);
		fn((struct text){ at, (size_t)(tab - at) },
		   (struct text){ tab + 1, (size_t)(line_end - tab - 1) });
		at = line_end + 1;
		count++;
	}
	return count;
}

static void check_line(struct text name, struct text readable)
{
	long before = mem_live;
	struct buf out;
	bool done;

	buf_init(&out, OUT_CEILING_BYTES);
	done = demangle(name, LANGUAGE_UNKNOWN, &out);
	ck_assert_msg(done ? text_equal(buf_text(&out), readable) : text_is(readable, "-"),
		      "%.*s: %s", (int)name.size, name.bytes, buf_string(&out));
	buf_release(&out);
	ck_assert_int_eq(mem_live, before);
}

START_TEST(microsofts_names_become_readable)
{
	ck_assert_uint_ge(each_line("tests/demangle/msvc.names", check_line), MSVC_NAMES);
}
END_TEST

START_TEST(swift_names_become_readable)
{
	ck_assert_uint_ge(each_line("tests/demangle/swift.names", check_line), SWIFT_NAMES);
}
END_TEST

static void try_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct text name = { (const char *)bytes, size };
	long before = mem_live;
	struct buf out;

	(void)payload;
	buf_init(&out, OUT_CEILING_BYTES);
	if (!demangle(name, LANGUAGE_UNKNOWN, &out))
		ck_assert_uint_eq(out.size, 0);
	ck_assert_uint_le(out.size, LIMIT_DEMANGLED_BYTES);
	buf_release(&out);
	ck_assert_int_eq(mem_live, before);
}

static void change_line(struct text name, struct text readable)
{
	(void)readable;
	support_every_byte_change((const uint8_t *)name.bytes, name.size, try_changed, NULL);
}

START_TEST(survive_every_byte_change)
{
	each_line("tests/demangle/msvc.names", change_line);
	each_line("tests/demangle/swift.names", change_line);
}
END_TEST

static void without_memory(struct text name, struct text readable)
{
	long before = mem_live;
	struct buf out;

	(void)readable;
	buf_init(&out, OUT_CEILING_BYTES);
	buf_add_string(&out, "room");
	for (long after = 0; after < 4; after++) {
		mem_fail_after = after;
		buf_clear(&out);
		if (!demangle(name, LANGUAGE_SWIFT, &out))
			ck_assert_uint_eq(out.size, 0);
		mem_fail_after = -1;
	}
	buf_release(&out);
	ck_assert_int_eq(mem_live, before);
}

START_TEST(swift_names_survive_without_memory)
{
	each_line("tests/demangle/swift.names", without_memory);
}
END_TEST

/* --- Against the library's own program ------------------------------------------------ */

/* Spaces and tags apart, the words must be those of llvm-undname. */
static void squeeze(struct buf *out, struct text text)
{
	static const char *const tags[] = { "class ", "struct ", "union ", "enum " };
	size_t skip;

	for (size_t i = 0; i < text.size; i += skip) {
		skip = 0;
		for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++)
			if (text_starts_with((struct text){ text.bytes + i, text.size - i }, tags[t]))
				skip = strlen(tags[t]);
		if (skip > 0)
			continue;
		skip = 1;
		if (text.bytes[i] != ' ')
			buf_add_char(out, text.bytes[i]);
	}
}

static void compare_line(struct text name, struct text readable)
{
	const char *command = support_printf("llvm-undname-19 --no-access-specifier "
					     "--no-calling-convention --no-return-type "
					     "--no-member-type '%.*s' 2>/dev/null | sed -n 2p",
					     (int)name.size, name.bytes);
	char line[LIMIT_DEMANGLED_BYTES] = "";
	FILE *pipe;
	struct buf ours, theirs;

	/* What is rewritten beyond tags and spaces has its cases in the table alone. */
	if (text_is(readable, "-") || memmem(readable.bytes, readable.size, "int64_t", 7) ||
	    memmem(readable.bytes, readable.size, "ructor", 6) ||
	    memmem(readable.bytes, readable.size, "void (", 6) ||
	    memmem(readable.bytes, readable.size, "int (", 5) ||
	    text_starts_with(name, "??_C@"))
		return;
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	if (fgets(line, sizeof(line), pipe)) {
		line[strcspn(line, "\n")] = '\0';
		buf_init(&ours, OUT_CEILING_BYTES);
		buf_init(&theirs, OUT_CEILING_BYTES);
		squeeze(&ours, readable);
		squeeze(&theirs, text_of(line));
		if (!strstr(line, "__") && !strstr(line, "adjustor"))
			ck_assert_str_eq(buf_string(&ours), buf_string(&theirs));
		buf_release(&ours);
		buf_release(&theirs);
	}
	pclose(pipe);
}

START_TEST(microsofts_names_agree_with_llvm_undname)
{
	if (system("command -v llvm-undname-19 >/dev/null") == 0)
		each_line("tests/demangle/msvc.names", compare_line);
}
END_TEST

/* --- Names meant to hurt ------------------------------------------------------------- */

static void try_repeated(const char *head, const char *middle, size_t times, const char *tail)
{
	struct buf name, out;

	buf_init(&name, OUT_CEILING_BYTES);
	buf_init(&out, OUT_CEILING_BYTES);
	buf_add_string(&name, head);
	for (size_t i = 0; i < times; i++)
		buf_add_string(&name, middle);
	buf_add_string(&name, tail);
	demangle(buf_text(&name), LANGUAGE_UNKNOWN, &out);
	ck_assert_uint_le(out.size, LIMIT_DEMANGLED_BYTES);
	buf_release(&out);
	buf_release(&name);
}

START_TEST(hostile_names_end_soon)
{
	try_repeated("?f@@YAX", "PA", 2000, "H@Z");
	try_repeated("?f@@YAX", "P6AX", 1000, "H@Z");
	try_repeated("??", "$f@", 1300, "H");
	try_repeated("?", "?", 4000, "");
	try_repeated("?f@@YAX", "V?$a@", 700, "H");
	try_repeated("?a@", "?1??", 1000, "b@@YAXXZ");
	try_repeated("?f@@YAXP6AXPEAH@Z", "P6AX00000000@Z", 9, "@Z");
	try_repeated("?f@@YAXP6AXPEAH@ZP6AX00000@ZP6AX11111@ZP6AX22222@ZP6AX33333@Z",
		     "P6AX44444444444444444444@Z", 9, "@Z");
	try_repeated("$s", "4main", 1500, "F");
	try_repeated("$sSi", "Sg", 4000, "D");
	try_repeated("$sSi", "m", 8000, "D");
	try_repeated("$s", "y", 8000, "F");
	try_repeated("$sSi", "_S2000i", 100, "t");
	try_repeated("$s4main3FooV", "A2000B", 10, "t");
	try_repeated("$s4main1fyy", "Si_SitA_", 500, "F");
	try_repeated("$s4main3foo", "yyF1f", 1500, "yyF");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("demangle names");
	TCase *tcase = tcase_create("names");

	tcase_add_test(tcase, microsofts_names_become_readable);
	tcase_add_test(tcase, microsofts_names_agree_with_llvm_undname);
	tcase_add_test(tcase, swift_names_become_readable);
	tcase_add_test(tcase, swift_names_survive_without_memory);
	tcase_add_test(tcase, survive_every_byte_change);
	tcase_add_test(tcase, hostile_names_end_soon);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
