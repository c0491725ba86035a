/* test_elf -- what compilers, linkers and strippers make of one small program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "object/look.h"
#include "support/support.h"

/* add() is inlined into work(); helper() is a local function. */
#define PROGRAM \
	"cat > $DIR/p.c <<'EOF'\n" \
	"extern int sink;\n" \
	"static inline __attribute__((always_inline)) int add(int a, int b)\n" \
	"{\n" \
	"	sink = a;\n" \
	"	return a * b + sink;\n" \
	"}\n" \
	"__attribute__((noinline)) static int helper(int a) { sink += a; return add(a, 7); }\n" \
	"int work(int a) { return helper(a) + add(a, 3); }\n" \
	"EOF\n" \
	"cat > $DIR/m.c <<'EOF'\n" \
	"int sink; int work(int); int main(int c, char **v) { (void)v; return work(c); }\n" \
	"EOF\n" \
	"cd $DIR\n"
#define GCC PROGRAM "gcc -g -O1 -gdwarf-5 -fno-ipa-icf -Wl,--build-id "
#define LIBRARY PROGRAM "gcc -g -O1 -gdwarf-4 -shared -fPIC -Wl,--build-id p.c m.c "
#define CLANG PROGRAM "clang-19 -g -O1 -c p.c -o $OUT --target="
#define CLANG_LINKED PROGRAM "clang-19 -g -O1 -c p.c m.c --target="

