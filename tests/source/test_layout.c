/* test_layout -- where files would lie: the worked examples, and names made to confuse. */
#include "support/support.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "config/config.h"
#include "source/source_layout.h"
#include "source/sources.h"

#define CEILING_BYTES ((size_t)4 << 20)

enum module { PE, MACHO, ELF, WASM, DOTNET, PE_42, BARE_MACHO, HOSTILE, UNKNOWN };

static const struct {
	enum object_type type;
	const char *code_id, *debug_id, *code_file, *debug_file;
} modules[] = {
	[PE] = { OBJECT_TYPE_PE, "5ab380779000", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1",
		 "C:\\projects\\breakpad-tools\\windows\\Release\\crash.exe",
		 "C:\\projects\\breakpad-tools\\windows\\Release\\crash.pdb" },
	[MACHO] = { OBJECT_TYPE_MACHO, NULL, "67e9247c-814e-392b-a027-dbde6748fcbf",
		    "/Users/travis/build/crash", "crash" },
	[ELF] = { OBJECT_TYPE_ELF, "dfb85de42daffd09640c8fe377d572de3e168920",
		  "e45db8df-af2d-09fd-640c-8fe377d572de",
		  "/lib/x86_64-linux-gnu/libm-2.23.so", "/lib/x86_64-linux-gnu/libm-2.23.so" },
	[WASM] = { OBJECT_TYPE_WASM, "67e9247c814e392ba027dbde6748fcbf",
		   "67e9247c-814e-392b-a027-dbde6748fcbf", NULL,
		   "file://foo.invalid/demo.wasm" },
	[DOTNET] = { OBJECT_TYPE_PE_DOTNET, NULL, "0c1033f7-8632-492e-91c6-c314b72e1920-e60b819d",
		     NULL, "integration.pdb" },
	[PE_42] = { OBJECT_TYPE_PE, "5AB380779000", "3249d99d-0c40-4931-8610-f4e4fb0b6936-2a",
		    "Crash.EXE", "Crash.pdb" },
	[BARE_MACHO] = { OBJECT_TYPE_MACHO, "67e9247c814e392ba027dbde6748fcbf00", NULL, "a/b/", NULL },
	[HOSTILE] = { OBJECT_TYPE_PE, "5ab3807", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1",
		      "/lib/..", "x\001.pdb" },
	[UNKNOWN] = { OBJECT_TYPE_UNKNOWN, NULL, "3249d99d-0c40-4931-8610-f4e4fb0b6936", NULL, "a" },
};

#define CRASH "crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash"
#define LLDB  "67E9/247C/814E/392B/A027/DBDE6748FCBF"
#define GDB   "df/b85de42daffd09640c8fe377d572de3e168920"
#define LIBM  "libm-2.23.so/E45DB8DFAF2D09FD640C8FE377D572DE0/libm-2.23.so"

