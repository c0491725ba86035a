/* test_macho -- thin and fat Mach-O files and dSYMs, and the choice of a slice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "object/look.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)64 << 20)

#define PROGRAM \
	"cat > $DIR/p.c <<'EOF'\n" \
	"static inline __attribute__((always_inline)) int add(volatile int *a, int b)\n" \
	"{\n" \
	"	*a = b;\n" \
	"	return *a * b;\n" \
	"}\n" \
	"__attribute__((noinline)) int helper(volatile int *a) { return add(a, 7); }\n" \
	"int main(void) { volatile int a = 1; return helper(&a); }\n" \
	"EOF\n" \
	"cat > $DIR/libSystem.tbd <<'EOF'\n" \
	"--- !tapi-tbd\n" \
	"tbd-version: 4\n" \
	"targets: [ x86_64-macos, arm64-macos ]\n" \
	"install-name: '/usr/lib/libSystem.B.dylib'\n" \
	"exports:\n" \
	"  - targets: [ x86_64-macos, arm64-macos ]\n" \
	"    symbols: [ dyld_stub_binder ]\n" \
	"...\n" \
	"EOF\n" \
	"cd $DIR\n"
#define COMPILE(arch) "clang-19 --target=" arch "-apple-macos12 -g -O1 -nostdinc -c p.c -o " arch ".o;"
#define LINK(arch) COMPILE(arch) "ld64.lld-19 -arch " arch " -platform_version macos 12.0 12.0 -o " \
	arch " " arch ".o libSystem.tbd;"
#define DSYM(arch) LINK(arch) "dsymutil-19 -o " arch ".dSYM " arch ";"
#define DWARF_OF(arch) arch ".dSYM/Contents/Resources/DWARF/" arch

/* No linker of Apple's writes __zdebug sections, Go's does: each is moved to the end, packed. */
#define PACK_SECTIONS \
	"cat > pack.py <<'EOF'\n" \
	"import struct, sys, zlib\n" \
	"data = bytearray(open(sys.argv[1], 'rb').read())\n" \
	"at = 32\n" \
	"for _ in range(struct.unpack_from('<I', data, 16)[0]):\n" \
	"    kind, size = struct.unpack_from('<II', data, at)\n" \
	"    count = struct.unpack_from('<I', data, at + 64)[0] if kind == 0x19 else 0\n" \
	"    for place in range(at + 72, at + 72 + 80 * count, 80):\n" \
	"        name = bytes(data[place:place + 16]).rstrip(b'\\0')\n" \
	"        if not name.startswith(b'__debug_'):\n" \
	"            continue\n" \
	"        length, offset = struct.unpack_from('<QI', data, place + 40)\n" \
	"        packed = b'ZLIB' + struct.pack('>Q', length) + zlib.compress(bytes(data[offset:offset + length]))\n" \
	"        struct.pack_into('<16s', data, place, (b'__z' + name[2:])[:16])\n" \
	"        struct.pack_into('<QI', data, place + 40, len(packed), len(data))\n" \
	"        data += packed\n" \
	"    at += size\n" \
	"open(sys.argv[2], 'wb').write(data)\n" \
	"EOF\n"

/* The same image for another place: segments, sections and symbols move. */
#define SHIFT_IMAGE \
	"cat > shift.py <<'EOF'\n" \
	"import struct, sys\n" \
	"data = bytearray(open(sys.argv[1], 'rb').read())\n" \
	"def move(place):\n" \
	"    old = struct.unpack_from('<Q', data, place)[0]\n" \
	"    struct.pack_into('<Q', data, place, old + 0x7fff20000000 - 0x100000000 if old else 0)\n" \
	"at = 32\n" \
	"for _ in range(struct.unpack_from('<I', data, 16)[0]):\n" \
	"    kind, size = struct.unpack_from('<II', data, at)\n" \
	"    if kind == 0x19:\n" \
	"        move(at + 24)\n" \
	"        for place in range(at + 72, at + size, 80):\n" \
	"            move(place + 32)\n" \
	"    if kind == 2:\n" \
	"        symbols, count = struct.unpack_from('<II', data, at + 8)\n" \
	"        for place in range(symbols, symbols + 16 * count, 16):\n" \
	"            move(place + 8)\n" \
	"    at += size\n" \
	"open(sys.argv[2], 'wb').write(data)\n" \
	"EOF\n"

