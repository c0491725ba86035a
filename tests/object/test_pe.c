/* test_pe -- PE images by recipe: ids, exports, DWARF inside, packers' stubs. */
#include <stdlib.h>
#include <string.h>

#include "object/look.h"
#include "support/support.h"

#define SOURCE \
	"cd $DIR\n" \
	"cat > p.c <<'EOF'\n" \
	"static inline __attribute__((always_inline)) int add(volatile int *a, int b)\n" \
	"{\n" \
	"	*a = b;\n" \
	"	return *a * b;\n" \
	"}\n" \
	"__attribute__((noinline)) int helper(volatile int *a) { return add(a, 7); }\n" \
	"int start(void) { volatile int a = 1; return helper(&a); }\n" \
	"EOF\n"
#define MSVC(target, machine) SOURCE \
	"clang-19 --target=" target "-pc-windows-msvc -g -gcodeview -O1 -nostdinc -c p.c -o p.obj\n" \
	"lld-link-19 /nologo /machine:" machine " /subsystem:console /nodefaultlib /debug:full" \
	" /entry:start /export:helper /pdb:app.pdb /pdbaltpath:app.pdb /out:$OUT /timestamp:1521713271 p.obj"
#define MINGW(target, kind) SOURCE \
	"clang-19 --target=" target "-w64-windows-gnu -g -gdwarf-4 -O1 -nostdinc -c p.c -o p.o\n" \
	"ld.lld-19 -m " kind " -e start --build-id -o p.exe p.o\n"
/* Debug directory entry 0, the first: where its field `at` stands. */
#define PATCH_DEBUG(code) \
	"\npython3 - $OUT <<'EOF'\n" \
	"import struct, sys\n" \
	"d = bytearray(open(sys.argv[1], 'rb').read())\n" \
	"pe, = struct.unpack_from('<I', d, 0x3c)\n" \
	"count, = struct.unpack_from('<H', d, pe + 6)\n" \
	"table = pe + 24 + struct.unpack_from('<H', d, pe + 20)[0]\n" \
	"rva, = struct.unpack_from('<I', d, pe + 24 + 112 + 48)\n" \
	"def place(rva):\n" \
	"    for i in range(count):\n" \
	"        size, at, stored, raw = struct.unpack_from('<4I', d, table + 40 * i + 8)\n" \
	"        if at <= rva < at + size:\n" \
	"            return rva - at + raw\n" \
	"entry = place(rva)\n" \
	"record, = struct.unpack_from('<I', d, entry + 24)\n" \
	code \
	"open(sys.argv[1], 'wb').write(d)\n" \
	"EOF\n"

struct expected {
	const char *start, *rest;
};

static const struct {
	const char *what, *recipe;
	struct expected lines[8];
} cases[] = {
	{ "x86_64", MSVC("x86_64", "x64"), {
		{ "object pe x86_64 exe symbols unwind", "" }, { "code 5ab38077", "000" },
		{ "file app.pdb", "" }, { "load 140000000", "" }, { "symbol 1000+0 helper", "" },
		{ "id ", "-1" } } },
	{ "x86", MSVC("i686", "x86"), {
		{ "object pe x86 exe symbols", "" }, { "load 400000", "" },
		{ "symbol 1000+0 ", "helper" } } },
	{ "arm64 library", MSVC("aarch64", "arm64") " /dll /noentry", {
		{ "object pe arm64 lib symbols unwind", "" }, { "symbol 1000+0 helper", "" } } },
	{ "arm", MSVC("thumbv7", "arm"), { { "object pe arm exe symbols unwind", "" } } },
	{ "DWARF in x86_64, symbols by COFF", MINGW("x86_64", "i386pep") "cp p.exe $OUT", {
		{ "object pe x86_64 exe symbols debug unwind", "" },
		{ "function 1000+", " helper" }, { "inline 0 in -1 add called ", "p.c:6" },
		{ "line ", "p.c:3" }, { "symbol 1000+0 helper", "" } } },
	{ "DWARF in x86", MINGW("i686", "i386pe") "cp p.exe $OUT", {
		{ "object pe x86 exe symbols debug", "" }, { "function 1000+", " _helper" },
		{ "inline 0 in -1 add called ", "p.c:6" } } },
	{ "split off with --only-keep-debug", MINGW("x86_64", "i386pep")
		"llvm-objcopy-19 --only-keep-debug p.exe $OUT", {
		{ "object pe x86_64 dbg symbols debug", "" },
		{ "function 1000+", " helper" } } },
	{ "a deterministic .NET image: the stamp is the age", MSVC("x86_64", "x64")
		PATCH_DEBUG("struct.pack_into('<I', d, entry + 4, 0xabcd)\n"
			    "struct.pack_into('<H', d, entry + 10, 0x504d)\n"), {
		{ "id ", "-abcd" }, { "file app.pdb", "" } } },
	{ "NB10", MSVC("x86_64", "x64")
		PATCH_DEBUG("d[record:record + 24] = b'NB10' + struct.pack('<III', 0, 0x3e2a1b0c, 5) + b'old.pdb\\0'\n"), {
		{ "id 3E2A1B0C-5", "" }, { "file old.pdb", "" } } },
	{ "no place in the file: by address", MSVC("x86_64", "x64")
		PATCH_DEBUG("struct.pack_into('<I', d, entry + 24, 0)\n"), {
		{ "id ", "-1" }, { "file app.pdb", "" } } },
	{ "a packer's stub", MSVC("x86_64", "x64")
		PATCH_DEBUG("for i in range(count):\n"
			    "    at = table + 40 * i\n"
			    "    if d[at:at + 6] == b'.pdata':\n"
			    "        struct.pack_into('<I', d, at + 16, 0)\n"
			    "    if d[at:at + 6] == b'.rdata':\n"
			    "        d[at:at + 8] = b'.stub0\\0\\0'\n"), {
		{ "object pe x86_64 other symbols\n", "" } } },
};

