/* test_breakpad -- symbol files, record by record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/look.h"
#include "support/support.h"

#define LOOK_BYTES ((size_t)64 << 20)
#define MODULE "MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 prog\n"
#define FILES  "FILE 0 /src/a.cc\nFILE 1 b.h\nFILE 7 C:\\w\\c.cc\n"

static const struct {
	const char *what;
	const char *body;            /* behind MODULE and the FILEs */
	const char *text;            /* what is told, without the head */
} cases[] = {
	{ "a function with lines", "FUNC 1000 10 0 f(int)\n1000 4 5 0\n1004 c 6 1\n",
	  "function 1000+10 f(int)\nline 1000 /src/a.cc:5\nline 1004 b.h:6\n" },
	{ "Windows paths, CR LF and CR CR LF",
	  "FUNC 1000 10 0 f\r\n1000 10 5 7\r\r\n", "function 1000+10 f\nline 1000 C:\\w/c.cc:5\n" },
	{ "m flags", "FUNC m 1000 10 0 f\nPUBLIC m 2000 4 g\n",
	  "symbol 2000+0 g\nfunction 1000+10 f\n" },
	{ "PUBLICs are sorted, the first at an address stays",
	  "PUBLIC 30 0 c\nPUBLIC 10 0 a\nPUBLIC 10 0 z\nPUBLIC 20 0 b b\n",
	  "symbol 10+0 a\nsymbol 20+0 b b\nsymbol 30+0 c\n" },
	{ "bad PUBLICs cost themselves", "PUBLIC xyz 0 c\nPUBLIC 10 0 a\n", "symbol 10+0 a\n" },
	{ "no name", "FUNC 1000 10 0\nPUBLIC 10 0\n",
	  "symbol 10+0 <unknown>\nfunction 1000+10 <unknown>\n" },
	{ "between lines nothing is known", "FUNC 1000 20 0 f\n1000 4 5 0\n1010 4 6 0\n",
	  "function 1000+20 f\nline 1000 /src/a.cc:5\nline 1004 ?:0\nline 1010 /src/a.cc:6\n"
	  "line 1014 ?:0\n" },
	{ "lines out of order, doubled, outside, of no size",
	  "FUNC 1000 10 0 f\n1008 8 7 0\n1000 8 5 0\n1000 8 6 0\n1004 0 9 0\nffc 4 1 0\n1010 4 1 0\n",
	  "function 1000+10 f\nline 1000 /src/a.cc:6\nline 1008 /src/a.cc:7\n" },
	{ "a line over both ends", "FUNC 1000 10 0 f\nff0 100 5 0\n",
	  "function 1000+10 f\nline 1000 /src/a.cc:5\n" },
	{ "negative line, unknown file", "FUNC 1000 10 0 f\n1000 8 -1 0\n1008 8 3 99\n",
	  "function 1000+10 f\nline 1000 /src/a.cc:0\nline 1008 ?:3\n" },
	{ "a function of no size is none", "FUNC 1000 0 0 f\n1000 4 5 0\nFUNC 2000 4 0 g\n",
	  "function 2000+4 g\n" },
	{ "upper case, tabs and several blanks", "FUNC\tABC0  10 0 f\nABC0  4\t5 0\nFE10 4 5 0\n",
	  "function abc0+10 f\nline abc0 /src/a.cc:5\nline abc4 ?:0\n" },
	{ "inlined calls nest", "INLINE_ORIGIN 3 outer\nINLINE_ORIGIN 4 inner\nFUNC 1000 40 0 f\n"
	  "INLINE 0 12 0 3 1008 20\nINLINE 1 13 1 4 1010 8 1020 4\n1000 40 5 0\n",
	  "function 1000+40 f\nline 1000 /src/a.cc:5\n"
	  "inline 0 in -1 outer called /src/a.cc:12 1008+20\n"
	  "inline 1 in 0 inner called b.h:13 1010+8\ninline 2 in 0 inner called b.h:13 1020+4\n" },
	{ "calls cut to parents and siblings, orphans dropped",
	  "INLINE_ORIGIN 0 a\nINLINE_ORIGIN 1 b\nFUNC 1000 20 0 f\nINLINE 1 1 0 1 1000 100\n"
	  "INLINE 0 2 0 0 ff0 14\nINLINE 0 3 0 0 1002 8\nINLINE 3 4 0 1 1000 4\n",
	  "function 1000+20 f\ninline 0 in -1 a called /src/a.cc:2 1000+4\n"
	  "inline 1 in -1 a called /src/a.cc:3 1004+6\n"
	  "inline 2 in 0 b called /src/a.cc:1 1000+4\ninline 3 in 1 b called /src/a.cc:1 1004+6\n" },
	{ "origins behind the function, unknown origin", "FUNC 1000 20 0 f\nINLINE 0 2 0 8 1000 4\n"
	  "INLINE 0 2 0 9 1004 4\nINLINE_ORIGIN 8 late\n",
	  "function 1000+20 f\ninline 0 in -1 late called /src/a.cc:2 1000+4\n"
	  "inline 1 in -1  called /src/a.cc:2 1004+4\n" },
	{ "stray lines and blank ones", "1000 4 5 0\n\nFUNC 1000 10 0 f\n\n1000 10 5 0\nPUBLIC 1 0 p\n77 1 1 0\n",
	  "symbol 1+0 p\nfunction 1000+10 f\nline 1000 /src/a.cc:5\n" },
	{ "no line end at the end", "FUNC 1000 10 0 f\n1000 10 5 0",
	  "function 1000+10 f\nline 1000 /src/a.cc:5\n" },
	{ "a bad line costs its unit", "FUNC 1000 10 0 f\n1000 10 five 0\n",
	  "unit error: bad line record at byte 121\n" },
	{ "a bad inlined call", "FUNC 1000 10 0 f\nINLINE 0 1 0 0 1000\n",
	  "unit error: bad INLINE record at byte 121\n" },
	{ "a bad function", "FUNC 1000 0x10 0 f\n", "unit error: bad FUNC record at byte 104\n" },
	{ "numbers too big", "FUNC 10000000000000000 1 0 f\n", "unit error: bad FUNC record at byte 104\n" },
	{ "numbers of one digit, of eight and of more",
	  "FUNC f 123456790 0 f\nf 1 0 0\n10 90 99999999 00000001\n12345678 aBcD 100000000 7\n"
	  "123456789 10 4294967295 000000001\n",
	  "function f+123456790 f\nline f /src/a.cc:0\nline 10 b.h:99999999\nline a0 ?:0\n"
	  "line 12345678 C:\\w/c.cc:100000000\nline 12350245 ?:0\nline 123456789 b.h:4294967295\n"
	  "line 123456799 ?:0\n" },
	{ "a line number too big", "FUNC 1000 10 0 f\n1000 10 4294967296 0\n",
	  "unit error: bad line record at byte 121\n" },
	{ "more than four fields", "FUNC 1000 10 0 f\n1000 10 5 0 1\n",
	  "unit error: bad line record at byte 121\n" },
	{ "no field at all between blanks", "FUNC 1000 10 0 f\n1000 10 5 g\n",
	  "unit error: bad line record at byte 121\n" },
	{ "bytes beyond ASCII are no digits", "FUNC 1000 10 0 f\n1000 \xb1\xb0 5 0\n",
	  "unit error: bad line record at byte 121\n" },
	{ "addresses at the very top", "FUNC ffffffffffffff00 ffff 0 f\nffffffffffffff00 fffff 5 0\n",
	  "function ffffffffffffff00+ff f\nline ffffffffffffff00 /src/a.cc:5\n" },
};
#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