/* A hole of 4 GiB before the DWARF: offsets of sections keep their lower 32 bits only, as
 * dsymutil leaves them in files of that size. */
#define GROW_FILE \
	"cat > grow.py <<'EOF'\n" \
	"import struct, sys\n" \
	"data = bytearray(open(sys.argv[1], 'rb').read())\n" \
	"at, hole = 32, 1 << 32\n" \
	"for _ in range(struct.unpack_from('<I', data, 16)[0]):\n" \
	"    kind, size = struct.unpack_from('<II', data, at)\n" \
	"    if kind == 0x19 and data[at + 8:at + 15] == b'__DWARF':\n" \
	"        start = struct.unpack_from('<Q', data, at + 40)[0]\n" \
	"        struct.pack_into('<Q', data, at + 40, start + hole + 0x1000)\n" \
	"        for place in range(at + 72, at + size, 80):\n" \
	"            offset = struct.unpack_from('<I', data, place + 48)[0]\n" \
	"            struct.pack_into('<I', data, place + 48, offset + 0x1000)\n" \
	"    at += size\n" \
	"with open(sys.argv[2], 'wb') as out:\n" \
	"    out.write(data[:start])\n" \
	"    out.seek(start + hole + 0x1000)\n" \
	"    out.write(data[start:])\n" \
	"EOF\n"

static const struct {
	const char *what;
	const char *recipe;
	const char *head;
	const char *has[6];
	const char *lacks[3];
} cases[] = {
	{ "x86-64 program", PROGRAM LINK("x86_64") "cp x86_64 $OUT", "x86_64 exe symbols unwind",
	  { "load 100000000|", "symbol| helper", "symbol| main" }, { "function|", "symbol| _main" } },
	{ "x86-64 dSYM", PROGRAM DSYM("x86_64") "cp " DWARF_OF("x86_64") " $OUT",
	  "x86_64 dbg symbols debug", { "function| helper", "line|p.c:7", "inline|add called" }, { NULL } },
	{ "arm64 dSYM", PROGRAM DSYM("arm64") "cp " DWARF_OF("arm64") " $OUT",
	  "arm64 dbg symbols debug", { "function| helper", "line|p.c:7" }, { NULL } },
	{ "relocatable", PROGRAM COMPILE("x86_64") "cp x86_64.o $OUT", "x86_64 rel symbols debug unwind",
	  { "function| main", "load 0|" }, { NULL } },
	{ "32 bit", PROGRAM COMPILE("i386") "cp i386.o $OUT", "x86 rel symbols debug unwind",
	  { "function| main", "line|p.c:7" }, { NULL } },
	{ "armv7", PROGRAM "clang-19 --target=armv7-apple-ios9 -g -O1 -nostdinc -c p.c -o $OUT",
	  "armv7 rel symbols debug", { "function| main" }, { NULL } },
	{ "thumb", PROGRAM "clang-19 --target=armv7-apple-ios9 -mthumb -g -O1 -nostdinc -c p.c -o $OUT",
	  "armv7 rel symbols debug", { "symbol 0|helper", "function 0|helper" }, { NULL } },
	{ "arm64e", PROGRAM "clang-19 --target=arm64e-apple-ios14 -g -O1 -nostdinc -c p.c -o $OUT",
	  "arm64e rel symbols debug", { "function| main" }, { NULL } },
	{ "far away, as in a shared cache", PROGRAM LINK("x86_64") SHIFT_IMAGE
	  "python3 shift.py x86_64 $OUT", "x86_64 exe symbols unwind",
	  { "load 7fff20000000|", "symbol 3| helper", "symbol 3| main" },
	  { "symbol 7fff|" } },
	{ "compressed sections", PROGRAM DSYM("x86_64") PACK_SECTIONS
	  "python3 pack.py " DWARF_OF("x86_64") " $OUT", "x86_64 dbg symbols debug",
	  { "function| helper", "line|p.c:7", "inline|add called" }, { "unit error|" } },
	{ "over 4 GiB", PROGRAM DSYM("x86_64") GROW_FILE "python3 grow.py " DWARF_OF("x86_64") " $OUT",
	  "x86_64 dbg symbols debug", { "function| helper", "line|p.c:7" }, { "unit error|" } },
	{ "arm64_32", PROGRAM "clang-19 --target=arm64_32-apple-watchos5 -g -O1 -nostdinc -c p.c -o $OUT",
	  "arm64_32_v8 rel symbols debug", { "function| main" }, { NULL } },
};