START_TEST(reads)
{
	const char *text = look_path(support_fixture(support_printf("pe-%d", _i), cases[_i].recipe));

	for (size_t i = 0; i < 8 && cases[_i].lines[i].start; i++) {
		const struct expected *line = &cases[_i].lines[i];

		if (strchr(line->start, '\n'))
			ck_assert_msg(strstr(text, line->start), "%s:\n%s", cases[_i].what, text);
		else
			ck_assert_msg(look_has(text, line->start, line->rest), "%s: no %s...%s in\n%s",
				      cases[_i].what, line->start, line->rest, text);
	}
	ck_assert_ptr_null(strstr(text, "unit error"));
}
END_TEST

#define PATCHED(code) MSVC("x86_64", "x64") PATCH_DEBUG(code)

static const struct {
	const char *what, *recipe, *text;
} bad[] = {
	{ "no such optional header", PATCHED("struct.pack_into('<H', d, pe + 24, 0x999)\n"),
	  "reading pe: invalid PE file: optional header of unknown kind 0x999" },
	{ "more sections than fit", PATCHED("struct.pack_into('<H', d, pe + 6, 0xffff)\n"),
	  "reading pe: invalid PE file: PE header ends early" },
	{ "the optional header ends early", PATCHED("struct.pack_into('<H', d, pe + 20, 40)\n"),
	  "reading pe: invalid PE file: optional header ends early, at byte " },
};

START_TEST(refuses)
{
	struct file_map map = support_map(support_fixture(support_printf("pe-bad-%d", _i),
							  bad[_i].recipe));
	struct err err = ERR_INIT;

	ck_assert_msg(look_bytes(map.bytes, map.size, NULL, 0, NULL, &err) < 0, "%s", bad[_i].what);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strncmp(err.text, bad[_i].text, strlen(bad[_i].text)) == 0, "%s", err.text);
	file_unmap(&map);
}
END_TEST

START_TEST(knows_the_reference_fixtures)
{
	static const struct { const char *file, *head, *id, *code; } known[] = {
		{ "fixtures/windows/crash.exe", "object pe x86 exe",
		  "id 3249d99d-0c40-4931-8610-f4e4fb0b6936-1", "code 5ab380779000" },
		{ "fixtures/windows/hello-dwarf.exe", "object pe x86_64 exe", "id ", "code " },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *path = support_shared(known[i].file), *text;

		if (!path)
			return;
		text = look_path(path);
		ck_assert_msg(look_has(text, known[i].head, "") && look_has(text, known[i].id, "") &&
			      look_has(text, known[i].code, ""), "%.300s", text);
	}
}
END_TEST

START_TEST(survives_every_byte_change)
{
	static const int made_by[] = { 0, 4 };
	struct file_map map = support_read(support_fixture(support_printf("pe-%d", made_by[_i]),
							   cases[made_by[_i]].recipe));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(support_fixture("pe-4", cases[4].recipe));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 2000);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pe");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_loop_test(reading, reads, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(reading, refuses, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(reading, knows_the_reference_fixtures);
	tcase_add_loop_test(torment, survives_every_byte_change, 0, 2);
	tcase_add_test(torment, survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}