static const struct {
	const char *layout;
	enum file_type type;
	enum module module;
	const char *paths[LAYOUT_PATHS + 1];     /* the preferred one first */
} examples[] = {
	{ "native", FILE_TYPE_PDB, PE, { CRASH ".pdb", CRASH ".pd_" } },
	{ "native", FILE_TYPE_PE, PE,
	  { "crash.exe/5AB380779000/crash.exe", "crash.exe/5AB380779000/crash.ex_" } },
	{ "native", FILE_TYPE_BREAKPAD, PE, { CRASH ".sym" } },
	{ "native", FILE_TYPE_SOURCEBUNDLE, PE, { CRASH ".src.zip" } },
	{ "native", FILE_TYPE_MACH_CODE, MACHO, { LLDB ".app" } },
	{ "native", FILE_TYPE_MACH_DEBUG, MACHO, { LLDB } },
	{ "native", FILE_TYPE_BREAKPAD, MACHO, { "crash/67E9247C814E392BA027DBDE6748FCBF0/crash.sym" } },
	{ "native", FILE_TYPE_SOURCEBUNDLE, MACHO,
	  { LLDB ".src.zip", "crash/67E9247C814E392BA027DBDE6748FCBF0/crash.src.zip" } },
	{ "native", FILE_TYPE_ELF_CODE, ELF, { GDB } },
	{ "native", FILE_TYPE_ELF_DEBUG, ELF, { GDB ".debug" } },
	{ "native", FILE_TYPE_BREAKPAD, ELF, { LIBM ".sym" } },
	{ "native", FILE_TYPE_SOURCEBUNDLE, ELF, { GDB ".src.zip", LIBM ".src.zip" } },
	{ "native", FILE_TYPE_PDB, ELF, { LIBM, "libm-2.23.so/E45DB8DFAF2D09FD640C8FE377D572DE0/libm-2.23.s_" } },
	{ "native", FILE_TYPE_WASM_CODE, WASM, { "67/e9247c814e392ba027dbde6748fcbf" } },
	{ "native", FILE_TYPE_WASM_DEBUG, WASM, { "67/e9247c814e392ba027dbde6748fcbf.debug" } },
	{ "native", FILE_TYPE_SOURCEBUNDLE, WASM, { "67/e9247c814e392ba027dbde6748fcbf.src.zip" } },
	{ "native", FILE_TYPE_BREAKPAD, WASM, { NULL } },
	{ "native", FILE_TYPE_PORTABLEPDB, DOTNET,
	  { "integration.pdb/0C1033F78632492E91C6C314B72E1920ffffffff/integration.pdb" } },
	{ "native", FILE_TYPE_SOURCEBUNDLE, DOTNET,
	  { "integration.pdb/0C1033F78632492E91C6C314B72E1920ffffffff/integration.src.zip",
	    "integration.pdb/0C1033F78632492E91C6C314B72E1920e60b819d/integration.src.zip" } },
	{ "native", FILE_TYPE_SOURCEBUNDLE, UNKNOWN, { NULL } },
	{ "native", FILE_TYPE_PROGUARD, ELF, { NULL } },
	{ "native", FILE_TYPE_ELF_CODE, MACHO, { NULL } },
	{ "native", FILE_TYPE_MACH_CODE, BARE_MACHO, { NULL } },
	{ "symstore", FILE_TYPE_ELF_CODE, ELF,
	  { "libm-2.23.so/elf-buildid-dfb85de42daffd09640c8fe377d572de3e168920/libm-2.23.so" } },
	{ "symstore", FILE_TYPE_ELF_DEBUG, ELF,
	  { "_.debug/elf-buildid-sym-dfb85de42daffd09640c8fe377d572de3e168920/_.debug" } },
	{ "symstore", FILE_TYPE_MACH_CODE, MACHO,
	  { "crash/mach-uuid-67e9247c814e392ba027dbde6748fcbf/crash" } },
	{ "symstore", FILE_TYPE_MACH_DEBUG, MACHO,
	  { "_.dwarf/mach-uuid-sym-67e9247c814e392ba027dbde6748fcbf/_.dwarf" } },
	{ "symstore", FILE_TYPE_SOURCEBUNDLE, PE, { CRASH ".src.zip" } },
	{ "symstore", FILE_TYPE_SOURCEBUNDLE, DOTNET, { NULL } },
	{ "symstore", FILE_TYPE_BREAKPAD, PE, { NULL } },
	{ "symstore_index2", FILE_TYPE_PDB, PE, { "cr/" CRASH ".pdb", "cr/" CRASH ".pd_" } },
	{ "symstore_index2", FILE_TYPE_ELF_DEBUG, ELF,
	  { "_/_.debug/elf-buildid-sym-dfb85de42daffd09640c8fe377d572de3e168920/_.debug" } },
	{ "symstore_index2", FILE_TYPE_PDB, UNKNOWN,
	  { "a/a/3249D99D0C4049318610F4E4FB0B69360/a", "a/a/3249D99D0C4049318610F4E4FB0B69360/_" } },
	{ "ssqp", FILE_TYPE_PDB, PE_42,
	  { "crash.pdb/3249d99d0c4049318610f4e4fb0b69362A/crash.pdb",
	    "crash.pdb/3249d99d0c4049318610f4e4fb0b69362A/crash.pd_" } },
	{ "ssqp", FILE_TYPE_PE, PE_42,
	  { "crash.exe/5ab380779000/crash.exe", "crash.exe/5ab380779000/crash.ex_" } },
	{ "ssqp", FILE_TYPE_PORTABLEPDB, DOTNET,
	  { "integration.pdb/0c1033f78632492e91c6c314b72e1920FFFFFFFF/integration.pdb" } },
	{ "debuginfod", FILE_TYPE_ELF_CODE, ELF,
	  { "dfb85de42daffd09640c8fe377d572de3e168920/executable" } },
	{ "debuginfod", FILE_TYPE_ELF_DEBUG, ELF,
	  { "dfb85de42daffd09640c8fe377d572de3e168920/debuginfo" } },
	{ "debuginfod", FILE_TYPE_MACH_DEBUG, MACHO, { NULL } },
	{ "unified", FILE_TYPE_PDB, PE,
	  { "32/49d99d0c4049318610f4e4fb0b69361/debuginfo",
	    "32/49d99d0c4049318610f4e4fb0b69361/debuginf_" } },
	{ "unified", FILE_TYPE_PE, PE,
	  { "32/49d99d0c4049318610f4e4fb0b69361/executable",
	    "32/49d99d0c4049318610f4e4fb0b69361/executabl_" } },
	{ "unified", FILE_TYPE_MACH_CODE, MACHO, { "67/e9247c814e392ba027dbde6748fcbf/executable" } },
	{ "unified", FILE_TYPE_ELF_DEBUG, ELF, { GDB "/debuginfo" } },
	{ "unified", FILE_TYPE_SOURCEBUNDLE, ELF, { GDB "/sourcebundle" } },
	{ "unified", FILE_TYPE_BREAKPAD, PE, { "32/49d99d0c4049318610f4e4fb0b69361/breakpad" } },
	{ "unified", FILE_TYPE_IL2CPP, DOTNET, { "0c/1033f78632492e91c6c314b72e1920e60b819d/il2cpp" } },
	{ "unified", FILE_TYPE_BREAKPAD, UNKNOWN, { NULL } },
	{ "unified", FILE_TYPE_UUIDMAP, MACHO, { "67/e9247c814e392ba027dbde6748fcbf/uuidmap" } },
	{ "unified", FILE_TYPE_PROGUARD, ELF, { NULL } },
	{ "slashsymbols", FILE_TYPE_PROGUARD, ELF,
	  { "libm-2.23.so/DFB85DE42DAFFD09640C8FE377D572DE3E168920/symbols",
	    "libm-2.23.so/dfb85de42daffd09640c8fe377d572de3e168920/symbols" } },
	{ "native", FILE_TYPE_PE, HOSTILE, { NULL } },       /* code id under 8 digits */
	{ "ssqp", FILE_TYPE_PE, HOSTILE, { NULL } },         /* base name `..` */
	{ "slashsymbols", FILE_TYPE_PE, HOSTILE, { NULL } },
	{ "native", FILE_TYPE_PDB, HOSTILE, { NULL } },      /* control character */
};

