/* test_wasm -- WebAssembly modules: functions by file offset, names, DWARF, and bad bytes. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "object/look.h"
#include "support/support.h"

#define PROGRAM \
	"cat > $DIR/p.cc <<'EOF'\n" \
	"extern \"C\" int ext(int);\n" \
	"inline __attribute__((always_inline)) int add(volatile int *a, int b)\n" \
	"{\n" \
	"	*a = b;\n" \
	"	return *a * b;\n" \
	"}\n" \
	"__attribute__((noinline)) int helper(volatile int *a) { return add(a, 7) + ext(2); }\n" \
	"extern \"C\" int never(int *a) { return *a + 1; }\n" \
	"extern \"C\" int start(void) { volatile int a = 1; return helper(&a); }\n" \
	"EOF\n" \
	"cd $DIR\n" \
	"clang++-19 --target=wasm32 -g -O1 -ffunction-sections -nostdlib -c p.cc -o p.o\n"
#define LINK "wasm-ld-19 --no-entry --export=start --allow-undefined --build-id=0x" \
	"00112233445566778899aabbccddeeff0102 "

static const struct {
	const char *what;
	const char *recipe;
	const char *head;
	const char *has[7];
	const char *lacks[3];
} cases[] = {
	{ "linked", PROGRAM LINK "p.o -o $OUT", "wasm32 lib symbols debug\n",
	  { "id 12001122-3344-5566-7788-99aabbccddee|",
	    "code 1200112233445566778899aabbccddeeff0102|",
	    "symbol| helper(int volatile*)", "symbol| start", "function| helper(int volatile*)",
	    "line|p.cc:5", "inline|add" },
	  { "function| never", "symbol| ext", "unit error|" } },
	{ "names as the compiler wrote them", PROGRAM LINK "--no-demangle p.o -o $OUT",
	  "wasm32 lib symbols debug\n",
	  { "symbol| _Z6helperPVi", "function| _Z6helperPVi" }, { NULL } },
	{ "no names but exports", PROGRAM LINK "--strip-all p.o -o $OUT", "wasm32 lib symbols\n",
	  { "symbol| start" }, { "symbol| helper", "function|" } },
	{ "relocatable", PROGRAM "cp p.o $OUT", "wasm32 lib symbols debug\n",
	  { "function| _Z6helperPVi", "function| never", "line|p.cc:5" }, { "unit error|" } },
	{ "debug sections alone", PROGRAM LINK "p.o -o p.wasm;"
	  "llvm-objcopy-19 --only-keep-debug p.wasm $OUT", "wasm32 dbg symbols debug\n",
	  { "function| _Z6helperPVi" }, { "symbol|" } },
	{ "debug information elsewhere", PROGRAM LINK "--strip-debug p.o -o p.wasm;"
	  "printf '\\007far.dbg' > name;"
	  "llvm-objcopy-19 --add-section=external_debug_info=name p.wasm $OUT",
	  "wasm32 lib symbols\n", { "file far.dbg|" }, { "function|" } },
	{ "DWARF 4", PROGRAM "clang++-19 --target=wasm32 -gdwarf-4 -O1 -nostdlib -c p.cc -o p.o;"
	  LINK "p.o -o $OUT", "wasm32 lib symbols debug\n", { "line|p.cc:5", "inline|add" },
	  { "function| never", "unit error|" } },
};

static bool has_line(const char *text, const char *pattern)
{
	char start[128];
	const char *bar = strchr(pattern, '|');

	snprintf(start, sizeof(start), "%.*s", (int)(bar - pattern), pattern);
	return look_has(text, start, bar + 1);
}

static const char *path_of(int which)
{
	return support_fixture(support_printf("wasm-%d", which), cases[which].recipe);
}

START_TEST(reads)
{
	const char *text = look_path(path_of(_i));
	const char *head = support_printf("object wasm %s", cases[_i].head);

	ck_assert_msg(strncmp(text, head, strlen(head)) == 0, "%s: %.*s", cases[_i].what,
		      (int)strcspn(text, "\n"), text);
	for (size_t i = 0; i < 7 && cases[_i].has[i]; i++)
		ck_assert_msg(has_line(text, cases[_i].has[i]), "%s: no line \"%s\" in\n%.2000s",
			      cases[_i].what, cases[_i].has[i], text);
	for (size_t i = 0; i < 3 && cases[_i].lacks[i]; i++)
		ck_assert_msg(!has_line(text, cases[_i].lacks[i]), "%s: a line \"%s\" in\n%.2000s",
			      cases[_i].what, cases[_i].lacks[i], text);
}
END_TEST

/* Functions begin at their locals, as call sites are counted; DWARF says the same. */
START_TEST(functions_and_symbols_begin_together)
{
	const char *text = look_path(path_of(0));
	size_t functions = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		char at[32];

		line += line != text;
		if (sscanf(line, "function %31[0-9a-f]", at) != 1)
			continue;
		functions++;
		ck_assert_msg(look_has(text, support_printf("symbol %s+", at), ""),
			      "no symbol at %s in\n%.2000s", at, text);
	}
	ck_assert_uint_eq(functions, 2);
}
END_TEST