static const struct {
	const char *what;
	const char *recipe;
	const char *head;            /* the "object" line after "object elf " */
	const char *has[8];          /* "start|rest" of lines that must be there */
	const char *lacks[4];
} cases[] = {
	{ "gcc, position independent", GCC "p.c m.c -o $OUT", "x86_64 lib symbols debug unwind",
	  { "function| work", "symbol| helper", "line|p.c:8", "inline|add called", "code |" }, { NULL } },
	{ "gcc, fixed address", GCC "-no-pie p.c m.c -o $OUT", "x86_64 exe symbols debug unwind",
	  { "function| work", "load 400000|" }, { NULL } },
	{ "static: no interpreter counts as debug file", GCC "-static -nostdlib -e main p.c m.c -o $OUT",
	  "x86_64 dbg symbols debug unwind", { "function| work" }, { NULL } },
	{ "stripped", GCC "p.c m.c -s -rdynamic -o $OUT", "x86_64 lib symbols unwind",
	  { "symbol| work" }, { "symbol| helper", "function|" } },
	{ "no build id: hash of .text", PROGRAM "gcc -g -Wl,--build-id=none p.c m.c -o $OUT",
	  "x86_64 lib symbols debug unwind", { "function| work" },
	  { "code |a", "id 00000000-0000-0000|" } },
	{ "zlib sections", GCC "-gz=zlib p.c m.c -o $OUT", "x86_64 lib symbols debug unwind",
	  { "function| work", "line|p.c:8", "inline|add called" }, { NULL } },
	{ "old .zdebug sections", GCC "p.c m.c -o $DIR/a;"
	  "objcopy --compress-debug-sections=zlib-gnu $DIR/a $OUT", "x86_64 lib symbols debug unwind",
	  { "function| work", "line|p.c:8", "inline|add called" }, { NULL } },
	{ "zstd sections", GCC "p.c m.c -o $DIR/a;"
	  "llvm-objcopy-19 --compress-debug-sections=zstd $DIR/a $OUT", "x86_64 lib symbols debug unwind",
	  { "function| work", "line|p.c:8" }, { NULL } },
	{ "debug file of objcopy: no code, no frames", GCC "p.c m.c -o $DIR/a;"
	  "objcopy --only-keep-debug $DIR/a $OUT", "x86_64 dbg symbols debug\n",
	  { "function| work", "symbol| helper" }, { NULL } },
	{ "debug file of a fixed-address program", GCC "-no-pie p.c m.c -o $DIR/a;"
	  "objcopy --only-keep-debug $DIR/a $OUT", "x86_64 dbg symbols debug\n",
	  { "function| work" }, { NULL } },
	{ "debug file of eu-strip", GCC "p.c m.c -o $DIR/a; eu-strip -f $OUT -o $DIR/b $DIR/a",
	  "x86_64 dbg symbols debug\n", { "function| work", "symbol| helper" }, { NULL } },
	{ "no section headers: dynamic symbols", LIBRARY "-o $DIR/a;"
	  "llvm-objcopy-19 --strip-sections $DIR/a $OUT", "x86_64 dbg symbols\n",
	  { "symbol| work", "symbol| main", "code |" }, { NULL } },
	{ "the same with the old hash table", LIBRARY "-Wl,--hash-style=sysv -o $DIR/a;"
	  "llvm-objcopy-19 --strip-sections $DIR/a $OUT", "x86_64 dbg symbols\n",
	  { "symbol| work", "symbol| main" }, { NULL } },
	{ "mini debug info", GCC "-rdynamic p.c m.c -o $DIR/a; strip -o $DIR/s $DIR/a;"
	  "objcopy -S --keep-symbol=helper $DIR/a $DIR/k; objcopy --only-keep-debug $DIR/a $DIR/d;"
	  "objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbol=helper "
	  "$DIR/d $DIR/mini; xz $DIR/mini; objcopy --add-section .gnu_debugdata=$DIR/mini.xz $DIR/s $OUT",
	  "x86_64 lib symbols unwind", { "symbol| helper", "symbol| work" }, { "function|" } },
	{ "damaged mini debug info costs itself", GCC "-rdynamic p.c m.c -o $DIR/a;"
	  "echo garbage > $DIR/mini.xz; objcopy -S --add-section .gnu_debugdata=$DIR/mini.xz $DIR/a $OUT",
	  "x86_64 lib symbols unwind", { "symbol| work" }, { "symbol| helper" } },
	{ "relocatable x86-64", CLANG "x86_64-linux-gnu", "x86_64 rel symbols debug unwind",
	  { "function| helper", "line|p.c:7", "inline|add called" }, { NULL } },
	{ "relocatable, packed", CLANG "x86_64-linux-gnu -gz=zlib", "x86_64 rel symbols debug unwind",
	  { "function| work", "line|p.c:8" }, { NULL } },
	{ "relocatable with type units in groups", PROGRAM
	  "echo 'struct s { int a; int f() { return a; } } s; int g() { return s.f(); }' > p.cc;"
	  "gcc -g -O1 -gdwarf-5 -fdebug-types-section -c p.cc -o $OUT",
	  "x86_64 rel symbols debug unwind", { "function| _Z1gv" }, { NULL } },
	{ "32 bit, REL", CLANG "i386-linux-gnu", "x86 rel symbols debug unwind",
	  { "function| work", "line|p.c:8", "inline|add called" }, { NULL } },
	{ "AArch64", CLANG "aarch64-linux-gnu", "arm64 rel symbols debug unwind",
	  { "function| work", "line|p.c:8" }, { "symbol| $" } },
	{ "Thumb: the low bit is no address", CLANG "thumbv7-linux-gnueabihf", "arm rel symbols debug",
	  { "function| work", "symbol 0+| work", "line|p.c:8" }, { "symbol| $", "symbol 1+|" } },
	{ "Thumb, linked", CLANG_LINKED "thumbv7-linux-gnueabihf; ld.lld-19 -shared p.o m.o -o $OUT",
	  "arm lib symbols debug", { "function| work", "symbol| helper" }, { "symbol| $" } },
	{ "big endian, 64 bit", CLANG "s390x-linux-gnu", "unknown rel symbols debug unwind",
	  { "function| work", "line|p.c:8", "inline|add called" }, { NULL } },
	{ "big endian, linked, without sections", CLANG_LINKED "s390x-linux-gnu -fPIC;"
	  "ld.lld-19 -shared -hash-style=sysv p.o m.o -o a; llvm-objcopy-19 --strip-sections a $OUT",
	  "unknown dbg symbols", { "symbol| work" }, { NULL } },
	{ "big endian, 32 bit", CLANG "powerpc-linux-gnu", "ppc rel symbols debug unwind",
	  { "function| work", "line|p.c:8" }, { NULL } },
	{ "ppc64", CLANG "powerpc64le-linux-gnu", "ppc64 rel symbols debug unwind",
	  { "function| work" }, { NULL } },
	{ "MIPS, 32 bit ABI", CLANG "mips-linux-gnu", "mips rel symbols debug", { NULL }, { NULL } },
	{ "indirect functions", PROGRAM
	  "echo 'static int a(void) { return 1; } static int (*pick(void))(void) { return a; }"
	  "int chosen(void) __attribute__((ifunc(\"pick\")));' > i.c; gcc -shared -fPIC -s i.c -o $OUT",
	  "x86_64 lib symbols unwind", { "symbol| chosen" }, { NULL } },
	{ "data and undefined symbols are no code", PROGRAM
	  "echo 'int data = 1; void f(void); void g(void) { f(); }' > d.c; gcc -shared -fPIC d.c -o $OUT",
	  "x86_64 lib symbols unwind", { "symbol| g" }, { "symbol| data", "symbol| f\n" } },
	{ "what assembler sources export without a type", PROGRAM
	  "printf '.globl bare, end, typed\\n.type typed,@function\\nbare: nop\\nown: nop\\n"
	  "typed: nop\\n.weak pale\\npale: nop\\nend:\\n' > s.s; gcc -c s.s -o $OUT",
	  "x86_64 rel symbols\n", { "symbol 0+2 |bare", "symbol 2+1 |typed", "symbol 3+1 |pale" },
	  { "symbol| own", "symbol| end" } },
	{ "what has no type but a size", PROGRAM
	  "printf 'own: nop\\ninside: nop\\n.size own,2\\n.size inside,0\\nrest: nop\\n.data\\n"
	  "datum: .byte 1\\n.size datum,1\\n' > s.s; gcc -c s.s -o $OUT",
	  "x86_64 rel symbols\n", { "symbol 0+2 |own" },
	  { "symbol| inside", "symbol| rest", "symbol| datum" } },
	{ "more sections than the header can count", PROGRAM
	  "seq 1 65600 | sed 's/.*/.section .text.f&,\"ax\",@progbits\\nnop/' > s.s;"
	  "printf '.section .text.last,\"ax\",@progbits\\n.globl last\\n.type last,@function\\n"
	  "nop\\nlast: nop\\n.size last,1\\n' >> s.s; clang-19 -c s.s -o $OUT",
	  "x86_64 rel symbols\n", { "symbol 1+1 |last" }, { NULL } },
	{ "debuglink", GCC "p.c m.c -o $DIR/a; objcopy --only-keep-debug a b.debug;"
	  "objcopy -S --add-gnu-debuglink=b.debug a $OUT", "x86_64 lib symbols unwind",
	  { "want debuglink |b.debug ", "file b.debug|" }, { "function|" } },
	{ "packed debuglink", GCC "p.c m.c -o $DIR/a; objcopy --only-keep-debug a b.debug;"
	  "objcopy -S --add-gnu-debuglink=b.debug a $DIR/c;"
	  "llvm-objcopy-19 --compress-sections .gnu_debuglink=zlib c $OUT || cp c $OUT",
	  "x86_64 lib symbols unwind", { "want debuglink |b.debug " }, { NULL } },
};
#define CASES (int)(sizeof(cases) / sizeof(cases[0]))