static bool has_line(const char *text, const char *pattern)
{
	char start[128];
	const char *bar = strchr(pattern, '|');

	snprintf(start, sizeof(start), "%.*s", (int)(bar - pattern), pattern);
	return look_has(text, start, bar + 1);
}

START_TEST(reads)
{
	const char *path = support_fixture(support_printf("macho-%d", _i), cases[_i].recipe);
	const char *text = look_path(path);
	const char *head = support_printf("object macho %s", cases[_i].head);

	ck_assert_msg(strncmp(text, head, strlen(head)) == 0, "%s: %.*s", cases[_i].what,
		      (int)strcspn(text, "\n"), text);
	for (size_t i = 0; i < 6 && cases[_i].has[i]; i++)
		ck_assert_msg(has_line(text, cases[_i].has[i]), "%s: no line \"%s\" in\n%.2000s",
			      cases[_i].what, cases[_i].has[i], text);
	for (size_t i = 0; i < 3 && cases[_i].lacks[i]; i++)
		ck_assert_msg(!has_line(text, cases[_i].lacks[i]), "%s: a line \"%s\" in\n%.2000s",
			      cases[_i].what, cases[_i].lacks[i], text);
	ck_assert_msg(!look_has(text, "unit error", ""), "%s: %.2000s", cases[_i].what, text);
}
END_TEST

/* --- Where a symbol without a size ends ------------------------------------------------- */

#define STRIPPED_PROGRAM PROGRAM \
	"cat > q.c <<'EOF'\n" \
	"__attribute__((noinline)) int shown(int a) { return a * 3; }\n" \
	"static __attribute__((noinline)) int unseen(volatile int *a) { return *a * 5 + 1; }\n" \
	"int last(int a) { volatile int b = a; return unseen(&b) + shown(a); }\n" \
	"EOF\n" \
	"clang-19 --target=arm64-apple-macos12 -O1 -nostdinc -c q.c -o q.o;" \
	"ld64.lld-19 -arch arm64 -platform_version macos 12.0 12.0 -dylib %s -o q q.o libSystem.tbd;" \
	"%s cp q $OUT"

static unsigned long size_of_symbol(const char *text, const char *name)
{
	const char *at = strstr(text, support_printf(" %s\n", name));
	unsigned long size = 0;

	ck_assert_msg(at != NULL, "no %s in %s", name, text);
	while (at > text && at[-1] != '+')
		at--;
	sscanf(at, "%lx", &size);
	return size;
}

/*
 * llvm-symbolizer gives everything up to the next symbol to the one before.  Where strip has
 * taken a local function's symbol that is a wrong name; the list of function starts stays in
 * stripped files, and we say nothing for the functions nobody knows.
 */