static struct object_ids ids_of(enum module module)
{
	struct object_ids ids = {
		.type = modules[module].type,
		.code_id = text_of(modules[module].code_id),
		.code_file = text_of(modules[module].code_file),
		.debug_file = text_of(modules[module].debug_file),
	};

	if (modules[module].debug_id)
		ck_assert(debugid_parse(text_of(modules[module].debug_id), &ids.debug_id));
	return ids;
}

static struct source source_with_layout(const char *layout, const char *casing)
{
	char *json = support_printf("{\"layout\":{\"type\":\"%s\",\"casing\":\"%s\"}}", layout, casing);
	struct shape shape = { .place = "test" };
	struct source source = { .kind = NULL };
	struct err err = ERR_INIT;
	struct arena arena;
	cJSON *object = cJSON_Parse(json);

	arena_init(&arena, CEILING_BYTES);
	shape.arena = &arena;
	shape.json = object;
	ck_assert_msg(source_layout_parse(&shape, &source, &err) == 0, "%s", err.text);
	arena_release(&arena);           /* a layout is a row of a table */
	cJSON_Delete(object);
	return source;
}

START_TEST(worked_examples)
{
	struct object_ids ids = ids_of(examples[_i].module);
	const struct source_query query = { .ids = &ids };
	struct source source = source_with_layout(examples[_i].layout, "default");
	struct text paths[LAYOUT_PATHS];
	struct arena arena;
	struct err err = ERR_INIT;
	size_t count;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(source_layout_paths(source.layout, source.casing, &query, examples[_i].type,
					     &arena, paths, &count, &err), 0);
	for (size_t i = 0; i < count; i++) {
		ck_assert_msg(examples[_i].paths[i] != NULL, "%s %s: one more: %s",
			      examples[_i].layout, file_type_name(examples[_i].type), paths[i].bytes);
		ck_assert_str_eq(paths[i].bytes, examples[_i].paths[i]);
	}
	ck_assert_msg(!examples[_i].paths[count], "%s %s: not made: %s", examples[_i].layout,
		      file_type_name(examples[_i].type), examples[_i].paths[count]);
	arena_release(&arena);
}
END_TEST