static bool has_line(const char *text, const char *pattern)
{
	char start[128];
	const char *bar = strchr(pattern, '|');

	ck_assert_ptr_nonnull(bar);
	snprintf(start, sizeof(start), "%.*s", (int)(bar - pattern), pattern);
	return look_has(text, start, bar + 1);
}

START_TEST(reads)
{
	const char *path = support_fixture(support_printf("elf-%d", _i), cases[_i].recipe);
	const char *text = look_path(path);
	const char *head = support_printf("object elf %s", cases[_i].head);

	if (strncmp(text, head, strlen(head)) != 0)
		ck_abort_msg("%s: %.*s", cases[_i].what, (int)strcspn(text, "\n"), text);
	for (size_t i = 0; i < 8 && cases[_i].has[i]; i++)
		ck_assert_msg(has_line(text, cases[_i].has[i]), "%s: no line \"%s\" in\n%.3000s",
			      cases[_i].what, cases[_i].has[i], text);
	for (size_t i = 0; i < 4 && cases[_i].lacks[i]; i++)
		ck_assert_msg(!has_line(text, cases[_i].lacks[i]), "%s: a line \"%s\" in\n%.3000s",
			      cases[_i].what, cases[_i].lacks[i], text);
	ck_assert_msg(!look_has(text, "unit error", ""), "%s: %.3000s", cases[_i].what, text);
}
END_TEST

