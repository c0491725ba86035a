/*
 * test_compiled.c -- what compilers and linkers make, held against llvm-symbolizer.
 *
 * For every address of the program's own code the whole chain must be the same: names, base
 * names of files, lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/text.h"
#include "object/dwarf/kit.h"
#include "object/object.h"
#include "support/support.h"

#define ARENA_BYTES  ((size_t)256 << 20)
#define ANSWER_BYTES ((size_t)64 << 20)
#define CHAIN_MAX    64u

static const char *const program =
	"cd $DIR; cat >a.cc <<'C'\n"
	"extern \"C\" int printf(const char *, ...);\n"
	"namespace n { template<class T> struct box { T v; int get(int k) const { int s = 0;"
	" for (int i = 0; i < k; i++) s += v * i; return s; } }; }\n"
	"static inline __attribute__((always_inline)) int twist(int a) { int r = a;\n"
	"  for (int i = 0; i < a % 7; i++) { r ^= r << 3; r += i; } return r; }\n"
	"int __attribute__((noinline)) work(int a) { struct L { int m(int b) { return twist(b) + 1; } } l;\n"
	"  n::box<int> b = { a }; n::box<long> c = { a };\n"
	"  auto f = [&](int q) { return twist(q) + b.get(q); };\n"
	"  return l.m(a) + f(a) + c.get(a); }\n"
	"void __attribute__((cold, noinline)) complain(int a) { printf(\"%d\", a); }\n"
	"int __attribute__((noinline)) hot(int *v, int k) { int s = 0; for (int i = 0; i < k; i++) {\n"
	"  if (__builtin_expect(v[i] < -5, 0)) { complain(v[i]); s -= twist(i); complain(s); }\n"
	"  s += twist(v[i]); } return s; }\n"
	"int unused(int a) { return twist(a) * 3; }\n"
	"int main(int c, char **) { int v[] = { c, 2, 3 }; return work(c) + hot(v, 3); }\n"
	"C\n"
	"cat >b.s <<'C'\n"
	"\t.text\n\t.globl asm_one\n\t.type asm_one,@function\n"
	"asm_one:\n\tmovl %edi,%eax\n\tret\n"
	"\t.globl asm_two\n\t.type asm_two,@function\nasm_two:\n\tnop\n\tret\n"
	"\t.section .note.GNU-stack,\"\",@progbits\n"
	"C\n";

static const char *const builds[] = {
	"g++ -gdwarf-2 -O2 a.cc -o $OUT",
	"g++ -gdwarf-3 -O1 a.cc -o $OUT",
	"g++ -gdwarf-4 -O3 a.cc -o $OUT",
	"g++ -gdwarf-5 -O0 a.cc -o $OUT",
	"g++ -gdwarf-5 -O2 a.cc -o $OUT",
	"g++ -gdwarf-5 -gdwarf64 -O2 a.cc -o $OUT",
	"g++ -g -O2 -fdebug-types-section a.cc -o $OUT",
	"g++ -g -O2 -ffunction-sections -Wl,--gc-sections a.cc -o $OUT",
	"g++ -g -O2 -flto a.cc -o $OUT",
	"g++ -g1 -O2 a.cc -o $OUT",
	"gcc -g -c b.s -o b.o; g++ -g -O2 a.cc b.o -o $OUT",
	"g++ -g -O2 a.cc -o $OUT; dwz $OUT || true",
	"clang++-19 -gdwarf-2 -O1 a.cc -o $OUT",
	"clang++-19 -gdwarf-4 -O0 a.cc -o $OUT",
	"clang++-19 -gdwarf-5 -O2 a.cc -o $OUT",
	"clang++-19 -gdwarf-5 -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections a.cc -o $OUT",
	"clang++-19 -gdwarf-4 -O2 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections a.cc -o $OUT",
	"clang++-19 -gline-tables-only -O2 a.cc -o $OUT",
	/* Most functions have no entry of their own, one is discarded. */
	"clang++-19 -gdwarf-4 -gline-tables-only -O0 -ffunction-sections -Wl,--gc-sections a.cc -o $OUT",
	"clang++-19 -gdwarf-4 -gline-tables-only -O0 -ffunction-sections -fuse-ld=lld -Wl,--gc-sections a.cc"
	" -o $OUT",
	"clang++-19 -gdwarf-4 -gline-tables-only -O0 -ffunction-sections -fuse-ld=gold -Wl,--gc-sections a.cc"
	" -o $OUT",
};

/* --- Our answer ----------------------------------------------------------------------- */