START_TEST(casing_is_of_the_whole_path)
{
	static const struct { const char *casing, *path; } cases[] = {
		{ "lowercase", "crash.pdb/3249d99d0c4049318610f4e4fb0b69361/crash.pdb" },
		{ "uppercase", "CRASH.PDB/3249D99D0C4049318610F4E4FB0B69361/CRASH.PDB" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct object_ids ids = ids_of(PE);
		const struct source_query query = { .ids = &ids };
		struct source source = source_with_layout("symstore", cases[i].casing);
		struct text paths[LAYOUT_PATHS];
		struct arena arena;
		struct err err = ERR_INIT;
		size_t count;

		arena_init(&arena, CEILING_BYTES);
		ck_assert_int_eq(source_layout_paths(source.layout, source.casing, &query,
						     FILE_TYPE_PDB,
						     &arena, paths, &count, &err), 0);
		ck_assert_uint_eq(count, 2);
		ck_assert_str_eq(paths[0].bytes, cases[i].path);
		arena_release(&arena);
	}
}
END_TEST

START_TEST(breakpad_stems)
{
	static const struct { const char *name, *stem; } cases[] = {
		{ "foo.pdb", "foo" }, { "foo.exe", "foo.exe" }, { "foo.dll", "foo.dll" },
		{ "x.pdb.dll", "x" }, { "x.dll.exe", "x.dll.exe" }, { "x", "x" },
		{ "foo.PDB", "foo.PDB" }, { "x.pdb.dll.exe", "x" },
	};
	struct source source = source_with_layout("native", "default");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct object_ids ids = ids_of(PE);
		const struct source_query query = { .ids = &ids };
		struct text paths[LAYOUT_PATHS];
		struct arena arena;
		struct err err = ERR_INIT;
		size_t count;

		ids.debug_file = text_of(cases[i].name);
		arena_init(&arena, CEILING_BYTES);
		ck_assert_int_eq(source_layout_paths(source.layout, source.casing, &query,
						     FILE_TYPE_BREAKPAD,
						     &arena, paths, &count, &err), 0);
		ck_assert_uint_eq(count, 1);
		ck_assert_str_eq(paths[0].bytes,
				 support_printf("%s/3249D99D0C4049318610F4E4FB0B69361/%s.sym",
						cases[i].name, cases[i].stem));
		arena_release(&arena);
	}
}
END_TEST