/* --- Companions ---------------------------------------------------------------------- */

/* Recipes run in folders of their own, whose name must not get into the build id. */
#define SPLIT_OFF PROGRAM "gcc -g -O1 -gdwarf-5 -ffile-prefix-map=$DIR=. -Wl,--build-id=0x0123456789abcdef " \
	"p.c m.c -o a; objcopy --only-keep-debug a b.debug;"

#define UNSORTED(segments) PROGRAM \
	"echo 'ENTRY(work) PHDRS { data PT_LOAD; " segments " } SECTIONS { . = 0x600000;" \
	" .data : { *(.data*) *(.bss*) LONG(1) } :data . = 0x400000; .text : { *(.text*) } :text" \
	" /DISCARD/ : { *(.eh_frame*) *(.comment) *(.note*) } }' > p.ld;" \
	"gcc -g -O1 -static -nostdlib -Wl,-T,p.ld p.c m.c -o $OUT"

START_TEST(load_address_lies_below_all_code)
{
	const char *text = look_path(support_fixture("elf-unsorted",
						     UNSORTED("text PT_LOAD FLAGS(5);")));

	ck_assert_msg(look_has(text, "load 400000", ""), "%s", text);
	ck_assert_msg(look_has(text, "function", " work"), "%s", text);
	ck_assert_msg(look_has(text, "line", "p.c:8"), "%s", text);
	text = look_path(support_fixture("elf-unsorted-data", UNSORTED("text PT_LOAD FLAGS(4);")));
	ck_assert_msg(look_has(text, "load 600000", ""), "%s", text);
}
END_TEST

#define SECTION(name, label, code) \
	".section " name ",\"ax\"\\n.globl " label "\\n.type " label ",@function\\n" \
	label ": " code "\\n.size " label ",.-" label "\\n"

/* Three functions at 0.  .text has its bytes; what is longer shows behind it; the rest nowhere. */
START_TEST(code_of_one_section_is_not_mixed_with_anothers)
{
	const char *text = look_path(support_fixture("elf-module-assembler",
		PROGRAM "printf '" SECTION(".init.text", "longer", "nop\\nnop\\nnop\\nret")
		SECTION(".exit.text", "below", "nop\\nnop\\nret")
		SECTION(".text", "small", "nop\\nret") "' > s.s; as -gdwarf-5 s.s -o $OUT"));

	ck_assert_msg(look_has(text, "symbol 0+2 small", ""), "%s", text);
	ck_assert_msg(look_has(text, "symbol 2+2 longer", ""), "%s", text);
	ck_assert_msg(look_has(text, "function 0+2 small", ""), "%s", text);
	ck_assert_msg(look_has(text, "function 2+2 longer", ""), "%s", text);
	ck_assert_msg(look_has(text, "line 0 ", "s.s:19") && look_has(text, "line 1 ", "s.s:20"),
		      "%s", text);
	ck_assert_msg(look_has(text, "line 2 ", "s.s:6") && look_has(text, "line 3 ", "s.s:7"),
		      "%s", text);
	ck_assert_msg(look_count(text, "symbol ") == 2 && look_count(text, "function ") == 2,
		      "%s", text);
}
END_TEST

/* With an inlined call behind the first bytes, and one that begins before them. */
#define MODULE PROGRAM \
	"cat > i.c <<'EOF'\n" \
	"int sink; static inline __attribute__((always_inline)) int add(int a, int b) {\n" \
	"int r = a * b; sink = r; return r + sink; }\n" \
	"int small(void) { return 1; }\n" \
	"__attribute__((section(\".init.text\"))) int longer(int a) { return add(a, add(a, 3)); }\n" \
	"EOF\n"

START_TEST(inlined_calls_are_cut_where_their_section_shows)
{
	const char *text = look_path(support_fixture("elf-module-inlines",
		MODULE "clang-19 --target=x86_64-linux-gnu -g -O1 -fomit-frame-pointer -c i.c -o $OUT"));

	ck_assert_msg(look_has(text, "function 0+6 small", ""), "%s", text);
	ck_assert_msg(look_has(text, "function 6+", " longer"), "%s", text);
	ck_assert_msg(look_has(text, "inline", "add called i.c:4 6+"), "%s", text);
	ck_assert_msg(look_has(text, "line 6 ", "i.c:2"), "%s", text);
	ck_assert_uint_eq(look_count(text, "unit error"), 0);
}
END_TEST