START_TEST(functions_without_a_symbol_are_not_their_neighbours)
{
	const char *whole = look_path(support_fixture("macho-whole",
		support_printf(STRIPPED_PROGRAM, "", "")));
	const char *bare = look_path(support_fixture("macho-bare",
		support_printf(STRIPPED_PROGRAM, "", "llvm-strip-19 -x q;")));
	const char *no_starts = look_path(support_fixture("macho-no-starts",
		support_printf(STRIPPED_PROGRAM, "-no_function_starts", "llvm-strip-19 -x q;")));

	ck_assert(look_has(whole, "symbol", " unseen") && !look_has(bare, "symbol", " unseen"));
	ck_assert_uint_eq(size_of_symbol(whole, "last"), 0);         /* the next symbol ends it */
	ck_assert_uint_eq(size_of_symbol(bare, "last"), 0x40);
	/* Without the list nothing but the section's end does. */
	ck_assert_uint_eq(size_of_symbol(no_starts, "last"),
			  size_of_symbol(bare, "last") + size_of_symbol(whole, "unseen"));
}
END_TEST

/* --- Fat files ----------------------------------------------------------------------- */

#define FAT_PARTS PROGRAM DSYM("x86_64") DSYM("arm64")

static const char *fat_path(const char *option)
{
	return support_fixture(support_printf("fat%s", option), support_printf(FAT_PARTS
		"llvm-lipo-19 -create %s " DWARF_OF("x86_64") " " DWARF_OF("arm64") " -output $OUT",
		option));
}

START_TEST(fat_files_open_by_slice)
{
	struct file_map map = support_map(fat_path(_i ? "-fat64" : ""));
	struct err err = ERR_INIT;
	struct text slice;

	ck_assert_uint_eq(object_slice_count(map.bytes, map.size), 2);
	ck_assert_int_eq(look_bytes(map.bytes, map.size, NULL, 0, NULL, &err), -1);
	ck_assert_int_eq(err.kind, ERR_UNSUPPORTED);
	ck_assert_str_eq(err.text, "reading macho: a fat file of 2 objects: choose one first");
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(object_slice(map.bytes, map.size, i, &slice, &err), 0);
		ck_assert_int_eq(look_bytes(slice.bytes, slice.size, NULL, 0, NULL, &err), 0);
	}
	ck_assert_int_eq(object_slice(map.bytes, map.size, 2, &slice, &err), -1);
	ck_assert_int_eq(err.kind, ERR_NOT_FOUND);
	file_unmap(&map);
}
END_TEST

static uint32_t chosen_arch(const struct file_map *map, const struct debugid *id,
			    struct text code_id, struct err *err)
{
	uint32_t arch = ARCH_UNKNOWN;
	struct object object;
	struct arena arena;
	struct text slice;

	arena_init(&arena, ARENA_BYTES);
	if (object_choose_slice(map->bytes, map->size, id, code_id, &arena, &slice, err) == 0 &&
	    object_open(&object, slice.bytes, slice.size, &arena, err) == 0) {
		arch = object.arch;
		object_release(&object);
	}
	arena_release(&arena);
	return arch;
}

static void ids_of_slice(const struct file_map *map, size_t index, struct debugid *id,
			 char code_id[DEBUGID_TEXT_BYTES])
{
	struct err err = ERR_INIT;
	struct object object;
	struct arena arena;
	struct text slice;

	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(object_slice(map->bytes, map->size, index, &slice, &err), 0);
	ck_assert_int_eq(object_open(&object, slice.bytes, slice.size, &arena, &err), 0);
	*id = object.debug_id;
	snprintf(code_id, DEBUGID_TEXT_BYTES, "%.*s", (int)object.code_id.size,
		 object.code_id.bytes);
	object_release(&object);
	arena_release(&arena);
}