struct asked {
	uint64_t address;
	bool is_named;
	struct buf answer;       /* "name file:line\n" per frame, innermost first */
};

static bool holds(const struct object_inlinee *inlinee, uint64_t address)
{
	for (size_t i = 0; i < inlinee->range_count; i++)
		if (address - inlinee->ranges[i].address < inlinee->ranges[i].size)
			return true;
	return false;
}

static void say_frame(struct buf *answer, struct text name,
		      const struct object_file_name *files, uint32_t file, uint32_t line)
{
	struct text path = file == OBJECT_NO_FILE ? TEXT_NONE : text_basename(files[file].name);

	buf_add_text(answer, name.size ? name : TEXT("??"));
	buf_add_char(answer, ' ');
	buf_add_text(answer, path.size ? path : TEXT("??"));
	buf_printf(answer, ":%u\n", line);
}

static int answer_one(void *payload, const struct object_file_name *files, size_t count,
		      const struct object_function *function, struct err *err)
{
	struct asked *asked = payload;
	uint32_t chain[CHAIN_MAX], depth = 0, file = OBJECT_NO_FILE, line = 0;

	(void)err;
	(void)count;
	if (asked->address - function->range.address >= function->range.size)
		return 0;
	if (asked->is_named && !function->name.size)
		return 0;
	asked->is_named = function->name.size != 0;
	buf_clear(&asked->answer);
	for (size_t i = 0; i < function->line_count; i++)
		if (function->lines[i].address <= asked->address) {
			file = function->lines[i].file;
			line = function->lines[i].line;
		}
	for (uint32_t i = 0; i < function->inlinee_count && depth < CHAIN_MAX; i++)
		if (function->inlinees[i].parent == (depth ? chain[depth - 1] : OBJECT_NO_PARENT) &&
		    holds(&function->inlinees[i], asked->address))
			chain[depth++] = i;
	while (depth--) {
		const struct object_inlinee *inlinee = &function->inlinees[chain[depth]];

		say_frame(&asked->answer, inlinee->name, files, file, line);
		file = inlinee->call_file;
		line = inlinee->call_line;
	}
	say_frame(&asked->answer, function->name, files, file, line);
	return 0;
}

static void ask(const struct object *object, struct asked *asked, uint64_t address)
{
	struct object_sink sink = { asked, answer_one };
	struct err err = ERR_INIT;
	struct arena scratch;

	asked->address = address;
	asked->is_named = false;
	buf_clear(&asked->answer);
	arena_init(&scratch, ARENA_BYTES);
	for (size_t i = 0; i < object_unit_count(object); i++)
		ck_assert_msg(object_read_unit(object, i, &scratch, &sink, &err) == 0, "%s",
			      err.text);
	arena_release(&scratch);
}

/* --- llvm-symbolizer's ---------------------------------------------------------------- */

/* Addresses and chains as text: "0x1139\nname\nfile:line\n...\n\n". */
static const char *oracle(const char *name, const char *path, const char *made_by)
{
	char *recipe = support_printf(
		"llvm-objdump-19 -d --no-show-raw-insn --section=.text %s | "
		"sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' | "
		"llvm-symbolizer-19 --no-demangle --inlines --functions=linkage --basenames "
		"--output-style=LLVM --print-address --obj=%s | sed 's/:[0-9]*$//' >$OUT\n"
		"exit 0\n%s", path, path, made_by);      /* another program: another answer */
	char *oracle_name = support_printf("%s.chains", name);
	struct file_map map = support_read(support_fixture(oracle_name, recipe));
	char *text = malloc(map.size + 1);

	ck_assert_ptr_nonnull(text);
	memcpy(text, map.bytes, map.size);
	text[map.size] = '\0';
	free(recipe);
	free(oracle_name);
	return text;
}

/* The chain at *at as our answers are written; *at moves to the next address. */
static void next_chain(const char **at, uint64_t *address, struct buf *chain)
{
	const char *line = strchr(*at, '\n');

	*address = strtoull(*at, NULL, 16);
	buf_clear(chain);
	ck_assert_ptr_nonnull(line);
	for (line++; *line && *line != '\n';) {
		size_t name = strcspn(line, "\n");
		size_t place = strcspn(line + name + 1, "\n");

		buf_add(chain, line, name);
		buf_add_char(chain, ' ');
		buf_add(chain, line + name + 1, place);
		buf_add_char(chain, '\n');
		line += name + place + 2;
	}
	*at = *line ? line + 1 : line;
}