START_TEST(takes_all_from_a_debuglink_target)
{
	const char *bare = support_fixture("link-bare",
		SPLIT_OFF "objcopy -S --add-gnu-debuglink=b.debug a $OUT");
	const char *debug = support_fixture("link-debug", SPLIT_OFF "cp b.debug $OUT");
	const char *text = look_with(bare, OBJECT_ROLE_DEBUGLINK, debug);

	ck_assert(look_has(text, "object", " debug"));
	ck_assert(look_has(text, "function", " work"));
	ck_assert(look_has(text, "symbol", " helper"));
	ck_assert(look_has(text, "inline", "add called"));
}
END_TEST

static void refuses_companion(const char *path, enum object_role role, const char *companion,
			      enum err_kind kind, const char *words)
{
	struct look_companion one = { role, companion };
	struct file_map map = support_map(path);
	struct err err = ERR_INIT;

	ck_assert_int_eq(look_bytes(map.bytes, map.size, &one, 1, NULL, &err), -1);
	ck_assert_str_eq(err.text, words);
	ck_assert_int_eq(err.kind, kind);
	file_unmap(&map);
}

START_TEST(refuses_wrong_companions)
{
	const char *bare = support_fixture("link-bare",
		SPLIT_OFF "objcopy -S --add-gnu-debuglink=b.debug a $OUT");
	const char *other = support_fixture("link-other", PROGRAM "gcc -g -Wl,--build-id p.c m.c -o $OUT");
	const char *no_id = support_fixture("link-no-id", PROGRAM "gcc -g -Wl,--build-id=none p.c m.c -o $OUT");
	const char *text = support_fixture("link-text", "echo this is no ELF file at all > $OUT");

	refuses_companion(bare, OBJECT_ROLE_DEBUGLINK, other, ERR_MALFORMED,
			  "reading its debuglink file: its build id is another one");
	refuses_companion(bare, OBJECT_ROLE_DEBUGLINK, no_id, ERR_MALFORMED,
			  "reading its debuglink file: its checksum is another one");
	refuses_companion(bare, OBJECT_ROLE_DEBUGLINK, text, ERR_MALFORMED,
			  "reading its debuglink file: not an ELF file");
}
END_TEST

#define DWZ GCC "p.c m.c -o x1; cp x1 x2; dwz -m common x1 x2;"

START_TEST(wants_and_takes_a_dwz_file)
{
	const char *main_file = support_fixture("dwz-main", DWZ "cp x1 $OUT");
	const char *common = support_fixture("dwz-common", DWZ "cp common $OUT");
	const char *other = support_fixture("link-other", PROGRAM "gcc -g -Wl,--build-id p.c m.c -o $OUT");
	const char *text = look_with(main_file, OBJECT_ROLE_DWZ, common);

	ck_assert(look_has(text, "want dwz ", " common "));
	ck_assert(look_has(text, "function", " work"));
	ck_assert(look_has(text, "inline", "add called"));
	ck_assert(!look_has(text, "unit error", ""));
	refuses_companion(main_file, OBJECT_ROLE_DWZ, other, ERR_MALFORMED,
			  "reading its dwz file: its build id is another one");
}
END_TEST

/* The ids of split units are hashes of what they say: the folder's name must not be in it.
 * (llvm-dwp-19 never ends on gcc's version 5.) */
#define SPLIT "-ffile-prefix-map=$DIR=. -gsplit-dwarf -O1 p.c m.c -o a;"

START_TEST(wants_and_takes_a_package)
{
	static const char *const recipes[] = {
		PROGRAM "gcc -g -gdwarf-4 -Wl,--build-id " SPLIT "dwp -e a -o a.dwp;",
		PROGRAM "clang-19 -g -gdwarf-5 -Wl,--build-id " SPLIT "llvm-dwp-19 -e a -o a.dwp;",
		PROGRAM "clang-19 -g -gdwarf-5 -Wl,--build-id " SPLIT "llvm-dwp-19 -e a -o a.dwp;"
		"objcopy --compress-debug-sections a;",
	};
	const char *main_file = support_fixture(support_printf("dwp-main-%d", _i),
						support_printf("%s cp a $OUT", recipes[_i]));
	const char *package = support_fixture(support_printf("dwp-package-%d", _i),
					      support_printf("%s cp a.dwp $OUT", recipes[_i]));
	const char *text = look_with(main_file, OBJECT_ROLE_DWP, package);

	ck_assert_msg(look_has(text, "want dwp ", ""), "%s", text);
	ck_assert_msg(look_has(text, "function", " work"), "%s", text);
	ck_assert_msg(look_has(text, "inline", "add called"), "%s", text);
	text = look_path(main_file);
	ck_assert_msg(look_has(text, "want dwp ", ""), "%s", text);
}
END_TEST

