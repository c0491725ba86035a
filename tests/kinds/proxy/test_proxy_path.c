/* test_proxy_path.c -- which file a symbol server's path asks for. */
#include "kinds/proxy/proxy_path.h"

#include "base/arena.h"
#include "base/mem.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)1 << 20)

static struct arena arena;

static void setup(void)
{
	arena_init(&arena, ARENA_BYTES);
}

static void teardown(void)
{
	arena_release(&arena);
}

#define GUID "3249D99D0C4049318610F4E4FB0B6936"

START_TEST(reads_what_the_layouts_have)
{
	static const struct { const char *path; enum file_type type; const char *id; } cases[] = {
		{ "a.pdb/" GUID "1/A.PDB", FILE_TYPE_PDB, "3249d99d-0c40-4931-8610-f4e4fb0b6936-1" },
		{ "a.pdb/3249d99d0c4049318610f4e4fb0b6936FFFFFFFF/a.pdb", FILE_TYPE_PDB,
		  "3249d99d-0c40-4931-8610-f4e4fb0b6936-ffffffff" },
		{ "a%2epdb/" GUID "1/a.pdb", FILE_TYPE_PDB, "3249d99d-0c40-4931-8610-f4e4fb0b6936-1" },
		{ "a.exe/5AB380779000/a.exe", FILE_TYPE_PE, "5ab380779000" },
		{ "_.debug/elf-buildid-sym-DFB85DE4/_.debug", FILE_TYPE_ELF_DEBUG, "dfb85de4" },
		{ "libm.so/elf-buildid-dfb85de4/libm.so", FILE_TYPE_ELF_CODE, "dfb85de4" },
		{ "libm.so/elf-buildid-sym-dfb85de4/libm.so", FILE_TYPE_ELF_CODE, "dfb85de4" },
		{ "_.dwarf/mach-uuid-sym-67E9247C814E392BA027DBDE6748FCBF/_.dwarf", FILE_TYPE_MACH_DEBUG,
		  "67e9247c814e392ba027dbde6748fcbf" },
		{ "app/mach-uuid-67e9247c814e392ba027dbde6748fcbf/app", FILE_TYPE_MACH_CODE,
		  "67e9247c814e392ba027dbde6748fcbf" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char debug_id[DEBUGID_TEXT_BYTES];
		struct proxy_wanted wanted;
		struct err err = ERR_INIT;

		ck_assert_msg(proxy_path_read(text_of(cases[i].path), &arena, &wanted, &err) == 1, "%s: %s",
			      cases[i].path, err.text);
		ck_assert_msg(wanted.type == cases[i].type, "%s: %s", cases[i].path,
			      file_type_name(wanted.type));
		debugid_format(&wanted.ids.debug_id, debug_id);
		ck_assert_msg(text_is(wanted.type == FILE_TYPE_PDB ? text_of(debug_id) : wanted.ids.code_id,
				      cases[i].id), "%s: %s", cases[i].path, debug_id);
	}
}
END_TEST

START_TEST(refuses_everything_else)
{
	static const char *const paths[] = {
		"a", "a/", "/", "//", "///", "a/b", "not-a-symstore-path", "index2.txt", "pingme.txt",
		"a.pdb/" GUID "/a.pdb", "a.pdb/" GUID "1/b.pdb", "a.pdb/" GUID "1/a.pd_",
		"a.pdb/" GUID "1/file.ptr", "in/a.pdb/" GUID "1/a.pdb", "a.pdb/" GUID "1/a.pdb/",
		"a.pdb/" GUID "1/a.pdb/a.pdb", "a.exe/xyz/a.exe", "a.so/elf-buildid-/a.so",
		"a%00.exe/5AB380779000/a%00.exe", "a%0a.exe/5AB380779000/a%0a.exe",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct proxy_wanted wanted;
		struct err err = ERR_INIT;

		ck_assert_msg(proxy_path_read(text_of(paths[i]), &arena, &wanted, &err) == 0, "%s", paths[i]);
	}
}
END_TEST

START_TEST(says_when_it_is_no_text)
{
	struct proxy_wanted wanted;
	struct err err = ERR_INIT;

	ck_assert_int_eq(proxy_path_read(TEXT("a%ff/1/a%ff"), &arena, &wanted, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
}
END_TEST

/* Whatever the arena cannot give is said. */
START_TEST(survives_a_full_arena)
{
	struct proxy_wanted wanted;
	struct err err = ERR_INIT;
	struct arena small;

	arena_init(&small, 1);
	ck_assert_int_eq(proxy_path_read(TEXT("a.exe/5AB380779000/a.exe"), &small, &wanted, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	arena_release(&small);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("proxy path");
	Suite *suite = suite_create("proxy path");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, reads_what_the_layouts_have);
	tcase_add_test(tests, refuses_everything_else);
	tcase_add_test(tests, says_when_it_is_no_text);
	tcase_add_test(tests, survives_a_full_arena);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