/* Start files without debug information: nothing, or only what the symbol table says. */
static bool is_unknown(const struct buf *chain)
{
	const char *text = buf_string(chain);

	return strstr(text, "??:0") || strstr(text, "crtstuff.c:0") || strstr(text, ".c:0");
}

static void compare(const struct object *object, const char *build, const char *chains)
{
	struct asked asked;
	struct buf want;
	unsigned known = 0;

	buf_init(&asked.answer, ANSWER_BYTES);
	buf_init(&want, ANSWER_BYTES);
	while (*chains) {
		uint64_t address;

		next_chain(&chains, &address, &want);
		if (is_unknown(&want))
			continue;
		known++;
		ask(object, &asked, address - object->load_address);
		ck_assert_msg(!strcmp(buf_string(&asked.answer), buf_string(&want)),
			      "%s\nat %#llx\nwant %sgot  %s", build, (unsigned long long)address,
			      buf_string(&want), buf_string(&asked.answer));
	}
	ck_assert_msg(known > 50, "%s: only %u addresses known", build, known);
	buf_release(&want);
	buf_release(&asked.answer);
}

static void open_program(struct object *object, struct arena *arena, const char *path)
{
	struct file_map map = support_map(path);
	struct err err = ERR_INIT;

	arena_init(arena, ARENA_BYTES);
	ck_assert_msg(object_open(object, map.bytes, map.size, arena, &err) == 0 &&
		      object_prepare(object, &err) == 0, "%s", err.text);
}

START_TEST(agrees_with_llvm_symbolizer)
{
	char *recipe = support_printf("%s%s", program, builds[_i]);
	char *name = support_printf("dwarf-compiled-%d", _i);
	const char *path = support_fixture(name, recipe);
	const char *chains = oracle(name, path, recipe);
	struct object object;
	struct arena arena;

	open_program(&object, &arena, path);
	compare(&object, builds[_i], chains);
	arena_release(&arena);
	free((void *)(uintptr_t)chains);
	free(recipe);
	free(name);
}
END_TEST

/* --- Hot and cold --------------------------------------------------------------------- */

struct pieces {
	uint64_t hot, cold;
};

static int note_piece(void *payload, const struct object_file_name *files, size_t count,
		      const struct object_function *function, struct err *err)
{
	struct pieces *pieces = payload;

	(void)files;
	(void)count;
	(void)err;
	if (text_is(function->name, "_Z3hotPii"))
		pieces->hot = function->range.address;
	else if (text_is(function->name, "_Z3hotPii.cold"))
		pieces->cold = function->range.address;
	return 0;
}

static struct pieces pieces_of(const char *name, const char *flags)
{
	char *recipe = support_printf("%sg++ -g -O2 -freorder-blocks-and-partition %s a.cc -o $OUT",
				      program, flags);
	struct pieces pieces = { 0, 0 };
	struct object_sink sink = { &pieces, note_piece };
	struct err err = ERR_INIT;
	struct object object;
	struct arena arena, scratch;

	open_program(&object, &arena, support_fixture(name, recipe));
	arena_init(&scratch, ARENA_BYTES);
	for (size_t i = 0; i < object_unit_count(&object); i++)
		ck_assert_int_eq(object_read_unit(&object, i, &scratch, &sink, &err), 0);
	arena_release(&scratch);
	arena_release(&arena);
	free(recipe);
	ck_assert_uint_ne(pieces.hot, 0);
	ck_assert_uint_ne(pieces.cold, 0);
	return pieces;
}

/* ld puts .text.unlikely first; lld leaves it where the section's name sorts. */
START_TEST(hot_part_keeps_its_name_whichever_lies_lower)
{
	struct pieces cold_first = pieces_of("dwarf-cold-first", "");
	struct pieces hot_first = pieces_of(
		"dwarf-hot-first", "-Wl,--section-ordering-file=/dev/null 2>/dev/null || "
		"g++ -g -O2 -freorder-blocks-and-partition -B/usr/lib/llvm-19/bin -fuse-ld=lld "
		"-Wl,-z,nokeep-text-section-prefix");

	ck_assert_uint_lt(cold_first.cold, cold_first.hot);
	ck_assert_uint_lt(hot_first.hot, hot_first.cold);
}
END_TEST

/* --- Code at address 0 ---------------------------------------------------------------- */