START_TEST(wants_and_takes_single_split_units)
{
	static const char *const recipes[] = {
		PROGRAM "gcc -g -gdwarf-4 " SPLIT, PROGRAM "gcc -g -gdwarf-5 " SPLIT,
		PROGRAM "clang-19 -g -gdwarf-4 " SPLIT,
		PROGRAM "clang-19 -g -gdwarf-5 -gz=zlib " SPLIT,
	};
	const char *main_file = support_fixture(support_printf("dwo-main-%d", _i),
						support_printf("%s cp a $OUT", recipes[_i]));
	const struct look_companion units[] = {
		{ OBJECT_ROLE_DWO, support_fixture(support_printf("dwo-m-%d", _i),
						   support_printf("%s cp *m.dwo $OUT", recipes[_i])) },
		{ OBJECT_ROLE_DWO, support_fixture(support_printf("dwo-p-%d", _i),
						   support_printf("%s cp *p.dwo $OUT", recipes[_i])) },
	};
	struct file_map map = support_map(main_file);
	struct look_input input = { .bytes = map.bytes, .size = map.size, .companions = units,
				    .count = 2 };
	const char *text = look_path(main_file);

	ck_assert_msg(look_has(text, "want dwo ", "p.dwo"), "%s", text);
	ck_assert_msg(look_has(text, "want dwo ", "m.dwo"), "%s", text);
	ck_assert(!look_has(text, "inline", "add called"));
	for (size_t missing = 0; missing < 3; missing++) {
		struct err err = ERR_INIT;
		struct buf out;

		buf_init(&out, LOOK_TEXT_BYTES);
		ck_assert_int_eq(look_bytes(map.bytes, map.size, units + (missing == 1),
					    missing < 2 ? 1 : 2, &out, &err), 0);
		text = look_keep(&out);
		ck_assert_int_eq(look_has(text, "inline", "add called"), missing > 0);
		ck_assert_msg(look_has(text, "function", " work"), "%s", text);
	}
	if (_i == 0)
		support_every_allocation_failure(look_work, &input, 2000);
	file_unmap(&map);
}
END_TEST

START_TEST(wants_nothing_without_reason)
{
	const char *path = support_fixture("clang-whole",
		PROGRAM "clang-19 -g -gdwarf-5 -O1 p.c m.c -o $OUT");
	const char *text = look_path(path);

	/* clang uses .debug_addr without splitting. */
	ck_assert_msg(!look_has(text, "want", ""), "%.500s", text);
	ck_assert(look_has(text, "function", " work"));
}
END_TEST

/* --- Identity ------------------------------------------------------------------------ */

START_TEST(identity_is_the_build_id)
{
	const char *path = support_fixture("elf-id", PROGRAM
		"gcc -g -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 p.c m.c -o $OUT");
	const char *text = look_path(path);
	const char *short_id = look_path(support_fixture("elf-id-short", PROGRAM
		"gcc -g -Wl,--build-id=0xabcdef12 p.c m.c -o $OUT"));
	const char *big = look_path(support_fixture("elf-id-big", CLANG_LINKED "s390x-linux-gnu -fPIC;"
		"ld.lld-19 -shared --build-id=0x0102030405060708090a0b0c0d0e0f10 p.o m.o -o $OUT"));

	ck_assert(look_has(text, "id 04030201-0605-0807-090a-0b0c0d0e0f10", ""));
	ck_assert(look_has(text, "code 0102030405060708090a0b0c0d0e0f1011121314", ""));
	ck_assert(look_has(short_id, "id 12efcdab-0000-0000-0000-000000000000", ""));
	ck_assert(look_has(short_id, "code abcdef12", ""));
	ck_assert(look_has(big, "id 01020304-0506-0708-090a-0b0c0d0e0f10", ""));
}
END_TEST