START_TEST(slices_are_chosen_by_id)
{
	struct file_map map = support_map(fat_path(""));
	char code[2][DEBUGID_TEXT_BYTES];
	struct debugid id[2], other;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < 2; i++)
		ids_of_slice(&map, i, &id[i], code[i]);
	other = id[0];
	ck_assert_uint_eq(chosen_arch(&map, &id[0], TEXT_NONE, &err), ARCH_X86_64);
	ck_assert_uint_eq(chosen_arch(&map, &id[1], TEXT_NONE, &err), ARCH_ARM64);
	ck_assert_uint_eq(chosen_arch(&map, NULL, text_of(code[1]), &err), ARCH_ARM64);
	/* The debug id decides where there is one. */
	ck_assert_uint_eq(chosen_arch(&map, &id[0], text_of(code[1]), &err), ARCH_X86_64);
	ck_assert_uint_eq(chosen_arch(&map, NULL, TEXT_NONE, &err), ARCH_X86_64);
	ck_assert_int_eq(err.kind, ERR_NONE);
	other.age = 1;               /* servers may have newer files, not older ones */
	ck_assert_uint_eq(chosen_arch(&map, &other, TEXT_NONE, &err), ARCH_UNKNOWN);
	ck_assert_int_eq(err.kind, ERR_NOT_FOUND);
	ck_assert_str_eq(err.text, "none of the 2 objects in the file has these ids");
	file_unmap(&map);
}
END_TEST

/* A file that is one object is taken whatever its ids; a broken slice is passed over. */
START_TEST(single_objects_and_broken_slices)
{
	struct file_map thin = support_map(support_fixture("macho-1", cases[1].recipe));
	struct file_map fat = support_read(fat_path(""));
	uint8_t *bytes = (uint8_t *)(uintptr_t)fat.bytes;
	struct debugid id[2];
	char code[DEBUGID_TEXT_BYTES];
	struct err err = ERR_INIT;
	struct text slice;

	ids_of_slice(&fat, 0, &id[0], code);
	ids_of_slice(&fat, 1, &id[1], code);
	ck_assert_uint_eq(chosen_arch(&thin, &id[1], TEXT_NONE, &err), ARCH_X86_64);
	ck_assert_int_eq(object_slice(fat.bytes, fat.size, 0, &slice, &err), 0);
	bytes[(const uint8_t *)slice.bytes - bytes] ^= 0xff;
	ck_assert_uint_eq(chosen_arch(&fat, &id[1], TEXT_NONE, &err), ARCH_ARM64);
	ck_assert_uint_eq(chosen_arch(&fat, &id[0], TEXT_NONE, &err), ARCH_UNKNOWN);
	ck_assert_str_eq(err.text, "no known object format");
}
END_TEST