static const char *told(const char *bytes, size_t size, struct err *err)
{
	struct buf out;

	buf_init(&out, LOOK_BYTES);
	if (look_bytes(bytes, size, NULL, 0, &out, err) < 0) {
		buf_release(&out);
		return NULL;
	}
	return look_keep(&out);
}

/* Lines with others behind them are read another way than the last ones of a unit. */
static void check_case(int i, const char *behind)
{
	const char *file = support_printf(MODULE FILES "%s%s", cases[i].body, behind), *text;
	struct err err = ERR_INIT;

	text = told(file, strlen(file), &err);
	ck_assert_msg(text != NULL, "%s: %s", cases[i].what, err.text);
	text = strstr(text, "load 0\n");
	ck_assert_ptr_nonnull(text);
	ck_assert_msg(strcmp(text + 7, cases[i].text) == 0, "%s:\n%s", cases[i].what, text + 7);
}

START_TEST(reads)
{
	check_case(_i, "");
	check_case(_i, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
		       "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
}
END_TEST

static const struct {
	const char *what;
	const char *file;
	const char *text;            /* the head, or the error */
} heads[] = {
	{ "all", MODULE "INFO CODE_ID AbCd12 prog.exe\nINFO X y\nFUNC 1 1 0 f\nSTACK CFI INIT 0 1 .cfa: x\n",
	  "object breakpad x86_64 dbg debug unwind\nid 01234567-89ab-cdef-0123-456789abcdef\n"
	  "code abcd12\nfile prog\n" },
	{ "publics only, with age", "MODULE windows x86 0123456789ABCDEF0123456789ABCDEFa b.pdb\r\nPUBLIC 1 0 p\n",
	  "object breakpad x86 dbg symbols\nid 01234567-89ab-cdef-0123-456789abcdef-a\ncode \nfile b.pdb\n" },
	{ "no name", "MODULE mac arm64 0123456789ABCDEF0123456789ABCDEF0\n",
	  "object breakpad arm64 dbg\nid 01234567-89ab-cdef-0123-456789abcdef\ncode \nfile <unknown>\n" },
	{ "unknown processor", "MODULE Linux vax 0123456789ABCDEF0123456789ABCDEF0 x\n",
	  "reading breakpad: MODULE names no processor we know: \"vax\"" },
	{ "bad id", "MODULE Linux x86 0123456789ABCDEG x\n",
	  "reading breakpad: MODULE has a bad id: \"0123456789ABCDEG\"" },
	{ "too short", "MODULE x\n", "no known object format" },
};

START_TEST(head_tells_identity)
{
	struct err err = ERR_INIT;
	const char *text = told(heads[_i].file, strlen(heads[_i].file), &err);

	if (!text)
		text = err.text;
	ck_assert_msg(strncmp(text, heads[_i].text, strlen(heads[_i].text)) == 0, "%s: %s",
		      heads[_i].what, text);
}
END_TEST

/* Units are cut at FUNC records and lose nothing. */
START_TEST(big_files_have_many_units)
{
	const char *path = support_fixture("big.sym",
		"{ echo MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 p; echo FILE 0 a.c;"
		"seq 1 100000 | awk '{ printf \"FUNC %x 8 0 function_%d\\n%x 4 1 0\\n%x 4 2 0\\n\","
		"$1*16, $1, $1*16, $1*16+4 }'; echo STACK CFI INIT 0 1 x; } > $OUT");
	const char *text = look_path(path);

	ck_assert_uint_eq(look_count(text, "function "), 100000);
	ck_assert(look_has(text, "function 186a00+8 function_100000", ""));
}
END_TEST

START_TEST(agrees_with_the_reference)
{
	const char *path = support_shared("fixtures/macos/crash.inlines.sym");
	const char *text;

	if (!path)
		return;
	text = look_path(path);
	ck_assert(look_has(text, "object breakpad x86_64 dbg symbols debug", ""));
	ck_assert(!look_has(text, "unit error", ""));
	ck_assert(look_has(text, "inline", " in 0 "));
}
END_TEST

#define TORMENTED MODULE FILES "INFO CODE_ID AB\nINLINE_ORIGIN 3 outer\nINLINE_ORIGIN 4 inner\n" \
	"FUNC 1000 40 0 f\nINLINE 0 12 0 3 1008 20\nINLINE 1 13 1 4 1010 8 1020 4\n1000 10 5 0\n" \
	"1010 30 6 1\nFUNC m 2000 10 4 g\r\n2000 8 -1 7\nPUBLIC 3000 0 p\nSTACK CFI INIT 0 1 x\n"

/* What the fuzzer starts from. */
START_TEST(survives_the_corpus)
{
	static const char *const names[] = { "inlines", "top", "odd" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct file_map map = support_read(support_source(
			support_printf("tests/fuzz/corpus/breakpad/%s", names[i])));

		support_every_byte_change(map.bytes, map.size, look_survive, NULL);
	}
}
END_TEST

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)TORMENTED, sizeof(TORMENTED) - 1, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct look_input input = { .bytes = (const uint8_t *)TORMENTED,
				    .size = sizeof(TORMENTED) - 1 };

	support_every_allocation_failure(look_work, &input, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("breakpad");
	TCase *tcase = tcase_create("breakpad");

	tcase_add_loop_test(tcase, reads, 0, CASES);
	tcase_add_loop_test(tcase, head_tells_identity, 0, (int)(sizeof(heads) / sizeof(heads[0])));
	tcase_add_test(tcase, big_files_have_many_units);
	tcase_add_test(tcase, agrees_with_the_reference);
	tcase_add_test(tcase, survives_the_corpus);
	tcase_add_test(tcase, survives_every_byte_change);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