/* The recorded identities and features of the reference's own files. */
START_TEST(agrees_with_the_reference)
{
	static const struct { const char *file, *head, *id, *code; } known[] = {
		{ "fixtures/linux/crash", "object elf x86_64 exe symbols unwind",
		  "id c0bcc3f1-9827-fe65-3058-404b2831d9e6",
		  "code f1c3bcc0279865fe3058404b2831d9e64135386c" },
		{ "fixtures/linux/crash.debug", "object elf x86_64 dbg symbols debug",
		  "id c0bcc3f1-9827-fe65-3058-404b2831d9e6",
		  "code f1c3bcc0279865fe3058404b2831d9e64135386c" },
		{ "fixtures/linux/crash.debug-zlib", "object elf x86_64 dbg symbols debug",
		  "id c0bcc3f1-9827-fe65-3058-404b2831d9e6", "code f1c3" },
		{ "fixtures/linux/crash.debug-zstd", "object elf x86_64 dbg symbols debug",
		  "id c0bcc3f1-9827-fe65-3058-404b2831d9e6", "code f1c3" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *path = support_shared(known[i].file), *text;

		if (!path)
			return;
		text = look_path(path);
		ck_assert_msg(look_has(text, known[i].head, ""), "%.200s", text);
		ck_assert_msg(look_has(text, known[i].id, ""), "%.200s", text);
		ck_assert_msg(look_has(text, known[i].code, ""), "%.200s", text);
	}
}
END_TEST

/* --- Bad files ----------------------------------------------------------------------- */

#define IDENT(class, data) "\177ELF" class data "\1\0\0\0\0\0\0\0\0\0"

static const struct {
	const char *what;
	const char *bytes;
	size_t size;
	enum err_kind kind;
	const char *text;
} bad[] = {
	{ "cut after the ident", IDENT("\2", "\1"), 16, ERR_MALFORMED,
	  "reading elf: invalid ELF file: ELF header ends early, at byte 16 of 16" },
	{ "unknown class", IDENT("\3", "\1"), 16, ERR_MALFORMED,
	  "reading elf: invalid ELF file: unknown class 3" },
	{ "unknown byte order", IDENT("\1", "\7"), 16, ERR_MALFORMED,
	  "reading elf: invalid ELF file: unknown byte order 7" },
	{ "shorter than any format", "\177ELF\2\1\1", 7, ERR_UNSUPPORTED, "no known object format" },
	{ "another magic", "\177ELG............", 16, ERR_UNSUPPORTED, "no known object format" },
};

START_TEST(refuses_with_words)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(look_bytes(bad[_i].bytes, bad[_i].size, NULL, 0, NULL, &err), -1);
	ck_assert_msg(strcmp(err.text, bad[_i].text) == 0, "%s: %s", bad[_i].what, err.text);
	ck_assert_int_eq(err.kind, bad[_i].kind);
}
END_TEST

/* Rewrites the declared size of a packed .debug_info, or its type. */
#define LIE(words) GCC "-gz=zlib p.c m.c -o $DIR/a; python3 - $DIR/a $OUT <<'EOF'\n" \
	"import struct,sys,subprocess\n" \
	"d=bytearray(open(sys.argv[1],'rb').read())\n" \
	"o=[l.split() for l in subprocess.run(['readelf','-SW',sys.argv[1]],capture_output=True," \
	"text=True).stdout.replace('[ ','[').splitlines() if '.debug_info' in l][0]\n" \
	"at=int(o[4],16)\n" words "\nopen(sys.argv[2],'wb').write(d)\nEOF\n"

static const struct {
	const char *what;
	const char *recipe;
	const char *text;
} lies[] = {
	{ "one byte more", LIE("struct.pack_into('<Q',d,at+8,struct.unpack_from('<Q',d,at+8)[0]+1)"),
	  "reading elf: unpacking .debug_info: holds " },
	{ "one byte less", LIE("struct.pack_into('<Q',d,at+8,struct.unpack_from('<Q',d,at+8)[0]-1)"),
	  "reading elf: unpacking .debug_info: holds more than " },
	{ "three gigabytes", LIE("struct.pack_into('<Q',d,at+8,3<<30)"),
	  "reading elf: .debug_info: " },
	{ "unknown compression", LIE("struct.pack_into('<I',d,at,9)"),
	  "reading elf: .debug_info: unknown compression 9" },
	{ "damaged data", LIE("d[at+40:at+80]=bytes(40)"),
	  "reading elf: unpacking .debug_info: " },
};