START_TEST(base_names_are_checked)
{
	static const struct { const char *what, *name, *base; } cases[] = {
		{ "plain",               "a.so",              "a.so" },
		{ "unix",                "/x/a.so",           "a.so" },
		{ "windows",             "C:\\x\\a.dll",      "a.dll" },
		{ "separator at the end", "/x/a.app/\\",      "a.app" },
		{ "nothing",             "",                  NULL },
		{ "separators only",     "///",               NULL },
		{ "dot",                 "/x/.",              NULL },
		{ "dot dot",             "/x/..",             NULL },
		{ "newline",             "a\nb",              NULL },
		{ "delete",              "a\x7f",             NULL },
		{ "C1 control",          "a\xc2\x85",         NULL },
		{ "no control",          "a\xc2\xa0\xc3\x85", "a\xc2\xa0\xc3\x85" },
	};
	char longest[257];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(text_equal(source_layout_basename(text_of(cases[i].name)),
					 text_of(cases[i].base)), "%s", cases[i].what);
	memset(longest, 'a', sizeof(longest));
	ck_assert_uint_eq(source_layout_basename((struct text){ longest, 255 }).size, 255);
	ck_assert_ptr_null(source_layout_basename((struct text){ longest, 256 }).bytes);
}
END_TEST

START_TEST(types_have_their_names)
{
	for (unsigned i = 0; i < FILE_TYPES; i++) {
		enum file_type type;

		ck_assert(file_type_named(text_of(file_type_name((enum file_type)i)), &type));
		ck_assert_uint_eq(type, i);
	}
	for (unsigned i = 0; i < OBJECT_TYPES; i++)
		ck_assert_uint_eq(object_type_named(text_of(object_type_name((enum object_type)i))), i);
	ck_assert_uint_eq(object_type_named(TEXT("elfish")), OBJECT_TYPE_UNKNOWN);
}
END_TEST

/* --- Files of no module ------------------------------------------------------------------- */

#define UUID "67e9247c-814e-392b-a027-dbde6748fcbf"
#define SPLIT "67/e9247c814e392ba027dbde6748fcbf"
#define MAP_REST "35a2a4a6b8d1c2e07f7b0d6f0f3c6a9b1d2e3f405162738495a6b7c8d9e0f1"
#define MAP_ID "9d" MAP_REST
#define MAP_SPLIT "9d/" MAP_REST
#define FILES "releases/app@1.0/~/files/"

static const struct {
	enum source_query_by by;
	enum file_type type;
	const char *debug_id, *release, *dist, *url;
	const char *paths[LAYOUT_PATHS + 1];
	const char *what;                        /* in doc/layouts.md; NULL: not listed there */
	const char *code_id;
} releases[] = {
	{ SOURCE_BY_UUID, FILE_TYPE_PROGUARD, UUID, NULL, NULL, NULL, { SPLIT "/proguard" }, "UUID", NULL },
	{ SOURCE_BY_UUID, FILE_TYPE_SOURCEBUNDLE, UUID, NULL, NULL, NULL, { SPLIT "/sourcebundle" },
	  "UUID", NULL },
	{ SOURCE_BY_UUID, FILE_TYPE_PROGUARD, NULL, NULL, NULL, NULL, { MAP_SPLIT "/proguard" }, "R8", MAP_ID },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCEBUNDLE, UUID, "app@1.0", NULL,
	  "https://example.org/js/app.min.js",
	  { SPLIT "/sourcebundle", "releases/app@1.0/~/sourcebundle" }, "URL", NULL },
	{ SOURCE_BY_URL, FILE_TYPE_MINIFIED_SOURCE, UUID, "app@1.0", NULL,
	  "https://example.org/js/app.min.js",
	  { SPLIT "/minified_source", FILES "example.org/js/app.min.js", FILES "~/js/app.min.js" }, "URL", NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, UUID, "app@1.0", NULL,
	  "https://example.org/js/app.min.js.map",
	  { SPLIT "/source_map", FILES "example.org/js/app.min.js.map", FILES "~/js/app.min.js.map" },
	  "URL", NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE, UUID, "app@1.0", NULL, "webpack:///./src/app.js",
	  { FILES "~/src/app.js" }, "URL", NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "../a/b%", "~/.x", "https://u:p@h:81//a/./b.js?c=/d#e",
	  { "releases/%2E.%2Fa%2Fb%25/%7E%2F.x/files/h:81/a/b.js",
	    "releases/%2E.%2Fa%2Fb%25/%7E%2F.x/files/~/a/b.js" }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", "", "~/a.js#?", { "releases/1/~/files/~/a.js" },
	  NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", NULL, "https://../a.js",
	  { "releases/1/~/files/%2E./a.js", "releases/1/~/files/~/a.js" }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", NULL, "https://h/a/../b.js", { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", NULL, "https://h/a\\b.js", { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", NULL, "https://h/a\nb.js", { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", NULL, "https://h//?x", { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "1", NULL, NULL, { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, "\n", NULL, "~/a.js", { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_SOURCE_MAP, NULL, NULL, "1", "~/a.js", { NULL }, NULL, NULL },
	{ SOURCE_BY_URL, FILE_TYPE_ELF_CODE, UUID, "1", NULL, "~/a.js", { NULL }, NULL, NULL },
	{ SOURCE_BY_UUID, FILE_TYPE_PROGUARD, NULL, NULL, NULL, NULL, { NULL }, NULL, NULL },
};
#define RELEASES (sizeof(releases) / sizeof(releases[0]))