/* Firmware.  Linkers put what they discard at 0 too, where it lies over `first`. */
static const char *const firmware =
	"cd $DIR; cat >f.c <<'C'\n"
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int twist(int a) { int r = a;\n"
	"  for (int i = 0; i < a %% 7; i++) { r ^= r << 3; r += i; } return r; }\n"
	"int unused(int a) { sink = twist(a); return a + 1; }\n"
	"__attribute__((section(\".text.aaa\"))) void first(int a) { sink = twist(a);\n"
	"  sink = a; }\n"
	"int second(int a) { sink = a; return twist(a + 1); }\n"
	"int unused_larger(int a) { sink = a * 3; return twist(a + 1) + twist(a); }\n"
	"void _start(void) { first(3); sink = second(3); for (;;); }\n"
	"C\n"
	"echo 'ENTRY(_start) SECTIONS { . = BASE; .text : { KEEP(*(.text.aaa)) *(.text*) }"
	" .data : { *(.data*) *(.bss*) } /DISCARD/ : { *(.eh_frame*) *(.comment) *(.note*) } }' >f.ld\n"
	"sed -i s/BASE/%#x/ f.ld; flags='-O1 -ffreestanding -fno-stack-protector -fcf-protection=none"
	" -fno-pic -ffunction-sections -nostdlib -static -Wl,-T,f.ld -Wl,--gc-sections -Wl,-n'\n%s";

static const char *const firmware_builds[] = {
	"gcc -gdwarf-4 $flags f.c -o $OUT",
	"gcc -gdwarf-5 $flags f.c -o $OUT",
	"gcc -gdwarf-5 -g1 -fuse-ld=gold $flags f.c -o $OUT",
	"gcc -gdwarf-4 -B/usr/lib/llvm-19/bin -fuse-ld=lld $flags f.c -o $OUT",
	"clang-19 -gdwarf-4 $flags f.c -o $OUT",
	"clang-19 -gdwarf-5 -fuse-ld=lld $flags f.c -o $OUT",
	"clang-19 -gdwarf-4 -gline-tables-only -fuse-ld=gold $flags f.c -o $OUT",
	"clang-19 -gdwarf-5 -gline-tables-only $flags f.c -o $OUT",
};

static void open_firmware(struct object *object, struct arena *arena, int build, unsigned base)
{
	char *recipe = support_printf(firmware, base, firmware_builds[build]);
	char *name = support_printf("dwarf-firmware-%d-%x", build, base);

	open_program(object, arena, support_fixture(name, recipe));
	free(recipe);
	free(name);
}

/* The last byte of `_start`, which the script puts last. */
static uint64_t end_of_code(const struct object *object)
{
	struct asked asked;
	uint64_t address = 0;

	buf_init(&asked.answer, ANSWER_BYTES);
	for (uint64_t at = 0; at < 0x200; at++) {
		ask(object, &asked, at);
		if (asked.is_named)
			address = at + 1;
	}
	buf_release(&asked.answer);
	return address;
}

START_TEST(code_may_begin_at_zero)
{
	struct object object, higher;
	struct asked asked, elsewhere;
	struct arena arena, higher_arena;
	uint64_t end;

	open_firmware(&object, &arena, _i, 0);
	open_firmware(&higher, &higher_arena, _i, 0x10000);
	ck_assert_uint_eq(object.load_address, 0);
	buf_init(&asked.answer, ANSWER_BYTES);
	buf_init(&elsewhere.answer, ANSWER_BYTES);
	end = end_of_code(&higher);
	ck_assert_uint_gt(end, 0x40);
	for (uint64_t at = 0; at < end; at++) {
		ask(&object, &asked, at);
		ask(&higher, &elsewhere, at + 0x10000 - higher.load_address);
		ck_assert_int_eq(asked.is_named, elsewhere.is_named);
		ck_assert_msg(!asked.is_named || !strcmp(buf_string(&asked.answer),
							 buf_string(&elsewhere.answer)),
			      "%s\nat %#llx %selsewhere %s", firmware_builds[_i],
			      (unsigned long long)at, buf_string(&asked.answer),
			      buf_string(&elsewhere.answer));
		ck_assert_msg(at || strstr(buf_string(&asked.answer), "f.c:"), "%s", firmware_builds[_i]);
	}
	buf_release(&asked.answer);
	buf_release(&elsewhere.answer);
	arena_release(&higher_arena);
	arena_release(&arena);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf as compiled");
	TCase *tests = tcase_create("compiled");

	tcase_add_loop_test(tests, agrees_with_llvm_symbolizer, 0,
			    (int)(sizeof(builds) / sizeof(*builds)));
	tcase_add_test(tests, hot_part_keeps_its_name_whichever_lies_lower);
	tcase_add_loop_test(tests, code_may_begin_at_zero, 0,
			    (int)(sizeof(firmware_builds) / sizeof(*firmware_builds)));
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
