/* test_line.c -- line tables written by hand, versions 2 to 5. */
#include "object/dwarf/kit.h"
#include "support/support.h"

/* Header of a version 4 table up to its first opcode: line base -5, range 14, 13 standard
 * opcodes; files a.c and, in inc, b.h. */
#define V4_HEAD \
	"h4 [ b1 b1 b1 b0xfb b14 b13 b0 b1 b1 b1 b1 b0 b0 b0 b1 b0 b0 b1 " \
	"sinc b0 sa.c u0 u0 u0 sb.h u1 u0 u0 b0 ] "
#define SET(address) "b0 b9 b2 q" address " "
#define END(advance) "b2 u" advance " b0 b1 b1 "
#define COPY "b1 "
#define LINE(delta) "b3 i" delta " "
#define PC(advance) "b2 u" advance " "

/* One unit, one function f from 0x1000 to 0x1020. */
#define ONE_FUNCTION \
	"[ h4 w0 b8 u1 sa.c q0x1000 w0x20 w0  u2 sf q0x1000 w0x20 b0 b0 ]"

struct line_case {
	const char *what, *line, *want;
};

static const struct line_case cases[] = {
	{ "rows last until the next, equal rows are one",
	  "[ " V4_HEAD SET("0x1000") LINE("4") COPY PC("4") COPY PC("4") LINE("1") COPY
	  END("0x18") "]",
	  "f 1000+20: 1000=a.c:5 1008=a.c:6\n" },
	{ "special opcodes and const_add_pc",
	  "[ " V4_HEAD SET("0x1000") "b18 b8 b33 " END("1") "]",
	  "f 1000+20: 1000=a.c:1 1012=a.c:2 1013=?:0\n" },
	{ "of rows at one address the last counts",
	  "[ " V4_HEAD SET("0x1000") COPY LINE("1") COPY LINE("1") COPY END("0x20") "]",
	  "f 1000+20: 1000=a.c:3\n" },
	{ "a row that goes back is not one",
	  "[ " V4_HEAD SET("0x1000") COPY SET("0x1010") LINE("1") COPY SET("0x1008") LINE("1")
	  COPY SET("0x1018") LINE("1") COPY END("8") "]",
	  "f 1000+20: 1000=a.c:1 1010=a.c:2 1018=a.c:4\n" },
	{ "the other file, with its folder",
	  "[ " V4_HEAD SET("0x1000") "b4 u2 " COPY END("0x20") "]",
	  "f 1000+20: 1000=inc/b.h:1\n" },
	{ "a file that is not there, and file 0",
	  "[ " V4_HEAD SET("0x1000") "b4 u9 " COPY PC("8") "b4 u0 " LINE("1") COPY
	  END("0x18") "]",
	  "f 1000+20: 1000=?:1 1008=?:2\n" },
	{ "a file defined on the way",
	  "[ " V4_HEAD SET("0x1000") "b0 { b3 sc.h u0 u0 u0 } b4 u3 " COPY END("0x20") "]",
	  "f 1000+20: 1000=c.h:1\n" },
	{ "opcodes nobody knows are stepped over by their length",
	  "[ h4 [ b1 b1 b1 b0xfb b14 b15 b0 b1 b1 b1 b1 b0 b0 b0 b1 b0 b0 b1 b2 b0 "
	  "b0 sa.c u0 u0 u0 b0 ] "
	  SET("0x1000") "b13 u300 u1 b14 b0 { b0x80 b1 b2 b3 } " COPY END("0x20") "]",
	  "f 1000+20: 1000=a.c:1\n" },
	{ "VLIW: operations within an instruction",
	  "[ h4 [ b8 b4 b1 b0xfb b14 b13 b0 b1 b1 b1 b1 b0 b0 b0 b1 b0 b0 b1 "
	  "b0 sa.c u0 u0 u0 b0 ] "
	  SET("0x1000") COPY PC("3") LINE("1") COPY PC("3") LINE("1") COPY END("10") "]",
	  "f 1000+20: 1000=a.c:2 1008=a.c:3\n" },
	{ "fixed_advance_pc, and a function in several sequences with a hole",
	  "[ " V4_HEAD SET("0x1000") COPY END("8") SET("0x1010") LINE("8") COPY
	  "b9 h4 " LINE("1") COPY END("4") "]",
	  "f 1000+20: 1000=a.c:1 1008=?:0 1010=a.c:9 1014=a.c:10 1018=?:0\n" },
	{ "a sequence that began before the function",
	  "[ " V4_HEAD SET("0xff0") COPY PC("8") LINE("1") COPY PC("0x10") LINE("1") COPY
	  END("0x100") "]",
	  "f 1000+20: 1000=a.c:2 1008=a.c:3\n" },
	{ "rows without an end mark are nobody's",
	  "[ " V4_HEAD SET("0x1000") COPY END("0x10") SET("0x1010") COPY "]",
	  "f 1000+20: 1000=a.c:1 1010=?:0\n" },
	{ "a sequence that ends where it starts",
	  "[ " V4_HEAD SET("0x1000") LINE("6") COPY END("0") SET("0x1000") COPY
	  END("0x20") "]",
	  "f 1000+20: 1000=a.c:1\n" },
	{ "version 2",
	  "[ h2 [ b1 b1 b0xfb b14 b10 b0 b1 b1 b1 b1 b0 b0 b0 b1 b0 sa.c u0 u0 u0 b0 ] "
	  SET("0x1000") "b16 " END("0x20") "]",
	  "f 1000+20: 1000=a.c:2\n" },
	{ "version 5: entry formats with MD5, a block and a form told by the file",
	  "[ h5 b8 b0 [ b1 b1 b1 b0xfb b14 b13 b0 b1 b1 b1 b1 b0 b0 b0 b1 b0 b0 b1 "
	  "b1 u1 u8  u2 s/comp sinc "
	  "b4 u1 u8 u2 u0xb u5 u0x1e u0x2001 u9  u2 sa.c b0 q1 q2 u1 b7 sb.h b1 q3 q4 u0 ] "
	  SET("0x1000") "b4 u0 " COPY PC("8") "b4 u1 " COPY END("0x18") "]",
	  "f 1000+20: 1000=/comp/a.c:1 1008=inc/b.h:1\n" },
};