START_TEST(agrees_with_the_reference)
{
	const char *path = support_shared("fixtures/wasm/simple.wasm"), *text;

	if (!path)
		return;
	text = look_path(path);
	ck_assert_msg(strncmp(text, "object wasm wasm32 lib symbols debug\n", 37) == 0, "%.99s", text);
	ck_assert(look_has(text, "id bda18fd8-5d4a-4eb8-9302-2d6bfad846b1", ""));
	ck_assert(look_has(text, "code bda18fd85d4a4eb893022d6bfad846b1", ""));
	ck_assert_msg(look_has(text, "function 8b+", " internal_func"), "%.2000s", text);
}
END_TEST

/* --- Bad bytes ----------------------------------------------------------------------- */

#define HEAD "\0asm\1\0\0\0"
#define BYTES(text) (text), sizeof(text) - 1
#define MANY "\xff\xff\xff\xff\x0f"  /* 2^32 - 1 */

static const struct {
	const char *what, *bytes;
	size_t size;
	enum err_kind kind;
	const char *text;
} refused[] = {
	{ "a component", BYTES("\0asm\x0d\0\1\0........"), ERR_UNSUPPORTED,
	  "reading wasm: a component, not a module" },
	{ "a version to come", BYTES("\0asm\2\0\0\0........"), ERR_UNSUPPORTED,
	  "reading wasm: WebAssembly version 2" },
	{ "a section beyond the end", BYTES(HEAD "\1\x7f......"), ERR_MALFORMED,
	  "reading wasm: section 1: module ends early, at byte 10 of 16" },
	{ "a size of 2^32 and more", BYTES(HEAD "\1\xff\xff\xff\xff\x1f..."), ERR_MALFORMED,
	  "reading wasm: section 1: module ends early, at byte 14 of 17" },
	{ "a size without end", BYTES(HEAD "\1\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"),
	  ERR_MALFORMED, "reading wasm: section 1: module ends early, at byte 21 of 21" },
	{ "a section nobody knows", BYTES(HEAD "\x0e\1.\0\1\0\0\1\0"), ERR_MALFORMED,
	  "reading wasm: unknown section 14 at byte 8" },
	{ "two sections of a kind", BYTES(HEAD "\3\1\0\3\1\0\0\1\0"), ERR_MALFORMED,
	  "reading wasm: section 3 at byte 11 is out of order" },
	{ "code before its declaration", BYTES(HEAD "\x0a\1\0\3\1\0\0\1\0"), ERR_MALFORMED,
	  "reading wasm: section 3 at byte 11 is out of order" },
	{ "declared, but no code", BYTES(HEAD "\3\2\1\0\0\1\0\0\1\0"), ERR_MALFORMED,
	  "reading wasm: 1 functions are declared, 0 have code" },
	{ "4 billion functions", BYTES(HEAD "\3\5" MANY "\x0a\5" MANY), ERR_MALFORMED,
	  "reading wasm: the code section has no room for its 4294967295 functions" },
	{ "4 billion imports", BYTES(HEAD "\2\6" MANY "\0"), ERR_MALFORMED,
	  "reading wasm: imports ends early, at byte 6 of 6" },
	{ "an import nobody knows", BYTES(HEAD "\2\4\1\0\0\7\0\1\0"), ERR_MALFORMED,
	  "reading wasm: an import of unknown kind 7 at byte 3 of the imports" },
	{ "a body beyond the section", BYTES(HEAD "\3\2\1\0\x0a\3\1\x70\0"), ERR_MALFORMED,
	  "reading wasm: function 1 of 1: code section ends early, at byte 2 of 3" },
};