static size_t release_paths(size_t row, const char *layout, struct arena *arena,
			    struct text paths[LAYOUT_PATHS])
{
	struct source source = source_with_layout(layout, "default");
	struct object_ids ids = { .type = OBJECT_TYPE_UNKNOWN, .code_id = text_of(releases[row].code_id) };
	const struct source_query query = {
		.by = releases[row].by, .ids = &ids, .url = text_of(releases[row].url),
		.release = text_of(releases[row].release), .dist = text_of(releases[row].dist),
	};
	struct err err = ERR_INIT;
	size_t count;

	if (releases[row].debug_id)
		ck_assert(debugid_parse(text_of(releases[row].debug_id), &ids.debug_id));
	ck_assert_int_eq(source_layout_paths(source.layout, source.casing, &query, releases[row].type,
					     arena, paths, &count, &err), 0);
	return count;
}

START_TEST(files_of_no_module_lie_alike_in_every_layout)
{
	static const char *const layouts[] = { "native", "symstore", "symstore_index2", "ssqp", "unified",
					       "debuginfod", "slashsymbols" };
	struct text paths[LAYOUT_PATHS];
	struct arena arena;

	arena_init(&arena, CEILING_BYTES);
	for (size_t row = 0; row < RELEASES; row++) {
		size_t count = release_paths(row, layouts[_i], &arena, paths);

		for (size_t i = 0; i < count; i++) {
			ck_assert_msg(releases[row].paths[i] != NULL, "%zu: one more: %s", row,
				      paths[i].bytes);
			ck_assert_str_eq(paths[i].bytes, releases[row].paths[i]);
		}
		ck_assert_msg(!releases[row].paths[count], "%zu: not made: %s", row,
			      releases[row].paths[count]);
	}
	arena_release(&arena);
}
END_TEST

/* Names of any length: no path, and no more than a path's memory. */
START_TEST(long_names_make_no_path)
{
	static char name[20000];
	struct object_ids ids = { .type = OBJECT_TYPE_UNKNOWN };
	struct source source = source_with_layout("unified", "default");
	struct source_query query = { .by = SOURCE_BY_URL, .ids = &ids, .release = TEXT("1") };
	struct text paths[LAYOUT_PATHS];
	struct arena arena;
	struct err err = ERR_INIT;
	size_t count;

	arena_init(&arena, CEILING_BYTES);
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 100 ? 'a' : '/';
	for (size_t size = 1; size <= sizeof(name); size = 2 * size + 1) {
		query.url = (struct text){ name, size };
		ck_assert_int_eq(source_layout_paths(source.layout, source.casing, &query,
						     FILE_TYPE_SOURCE, &arena, paths, &count, &err), 0);
		ck_assert_msg((count == 1) == (size > 1 && size < 4000), "%zu", size);
	}
	query.url = TEXT("~/a");
	query.release = (struct text){ name, sizeof(name) };
	ck_assert_int_eq(source_layout_paths(source.layout, source.casing, &query, FILE_TYPE_SOURCE,
					     &arena, paths, &count, &err), 0);
	ck_assert_uint_eq(count, 0);
	arena_release(&arena);
}
END_TEST