static void read_case(struct kit *kit, const char *info, const char *line)
{
	kit_init(kit);
	kit_put(kit, DWARF_ABBREV, KIT_ABBREVS);
	kit_put(kit, DWARF_INFO, info);
	kit_put(kit, DWARF_LINE, line);
	kit_read(kit);
}

START_TEST(reads_line_tables)
{
	const struct line_case *test = &cases[_i];
	struct kit kit;

	read_case(&kit, ONE_FUNCTION, test->line);
	ck_assert_msg(kit.failed == 0, "%s: %s", test->what, kit.err.text);
	ck_assert_msg(!strcmp(buf_string(&kit.said), test->want), "%s: %s", test->what,
		      buf_string(&kit.said));
	kit_release(&kit);
}
END_TEST

/* What ld and lld leave of functions they threw away; f is the one that lives. */
static const struct line_case discarded[] = {
	{ "an address reset to 0 part-way",
	  "[ " V4_HEAD SET("0") COPY PC("0x40") LINE("1") COPY SET("0") LINE("1") COPY
	  END("0x10") SET("0x1000") LINE("9") COPY END("0x20") "]",
	  "f 1000+20: 1000=a.c:10\n" },
	{ "a live address reset to 0 part-way: the end mark below the start is its own",
	  "[ " V4_HEAD SET("0x1004") COPY SET("0") LINE("1") COPY END("4")
	  SET("0x1000") LINE("9") COPY END("0x20") "]",
	  "f 1000+20: 1000=a.c:10\n" },
	{ "-1 and -2",
	  "[ " V4_HEAD SET("0xffffffffffffffff") COPY PC("4") COPY END("8")
	  SET("0xfffffffffffffffe") COPY PC("0x2000") COPY END("8")
	  SET("0x1000") LINE("9") COPY END("0x20") "]",
	  "f 1000+20: 1000=a.c:10\n" },
	{ "-1 in four bytes",
	  "[ " V4_HEAD "b0 b5 b2 w0xffffffff " COPY END("8")
	  SET("0x1000") LINE("9") COPY END("0x20") "]",
	  "f 1000+20: 1000=a.c:10\n" },
	{ "after the real one, too",
	  "[ " V4_HEAD SET("0x1000") LINE("9") COPY END("0x20") SET("0") COPY PC("0x1008")
	  COPY SET("0") COPY END("0x2000") "]",
	  "f 1000+20: 1000=a.c:10\n" },
};