START_TEST(lying_sections_are_named)
{
	struct file_map map = support_map(support_fixture(support_printf("elf-lie-%d", _i),
							  lies[_i].recipe));
	struct err err = ERR_INIT;

	ck_assert_int_eq(look_bytes(map.bytes, map.size, NULL, 0, NULL, &err), -1);
	ck_assert_msg(strncmp(err.text, lies[_i].text, strlen(lies[_i].text)) == 0, "%s: %s",
		      lies[_i].what, err.text);
	ck_assert_int_eq(err.kind, _i == 3 ? ERR_UNSUPPORTED : ERR_MALFORMED);
	file_unmap(&map);
}
END_TEST

/* Over the ceiling a section is as good as absent: the symbols are still there. */
START_TEST(a_section_over_the_ceiling_is_absent)
{
	const char *path = support_fixture("elf-huge", LIE("struct.pack_into('<Q',d,at+8,5<<30)"));
	const char *text = look_path(path);

	ck_assert(look_has(text, "symbol", " work"));
	ck_assert(!look_has(text, "function", ""));
}
END_TEST

#define SMALL PROGRAM "gcc -g -O1 -nostdlib -shared -fPIC -Wl,--build-id p.c "

START_TEST(survives_every_byte_change)
{
	static const char *const recipes[] = {
		SMALL "-o $OUT", SMALL "-gz=zlib -o $OUT", CLANG "s390x-linux-gnu", CLANG "i386-linux-gnu",
		MODULE "gcc -g -O1 -c i.c -o $OUT",
		SMALL "-o a; llvm-objcopy-19 --strip-sections a $OUT",
		SMALL "-o a; cp a m; objcopy -S --keep-symbol=helper m; xz m; echo x > l.debug;"
		"objcopy -S --add-section .gnu_debugdata=m.xz --add-gnu-debuglink=l.debug a $OUT",
	};
	struct file_map map = support_read(support_fixture(support_printf("elf-small-%d", _i),
							   recipes[_i]));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	static const char *const recipes[] = {
		SMALL "-gz=zlib -o $OUT",
		MODULE "gcc -g -O1 -c i.c -o $OUT",
		SMALL "-o a; cp a m; objcopy -S --keep-symbol=helper m; xz m; echo x > l.debug;"
		"objcopy -S --add-section .gnu_debugdata=m.xz --add-gnu-debuglink=l.debug a $OUT",
	};
	struct file_map map = support_map(support_fixture(support_printf("elf-alloc-%d", _i),
							  recipes[_i]));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 2000);
	file_unmap(&map);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, reads, 0, CASES);
	tcase_add_test(tcase, load_address_lies_below_all_code);
	tcase_add_test(tcase, code_of_one_section_is_not_mixed_with_anothers);
	tcase_add_test(tcase, inlined_calls_are_cut_where_their_section_shows);
	tcase_add_test(tcase, takes_all_from_a_debuglink_target);
	tcase_add_test(tcase, refuses_wrong_companions);
	tcase_add_test(tcase, wants_and_takes_a_dwz_file);
	tcase_add_loop_test(tcase, wants_and_takes_a_package, 0, 3);
	tcase_add_loop_test(tcase, wants_and_takes_single_split_units, 0, 4);
	tcase_add_test(tcase, wants_nothing_without_reason);
	tcase_add_test(tcase, identity_is_the_build_id);
	tcase_add_test(tcase, agrees_with_the_reference);
	tcase_add_loop_test(tcase, refuses_with_words, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_loop_test(tcase, lying_sections_are_named, 0, (int)(sizeof(lies) / sizeof(lies[0])));
	tcase_add_test(tcase, a_section_over_the_ceiling_is_absent);
}

int main(void)
{
	Suite *suite = suite_create("elf");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	add_tests(reading);
	tcase_add_loop_test(torment, survives_every_byte_change, 0, 7);
	tcase_add_loop_test(torment, survives_every_allocation_failure, 0, 3);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}