/* Java class files share the magic of fat files; their version stands where the count does. */
START_TEST(java_classes_are_no_fat_files)
{
	static const uint8_t java[16] = { 0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52 };
	static const uint8_t lying[16] = { 0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1, 0, 0, 0, 7 };
	struct err err = ERR_INIT;
	struct text slice;

	ck_assert_ptr_null(object_recognise(java, sizeof(java)));
	ck_assert_ptr_nonnull(object_recognise(lying, sizeof(lying)));
	ck_assert_int_eq(object_slice(lying, sizeof(lying), 0, &slice, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
}
END_TEST

/* --- Hidden names --------------------------------------------------------------------- */

#define HIDDEN_PROGRAM PROGRAM \
	"mkdir '__hidden#3_'; cd '__hidden#3_'; cat > '__hidden#2_' <<'EOF'\n" \
	"int taken(int) __asm__(\"__hidden#0_\");\n" \
	"int beyond(int) __asm__(\"__hidden#77_\");\n" \
	"int odd(int) __asm__(\"__hidden#x1_\");\n" \
	"static inline __attribute__((always_inline)) int in(int a) __asm__(\"__hidden#1_\");\n" \
	"static inline int in(int a)\n" \
	"{\n" \
	"	return a * 3;\n" \
	"}\n" \
	"__attribute__((noinline)) int taken(int a) { return in(a) + 1; }\n" \
	"__attribute__((noinline)) int beyond(int a) { return a * 5; }\n" \
	"__attribute__((noinline)) int odd(int a) { return a * 7; }\n" \
	"EOF\n" \
	"clang-19 --target=arm64-apple-macos12 -gdwarf-5 -O1 -nostdinc -fdebug-compilation-dir='__hidden#3_'" \
	" -x c -c '__hidden#2_' -o p.o; cp p.o $OUT"

static const char *hidden_map(const char *name, const char *text)
{
	return support_fixture(name, support_printf("printf '%s' > $OUT", text));
}

START_TEST(restores_hidden_names)
{
	const char *object = support_fixture("macho-hidden", HIDDEN_PROGRAM);
	const char *hidden = look_path(object), *clear;

	ck_assert_msg(look_has(hidden, "want bcsymbolmap", "") == false, "no id, no want: %s", hidden);
	ck_assert_msg(look_has(hidden, "function", " __hidden#0_"), "%.2000s", hidden);
	clear = look_with(object, OBJECT_ROLE_BCSYMBOLMAP, hidden_map(
		_i ? "hidden-dos.map" : "hidden.map",
		_i ? "BCSymbolMap Version: 2.0\\r\\n-[A b:]\\r\\nmy_inline\\r\\nfile.c\\r\\n/my/dir"
		   : "BCSymbolMap Version: 2.0\\n-[A b:]\\nmy_inline\\nfile.c\\n/my/dir\\n"));
	ck_assert_msg(look_has(clear, "function", " -[A b:]"), "%.2000s", clear);
	ck_assert_msg(look_has(clear, "symbol", " -[A b:]"), "%.2000s", clear);
	ck_assert_msg(look_has(clear, "inline", "my_inline called"), "%.2000s", clear);
	ck_assert_msg(look_has(clear, "line", "/my/dir/file.c:9"), "%.2000s", clear);
	/* Beyond the map's end, or no number: the name stays. */
	ck_assert_msg(look_has(clear, "function", " __hidden#77_"), "%.2000s", clear);
	ck_assert_msg(look_has(clear, "symbol", " __hidden#x1_"), "%.2000s", clear);
}
END_TEST

/* clang leaves the folder out of the file's entry (DWARF 4), which means the compilation's. */
START_TEST(a_hidden_folder_is_said_twice)
{
	const char *text = look_path(support_fixture("macho-hidden-dsym", PROGRAM
		"cat > '__hidden#2_' <<'EOF'\n"
		"int main(void) __asm__(\"__hidden#0_\");\n"
		"int main(void) { return 0; }\n"
		"EOF\n"
		"clang-19 --target=arm64-apple-macos12 -gdwarf-4 -O1 -nostdinc"
		" -fdebug-compilation-dir='__hidden#3_' -x c -c '__hidden#2_' -o p.o;"
		"ld64.lld-19 -arch arm64 -platform_version macos 12.0 12.0 -dylib -o p p.o libSystem.tbd;"
		"dsymutil-19 p; cp p.dSYM/Contents/Resources/DWARF/p $OUT"));

	ck_assert_msg(look_has(text, "want bcsymbolmap", ""), "%.2000s", text);
	ck_assert_msg(look_has(text, "line", "__hidden#3_/__hidden#2_:2"), "%.2000s", text);
}
END_TEST

static const struct { const char *what, *map, *text; } bad_maps[] = {
	{ "empty", "", "a BCSymbolMap begins with \"BCSymbolMap Version: 2.0\"" },
	{ "another version", "BCSymbolMap Version: 1.0\\na\\n",
	  "a BCSymbolMap begins with \"BCSymbolMap Version: 2.0\"" },
	{ "not UTF-8", "BCSymbolMap Version: 2.0\\n\\377\\n", "the BCSymbolMap is not UTF-8" },
};

START_TEST(refuses_bad_maps)
{
	const char *object = support_fixture("macho-hidden", HIDDEN_PROGRAM);
	struct file_map map = support_map(object);
	struct look_companion companion = { OBJECT_ROLE_BCSYMBOLMAP,
		hidden_map(support_printf("bad-%d.map", _i), bad_maps[_i].map) };
	struct err err = ERR_INIT;

	ck_assert_msg(look_bytes(map.bytes, map.size, &companion, 1, NULL, &err) < 0, "%s",
		      bad_maps[_i].what);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strstr(err.text, bad_maps[_i].text) != NULL, "%s: %s", bad_maps[_i].what,
		      err.text);
	file_unmap(&map);
}
END_TEST

START_TEST(hidden_names_as_apple_leaves_them)
{
	const char *object = support_shared("conformance/fixtures/symbols/"
					    "2d10c42f-591d-3265-b147-78ba0868073f.dwarf-hidden");
	const char *map = support_shared("conformance/fixtures/symbols/"
					 "c8374b6d-6e96-34d8-ae38-efaa5fec424f.bcsymbolmap");
	const char *text;

	if (!object || !map)
		return;
	text = look_path(object);
	ck_assert(look_has(text, "want bcsymbolmap 2d10c42f591d3265b14778ba0868073f", ""));
	text = look_with(object, OBJECT_ROLE_BCSYMBOLMAP, map);
	ck_assert(look_has(text, "function", " -[SentryMessage initWithFormatted:]"));
	ck_assert_ptr_null(strstr(text, "__hidden#"));
}
END_TEST

START_TEST(survives_every_allocation_failure_with_a_map)
{
	struct file_map map = support_map(support_fixture("macho-hidden", HIDDEN_PROGRAM));
	struct look_companion companion = { OBJECT_ROLE_BCSYMBOLMAP, hidden_map("hidden.map",
		"BCSymbolMap Version: 2.0\\n-[A b:]\\nmy_inline\\nfile.c\\n/my/dir\\n") };
	struct look_input input = { map.bytes, map.size, &companion, 1 };

	support_every_allocation_failure(look_work, &input, 2000);
	file_unmap(&map);
}
END_TEST

START_TEST(agrees_with_the_reference)
{
	static const struct { const char *file, *head, *id; } known[] = {
		{ "fixtures/macos/crash", "object macho x86_64 exe symbols unwind",
		  "id 67e9247c-814e-392b-a027-dbde6748fcbf" },
		{ "fixtures/macos/crash.dSYM/Contents/Resources/DWARF/crash",
		  "object macho x86_64 dbg symbols debug", "id 67e9247c-814e-392b-a027-dbde6748fcbf" },
		{ "conformance/fixtures/symbols/502F/C0A5/1EC1/3E47/9998/684FA139DCA7",
		  "object macho x86_64 dbg symbols debug\n", "id 502fc0a5-1ec1-3e47-9998-684fa139dca7" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *path = support_shared(known[i].file), *text;

		if (!path)
			return;
		text = look_path(path);
		ck_assert_msg(strncmp(text, known[i].head, strlen(known[i].head)) == 0, "%.200s", text);
		ck_assert_msg(look_has(text, known[i].id, ""), "%.200s", text);
	}
}
END_TEST

START_TEST(survives_every_byte_change)
{
	static const int made_by[] = { 1, 3, 4 };
	struct file_map map = support_read(support_fixture(support_printf("macho-%d", made_by[_i]),
							   cases[made_by[_i]].recipe));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(support_fixture("macho-1", cases[1].recipe));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 2000);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("macho");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_loop_test(reading, reads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(reading, functions_without_a_symbol_are_not_their_neighbours);
	tcase_add_loop_test(reading, fat_files_open_by_slice, 0, 2);
	tcase_add_test(reading, slices_are_chosen_by_id);
	tcase_add_test(reading, single_objects_and_broken_slices);
	tcase_add_test(reading, java_classes_are_no_fat_files);
	tcase_add_loop_test(reading, restores_hidden_names, 0, 2);
	tcase_add_test(reading, a_hidden_folder_is_said_twice);
	tcase_add_loop_test(reading, refuses_bad_maps, 0, (int)(sizeof(bad_maps) / sizeof(bad_maps[0])));
	tcase_add_test(reading, hidden_names_as_apple_leaves_them);
	tcase_add_test(reading, agrees_with_the_reference);
	tcase_add_loop_test(torment, survives_every_byte_change, 0, 3);
	tcase_add_test(torment, survives_every_allocation_failure);
	tcase_add_test(torment, survives_every_allocation_failure_with_a_map);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}