START_TEST(discarded_sequence_goes_whole)
{
	const struct line_case *test = &discarded[_i];
	struct kit kit;

	read_case(&kit, ONE_FUNCTION, test->line);
	ck_assert_msg(kit.failed == 0, "%s: %s", test->what, kit.err.text);
	ck_assert_msg(!strcmp(buf_string(&kit.said), test->want), "%s: %s", test->what,
		      buf_string(&kit.said));
	kit_release(&kit);
}
END_TEST

START_TEST(address_0_is_real_in_relocatable_files)
{
	struct kit kit;

	kit_init(&kit);
	kit.input.relocatable = true;
	kit_put(&kit, DWARF_ABBREV, KIT_ABBREVS);
	kit_put(&kit, DWARF_INFO, "[ h4 w0 b8 u1 sa.c q0 w0x20 w0  u2 sf q0 w0x20 b0 b0 ]");
	kit_put(&kit, DWARF_LINE, "[ " V4_HEAD SET("0") COPY END("0x20") "]");
	ck_assert_str_eq(kit_read(&kit), "f 0+20: 0=a.c:1\n");
	kit_release(&kit);
}
END_TEST

/* Rows outside of functions: named where a symbol begins, nameless padding otherwise. */
START_TEST(rows_without_a_function_are_kept)
{
	static const struct kit_symbol symbols[] = {
		{ 0x1000, "f" }, { 0x1028, "asm_one" }, { 0, NULL }
	};
	struct kit kit;

	kit_init(&kit);
	kit.symbols = symbols;
	kit_put(&kit, DWARF_ABBREV, KIT_ABBREVS);
	kit_put(&kit, DWARF_INFO,
		"[ h4 w0 b8 u1 sa.c q0x1000 w0x30 w0  u2 sf q0x1000 w0x20 b0 b0 ]");
	kit_put(&kit, DWARF_LINE, "[ " V4_HEAD SET("0x1000") COPY PC("0x28") LINE("3") COPY
		PC("4") LINE("1") COPY END("0x100") "]");
	ck_assert_str_eq(kit_read(&kit),
			 "f 1000+20: 1000=a.c:1\n"
			 " 1020+8: 1020=a.c:1\n"
			 "asm_one 1028+8: 1028=a.c:4 102c=a.c:5\n");
	kit_release(&kit);
}
END_TEST

static const struct {
	const char *what, *line, *text;
} bad[] = {
	{ "a version from the future", "[ h6 w0 ]",
	  "reading .debug_info unit at 0: reading .debug_line at 0: line table version 6" },
	{ "header cut short", "[ h4 w0 b1 ]",
	  "reading .debug_info unit at 0: reading .debug_line at 0: "
	  ".debug_line ends early, at byte 11 of 11" },
	{ "an opcode's operand cut short", "[ " V4_HEAD "b0 b9 b2 w0 ]",
	  "reading .debug_info unit at 0: running .debug_line at 0: "
	  ".debug_line ends early, at byte 50 of 55" },
	{ "more files than bytes", "[ h5 b8 b0 [ b1 b1 b1 b0xfb b14 b1 b0 u0 b0 u1000000 ] ]",
	  "reading .debug_info unit at 0: reading .debug_line at 0: "
	  "1000000 entries in 0 bytes" },
};

START_TEST(refuses_with_the_right_words)
{
	struct kit kit;

	read_case(&kit, ONE_FUNCTION, bad[_i].line);
	ck_assert_msg(kit.failed == 1, "%s", bad[_i].what);
	ck_assert_str_eq(kit.err.text, bad[_i].text);
	kit_release(&kit);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof(*(array)))

int main(void)
{
	Suite *suite = suite_create("dwarf line tables");
	TCase *tests = tcase_create("line");

	tcase_add_loop_test(tests, reads_line_tables, 0, COUNT(cases));
	tcase_add_loop_test(tests, discarded_sequence_goes_whole, 0, COUNT(discarded));
	tcase_add_test(tests, address_0_is_real_in_relocatable_files);
	tcase_add_test(tests, rows_without_a_function_are_kept);
	tcase_add_loop_test(tests, refuses_with_the_right_words, 0, COUNT(bad));
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