static size_t locations_of(const char *json, const struct source_query *query)
{
	struct location_list list = { .count = 0 };
	struct source_list sources;
	struct arena arena;
	struct err err = ERR_INIT;
	size_t count;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_msg(sources_parse(json, SOURCE_OF_REQUEST, &sources_no_roots, &arena, &sources,
				    &err) == 0, "%s", err.text);
	ck_assert_int_eq(source_locations(sources.sources, query, &arena, &list, &err), 0);
	count = list.count;
	arena_release(&arena);
	return count;
}

#define HTTP(more) "[{\"type\":\"http\",\"id\":\"a\",\"url\":\"http://h/\"" more "}]"

START_TEST(other_makers_stores_are_asked_where_they_name_the_type)
{
	static const struct { const char *json; size_t mapping, map; } cases[] = {
		{ HTTP(""), 1, 2 },
		{ HTTP(",\"layout\":{\"type\":\"unified\"}"), 1, 2 },
		{ HTTP(",\"layout\":{\"type\":\"symstore\"}"), 0, 0 },
		{ HTTP(",\"layout\":{\"type\":\"debuginfod\"},\"filters\":{\"filetypes\":[\"proguard\"]}"),
		  1, 0 },
		{ HTTP(",\"filters\":{\"filetypes\":[\"source_map\"]}"), 0, 2 },
		{ HTTP(",\"filters\":{\"path_patterns\":[\"*/js/*\"]}"), 0, 2 },
		{ HTTP(",\"filters\":{\"path_patterns\":[\"*/css/*\"]}"), 0, 0 },
		{ HTTP(",\"filters\":{\"requires_checksum\":true}"), 0, 0 },
	};
	const enum file_type proguard = FILE_TYPE_PROGUARD, map = FILE_TYPE_SOURCE_MAP;
	struct object_ids none = { .type = OBJECT_TYPE_UNKNOWN }, uuid = none;
	const struct source_query mapping = { .by = SOURCE_BY_UUID, .ids = &uuid, .types = &proguard,
					      .type_count = 1 };
	const struct source_query script = { .by = SOURCE_BY_URL, .ids = &none, .types = &map,
					     .type_count = 1, .url = TEXT("https://h/js/a.map"),
					     .release = TEXT("1") };

	ck_assert(debugid_parse(TEXT(UUID), &uuid.debug_id));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(locations_of(cases[i].json, &mapping) == cases[i].mapping, "%s",
			      cases[i].json);
		ck_assert_msg(locations_of(cases[i].json, &script) == cases[i].map, "%s", cases[i].json);
	}
}
END_TEST

START_TEST(the_page_lists_what_no_module_has)
{
	struct file_map page = support_map(support_source("doc/layouts.md"));
	struct text paths[LAYOUT_PATHS];
	struct arena arena;
	struct buf wanted;

	arena_init(&arena, CEILING_BYTES);
	buf_init(&wanted, CEILING_BYTES);
	buf_add_string(&wanted, "## Files of no module\n\n```\n");
	for (size_t row = 0; row < RELEASES; row++) {
		size_t count = releases[row].what ? release_paths(row, "unified", &arena, paths) : 0;

		for (size_t i = 0; i < count; i++)
			buf_printf(&wanted, "%-5s %-15s %s\n", releases[row].what,
				   i ? "" : file_type_name(releases[row].type), paths[i].bytes);
	}
	buf_add_string(&wanted, "```\n");
	ck_assert_msg(memmem(page.bytes, page.size, wanted.bytes, wanted.size) != NULL,
		      "doc/layouts.md should say:\n%.*s", (int)wanted.size, wanted.bytes);
	buf_release(&wanted);
	arena_release(&arena);
	file_unmap(&page);
}
END_TEST