START_TEST(refuses)
{
	struct err err = ERR_INIT;

	ck_assert_msg(look_bytes(refused[_i].bytes, refused[_i].size, NULL, 0, NULL, &err) < 0,
		      "%s opens", refused[_i].what);
	ck_assert_msg(err.kind == refused[_i].kind, "%s: %s", refused[_i].what, err.text);
	ck_assert_str_eq(err.text, refused[_i].text);
}
END_TEST

/* Imports of every kind come before our functions in the numbers names use; what the name
 * section lies about costs names, not the module. */
static const struct {
	const char *what, *bytes;
	size_t size;
	const char *has;             /* NULL: no symbol at all */
} odd[] = {
	{ "imports of every kind", BYTES(HEAD
	  "\2\x30\6" "\1m\1f\0\0" "\1m\1t\1\x70\1\0\1" "\1m\1r\1\x64\x70\0\0" "\1m\1y\2\x09\1\1\x0c"
	  "\1m\1g\3\x7f\0" "\1m\1e\4\0\0"
	  "\3\2\1\0" "\x0a\4\1\2\0\x0b" "\0\x0b\4name\1\4\1\1\1x"), "symbol| x" },
	{ "a name for an import", BYTES(HEAD "\2\7\1\1m\1f\0\0"
	  "\3\2\1\0\x0a\4\1\2\0\x0b" "\0\x0b\4name\1\4\1\0\1x"), NULL },
	{ "a name for nobody", BYTES(HEAD "\3\2\1\0\x0a\4\1\2\0\x0b" "\0\x0f\4name\1\x08\1"
	  MANY "\1x"), NULL },
	{ "4 billion names", BYTES(HEAD "\3\2\1\0\x0a\4\1\2\0\x0b" "\0\x0f\4name\1\x08" MANY
	  "\0\1x"), "symbol| x" },
	{ "a name without end", BYTES(HEAD "\3\2\1\0\x0a\4\1\2\0\x0b" "\0\x0b\4name\1\4\1\0\7x"),
	  NULL },
	{ "4 billion exports", BYTES(HEAD "\3\2\1\0" "\7\x09" MANY "\1x\0\0" "\x0a\4\1\2\0\x0b"),
	  "symbol| x" },
	{ "a build id too short for a debug id", BYTES(HEAD "\3\2\1\0\x0a\4\1\2\0\x0b"
	  "\0\x0b\x08" "build_id\1\2"), "code 0102|" },
	{ "an empty build id", BYTES(HEAD "\3\2\1\0\x0a\4\1\2\0\x0b" "\0\x09\x08" "build_id"), NULL },
};

START_TEST(survives_lies)
{
	struct err err = ERR_INIT;
	struct buf buf;
	const char *text;

	buf_init(&buf, 1 << 20);
	ck_assert_msg(look_bytes(odd[_i].bytes, odd[_i].size, NULL, 0, &buf, &err) == 0, "%s: %s",
		      odd[_i].what, err.text);
	text = look_keep(&buf);
	if (odd[_i].has)
		ck_assert_msg(has_line(text, odd[_i].has), "%s: %s", odd[_i].what, text);
	else
		ck_assert_msg(!look_has(text, "symbol", "") && strstr(text, "\ncode \n"),
			      "%s: %s", odd[_i].what, text);
}
END_TEST

START_TEST(survives_every_byte_change)
{
	static const int made_by[] = { 0, 3 };
	struct file_map map = support_read(path_of(made_by[_i]));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(path_of(0));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 2000);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wasm");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_loop_test(reading, reads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(reading, functions_and_symbols_begin_together);
	tcase_add_test(reading, agrees_with_the_reference);
	tcase_add_loop_test(reading, refuses, 0, (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_loop_test(reading, survives_lies, 0, (int)(sizeof(odd) / sizeof(odd[0])));
	tcase_add_loop_test(torment, survives_every_byte_change, 0, 2);
	tcase_add_test(torment, survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}