/* The modules and file types whose paths doc/layouts.md lists, below one heading a layout. */
static const struct {
	enum module module;
	const char *what;
	enum file_type types[6];
	size_t count;
} listed[] = {
	{ ELF, "ELF", { FILE_TYPE_ELF_CODE, FILE_TYPE_ELF_DEBUG, FILE_TYPE_BREAKPAD,
			FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_IL2CPP, FILE_TYPE_PROGUARD }, 6 },
	{ MACHO, "Mach-O", { FILE_TYPE_MACH_CODE, FILE_TYPE_MACH_DEBUG, FILE_TYPE_BREAKPAD,
			     FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_UUIDMAP, FILE_TYPE_BCSYMBOLMAP }, 6 },
	{ PE, "PE", { FILE_TYPE_PE, FILE_TYPE_PDB, FILE_TYPE_BREAKPAD, FILE_TYPE_SOURCEBUNDLE,
		      FILE_TYPE_IL2CPP }, 5 },
	{ DOTNET, ".NET", { FILE_TYPE_PORTABLEPDB, FILE_TYPE_SOURCEBUNDLE }, 2 },
	{ WASM, "wasm", { FILE_TYPE_WASM_CODE, FILE_TYPE_WASM_DEBUG, FILE_TYPE_SOURCEBUNDLE }, 3 },
};

static void list_paths(const struct source *source, size_t row, struct buf *out)
{
	struct object_ids ids = ids_of(listed[row].module);
	const struct source_query query = { .ids = &ids };
	struct text paths[LAYOUT_PATHS];
	struct err err = ERR_INIT;
	struct arena arena;
	size_t count;

	arena_init(&arena, CEILING_BYTES);
	for (size_t i = 0; i < listed[row].count; i++) {
		ck_assert_int_eq(source_layout_paths(source->layout, source->casing, &query,
						     listed[row].types[i],
						     &arena, paths, &count, &err), 0);
		for (size_t k = 0; k < count; k++) {
			char *line = support_printf("%-7s %-13s %s\n", listed[row].what,
						    k ? "" : file_type_name(listed[row].types[i]),
						    paths[k].bytes);

			buf_add_string(out, line);
		}
	}
	arena_release(&arena);
}

START_TEST(the_page_lists_every_path)
{
	static const char *const layouts[] = { "native", "symstore", "symstore_index2", "ssqp", "unified",
					       "debuginfod", "slashsymbols" };
	struct file_map page = support_map(support_source("doc/layouts.md"));
	struct buf wanted;

	buf_init(&wanted, CEILING_BYTES);
	buf_add_string(&wanted, "## ");
	buf_add_string(&wanted, layouts[_i]);
	buf_add_string(&wanted, "\n\n```\n");
	for (size_t row = 0; row < sizeof(listed) / sizeof(listed[0]); row++) {
		struct source source = source_with_layout(layouts[_i], "default");

		list_paths(&source, row, &wanted);
	}
	buf_add_string(&wanted, "```\n");
	ck_assert_msg(memmem(page.bytes, page.size, wanted.bytes, wanted.size) != NULL,
		      "doc/layouts.md should say:\n%.*s", (int)wanted.size, wanted.bytes);
	buf_release(&wanted);
	file_unmap(&page);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *tcase = tcase_create("layout");

	tcase_add_loop_test(tcase, worked_examples, 0, (int)(sizeof(examples) / sizeof(examples[0])));
	tcase_add_test(tcase, casing_is_of_the_whole_path);
	tcase_add_test(tcase, breakpad_stems);
	tcase_add_test(tcase, base_names_are_checked);
	tcase_add_test(tcase, types_have_their_names);
	tcase_add_loop_test(tcase, files_of_no_module_lie_alike_in_every_layout, 0, 7);
	tcase_add_test(tcase, long_names_make_no_path);
	tcase_add_test(tcase, other_makers_stores_are_asked_where_they_name_the_type);
	tcase_add_test(tcase, the_page_lists_what_no_module_has);
	tcase_add_loop_test(tcase, the_page_lists_every_path, 0, 7);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
