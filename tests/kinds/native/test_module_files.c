/* test_module_files.c -- sources, scopes, companions and variables of modules, in whole answers. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch.h"
#include "kinds/kinds.h"
#include "kinds/native/answers.h"
#include "work/derived.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Sources, scopes, companions --------------------------------------------------------- */

START_TEST(sources_are_looked_for_afterwards)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_object_meta, ".src.zip", ERR_NONE, TEXT(FAKE_META_SOURCES), 1, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, "{\"sources\":[" FILTERED("b", "\"elf_debug\",\"sourcebundle\"") ","
		FILTERED("a", "\"mach_code\"") "],\"modules\":[" ELF_MODULE "],"
		ONE_FRAME("0x10200") ",\"options\":{\"dif_candidates\":true}}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[" MAIN("0x10200", "0")
		"]}],\"modules\":[" ELF_ECHO("found", FEATURES("true", "true", "true", "true"),
		"x86_64") ",\"candidates\":[{\"source\":\"a\",\"location\":\"No object files listed "
		"on this source\",\"download\":{\"status\":\"notfound\"}},"
		"{\"source\":\"b\",\"location\":\"http://h/b/ab/cdef01.debug\",\"download\":"
		"{\"status\":\"ok\",\"features\":" DEBUG_FEATURES "},\"debug\":{\"status\":\"ok\"}},"
		"{\"source\":\"b\",\"location\":\"http://h/b/ab/cdef01.src.zip\",\"download\":"
		"{\"status\":\"ok\",\"features\":" FEATURES("false", "false", "false", "true")
		"}}]}]}");
	ck_assert_uint_eq(fake.asked, 5);     /* .debug once, .src.zip twice, both caches */
	forget_made();
}
END_TEST

START_TEST(keys_carry_scope_and_companions)
{
	static const char meta[] = "{\"has_debug_info\":true,\"wants\":["
		"{\"role\":\"dwz\",\"id\":\"0011\"},{\"role\":\"dwz\",\"id\":\"2233\"},"
		"{\"role\":\"debuglink\",\"name\":\"x.debug\"}]}";
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01.debug", ERR_NONE, TEXT(meta), 0, 0 },
		{ &derived_object_meta, "/11.debug", ERR_NONE, TEXT(FAKE_META_NOTHING), 2, 0 },
		{ &derived_symcache, "cdef01.debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, REQUEST("\"dif_candidates\":true",
		"{\"instruction_addr\":\"0x10200\"}"), TEXT("mine")), 0);
	ck_assert(text_is(fake.last_symcache_key, "scope: mine\n\nsource: s\nlocation: "
		"http://h/s/ab/cdef01.debug\n\ncompanion: dwz\nsource: s\nlocation: "
		"http://h/s/00/11.debug\n\ncompanion: dwz\nabsent: 2233\n"));
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "/00/11"));
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "/22/33"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* A UUID map leads to the BCSymbolMap; both are looked for in all sources, the first that is
 * there counts, and neither is told to the user. */
#define MAP_META "{\"has_debug_info\":true,\"wants\":[{\"role\":\"bcsymbolmap\",\"id\":\"00\"}]}"
#define ORIGINAL_UUID "c8374b6d-6e96-34d8-ae38-efaa5fec424f"
#define OWN_UUID "12/34567812345678123456789abcdef0"

static const struct {
	const char *what;
	enum err_kind uuid_maps[2], symbol_maps[2];      /* of either source */
	const char *key;                                 /* what companions add to it */
} map_cases[] = {
	{ "both in the first", { ERR_NONE, ERR_NONE }, { ERR_NONE, ERR_NONE },
	  "\nbcsymbolmap:\nsource: a\nlocation: http://h/a/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap\n" },
	{ "the second has the maps", { ERR_NOT_FOUND, ERR_NONE }, { ERR_MALFORMED, ERR_NONE },
	  "\nbcsymbolmap:\nsource: b\nlocation: http://h/b/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap\n" },
	{ "no UUID map", { ERR_NOT_FOUND, ERR_DOWNLOAD }, { ERR_NONE, ERR_NONE }, "" },
	{ "no BCSymbolMap", { ERR_NONE, ERR_NONE }, { ERR_TIMEOUT, ERR_NOT_FOUND }, "" },
};

START_TEST(maps_are_found_in_two_steps)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/a/" OWN_UUID "/debuginfo", ERR_NONE, TEXT(MAP_META), 0, 0 },
		{ &derived_uuid_map, "/a/" OWN_UUID "/uuidmap", map_cases[_i].uuid_maps[0],
		  TEXT(ORIGINAL_UUID), 1, 1 },
		{ &derived_uuid_map, "/b/" OWN_UUID "/uuidmap", map_cases[_i].uuid_maps[1],
		  TEXT(ORIGINAL_UUID), 0, 0 },
		{ &derived_symbol_map, "/a/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap",
		  map_cases[_i].symbol_maps[0], TEXT("whatever"), 2, 0 },
		{ &derived_symbol_map, "/b/c8/374b6d6e9634d8ae38efaa5fec424f/bcsymbolmap",
		  map_cases[_i].symbol_maps[1], TEXT("whatever"), 0, 0 },
		{ &derived_symcache, "/debuginfo", ERR_NONE, made_symcache(ARCH_ARM64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;
	char key[512];

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		"{\"type\":\"http\",\"id\":\"a\",\"url\":\"http://h/a/\",\"layout\":{\"type\":\"unified\"}},"
		"{\"type\":\"http\",\"id\":\"b\",\"url\":\"http://h/b/\",\"layout\":{\"type\":\"unified\"}}],"
		"\"modules\":[{\"type\":\"macho\",\"image_addr\":\"0x10000\","
		"\"debug_id\":\"12345678-1234-5678-1234-56789abcdef0\"}],"
		"\"options\":{\"dif_candidates\":true}," ONE_FRAME("0x10200") "}", TEXT("mine")), 0);
	snprintf(key, sizeof(key), "scope: mine\n\nsource: a\nlocation: http://h/a/" OWN_UUID
		 "/debuginfo\n%s", map_cases[_i].key);
	ck_assert_msg(text_is(fake.last_symcache_key, key), "%s: %.*s", map_cases[_i].what,
		      (int)fake.last_symcache_key.size, fake.last_symcache_key.bytes);
	ck_assert_uint_eq(fake.invalidated, map_cases[_i].uuid_maps[0] == ERR_NONE);
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "uuidmap"));
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "bcsymbolmap"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* A line map stands under the module's own ids in all sources; the first that is there and is one
 * counts.  Only some layouts have a place for it. */
#define UNITY_MODULE "{\"type\":\"elf\",\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\"," \
	"\"debug_id\":\"12345678-1234-5678-1234-56789abcdef0\",\"image_addr\":\"0x10000\"}"
#define UNIFIED(id) LAID_OUT(id, "unified")
#define LAID_OUT(id, layout) "{\"type\":\"http\",\"id\":\"" id "\",\"url\":\"http://h/" id "/\"," \
	"\"layout\":{\"type\":\"" layout "\"}}"

static const struct {
	const char *what, *module, *sources;
	enum err_kind maps[2];                           /* of either source */
	unsigned asked;                                  /* maps among what was asked for */
	const char *key;                                 /* what the map adds to it */
} line_map_cases[] = {
	{ "in the first", UNITY_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_NONE, ERR_NONE }, 2,
	  "\nil2cpp:\nsource: a\nlocation: http://h/a/ab/cdef01/il2cpp\n" },
	{ "in the second", UNITY_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_MALFORMED, ERR_NONE }, 2,
	  "\nil2cpp:\nsource: b\nlocation: http://h/b/ab/cdef01/il2cpp\n" },
	{ "nowhere", UNITY_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_NOT_FOUND, ERR_TIMEOUT }, 2, "" },
	{ "without a debug id", ELF_MODULE, UNIFIED("a") "," UNIFIED("b"), { ERR_NONE, ERR_NONE }, 0,
	  "" },
	{ "no place for one", UNITY_MODULE, UNIFIED("a") "," LAID_OUT("b", "debuginfod"),
	  { ERR_NOT_FOUND, ERR_NONE }, 1, "" },
};

START_TEST(line_maps_are_found)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/a/ab/cdef01/debuginfo", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_line_map, "/a/ab/cdef01/il2cpp", line_map_cases[_i].maps[0],
		  TEXT("a map"), 1, 0 },
		{ &derived_line_map, "/b/ab/cdef01/il2cpp", line_map_cases[_i].maps[1],
		  TEXT("a map"), 0, 0 },
		{ &derived_symcache, "/debuginfo", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;
	char key[512], body[2048];

	fake_resolver_init(&fake, entries, COUNT(entries));
	snprintf(body, sizeof(body), "{\"sources\":[%s],\"modules\":[%s],\"options\":"
		 "{\"dif_candidates\":true}," ONE_FRAME("0x10200") "}", line_map_cases[_i].sources,
		 line_map_cases[_i].module);
	ck_assert_int_eq(answer_with(&answered, &fake, body, TEXT("mine")), 0);
	snprintf(key, sizeof(key), "scope: mine\n\nsource: a\nlocation: "
		 "http://h/a/ab/cdef01/debuginfo\n%s", line_map_cases[_i].key);
	ck_assert_msg(text_is(fake.last_symcache_key, key), "%s: %.*s", line_map_cases[_i].what,
		      (int)fake.last_symcache_key.size, fake.last_symcache_key.bytes);
	ck_assert_uint_eq(fake.auxiliaries, line_map_cases[_i].asked);
	ck_assert_ptr_null(strstr(buf_string(&answered.reply), "il2cpp"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* Where every kind of file has the same place, the object there is not taken for a map. */
START_TEST(an_object_is_no_line_map)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "/abcdef01/symbols", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "/abcdef01/symbols", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		LAID_OUT("s", "slashsymbols") "],\"modules\":[" UNITY_MODULE "],"
		ONE_FRAME("0x10200") "}", TEXT("mine")), 0);
	ck_assert_msg(text_is(fake.last_symcache_key, "scope: mine\n\nsource: s\nlocation: "
			      "http://h/s/x/abcdef01/symbols\n"), "%.*s",
		      (int)fake.last_symcache_key.size, fake.last_symcache_key.bytes);
	ck_assert_uint_eq(fake.auxiliaries, 0);
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

/* Variables stand in a file of their own; what cannot be had of it is left out. */
#define META_OF(format) "{\"has_debug_info\":true,\"format\":\"" format "\"}"
#define VARS_OUTER "\"vars\":{\"n\":\"int\"}"
#define VARS_INNER "\"vars\":{\"v\":\"char**\",\"w\":\"void*\"}"

static const struct {
	const char *what, *meta;
	enum err_kind failure;
	unsigned waits, damaged;
	bool is_asked, is_told;
} variables_cases[] = {
	{ "unasked", META_OF("elf"), ERR_NONE, 0, 0, false, false },
	{ "there", META_OF("elf"), ERR_NONE, 0, 0, true, true },
	{ "there later", META_OF("wasm"), ERR_NONE, 2, 0, true, true },
	{ "damaged once", META_OF("macho"), ERR_NONE, 1, 1, true, true },
	{ "damaged always", META_OF("pe"), ERR_NONE, 0, 99, true, false },
	{ "too large to be made", META_OF("elf"), ERR_LIMIT, 0, 0, true, false },
	{ "no DWARF", META_OF("pdb"), ERR_NONE, 0, 0, true, false },
};

START_TEST(variables_are_told_to_those_who_ask)
{
	struct buf lists;
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, text_of(variables_cases[_i].meta), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_entry variables = { &derived_symcache, "cdef01", variables_cases[_i].failure,
					TEXT_NONE, variables_cases[_i].waits,
					variables_cases[_i].damaged };
	struct fake_resolver fake;
	struct answered answered;
	char body[1024];

	buf_init(&lists, 65536);
	fake_variables(&lists, ARCH_X86_64);
	variables.payload = buf_text(&lists);
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.variables = &variables;
	snprintf(body, sizeof(body), "{\"sources\":[{\"type\":\"http\",\"id\":\"s\",\"url\":"
		 "\"http://h/s/\"}],\"modules\":[" ELF_MODULE "],\"options\":{\"extract_variables\":%s},"
		 "\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x10112\"},"
		 "{\"instruction_addr\":\"0x10200\",\"adjust_instruction_addr\":false},"
		 "{\"instruction_addr\":\"0x10500\",\"vars\":{\"mine\":\"stay\"}}]}]}",
		 variables_cases[_i].is_asked ? "true" : "false");
	ck_assert_int_eq(answer_with(&answered, &fake, body, TEXT("mine")), 0);
	ck_assert_msg((strstr(buf_string(&answered.reply), VARS_INNER) != NULL) ==
		      variables_cases[_i].is_told, "%s: %s", variables_cases[_i].what,
		      buf_string(&answered.reply));
	ck_assert_msg((strstr(buf_string(&answered.reply), VARS_OUTER) != NULL) ==
		      variables_cases[_i].is_told, "%s", variables_cases[_i].what);
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply), "\"vars\":{\"mine\":\"stay\"}"));
	ck_assert_msg(text_is(fake.last_symcache_key, variables_cases[_i].is_asked &&
		      !strstr(variables_cases[_i].meta, "pdb")
		      ? "scope: mine\n\nsource: s\nlocation: http://h/s/ab/cdef01\n\nvariables\n"
		      : "scope: mine\n\nsource: s\nlocation: http://h/s/ab/cdef01\n"), "%s: %.*s",
		      variables_cases[_i].what, (int)fake.last_symcache_key.size,
		      fake.last_symcache_key.bytes);
	buf_release(&answered.reply);
	buf_release(&lists);
	forget_made();
}
END_TEST

START_TEST(public_sources_are_global)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":[{\"type\":\"http\",\"id\":"
		"\"s\",\"url\":\"http://h/s/\",\"is_public\":true}],\"modules\":[" ELF_MODULE "],"
		ONE_FRAME("0x10200") "}", TEXT("mine")), 0);
	ck_assert(text_is(fake.last_symcache_key,
			  "scope: global\n\nsource: s\nlocation: http://h/s/ab/cdef01\n"));
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("module_files");
	TCase *tests = tcase_create("module_files");

	tcase_add_test(tests, sources_are_looked_for_afterwards);
	tcase_add_test(tests, keys_carry_scope_and_companions);
	tcase_add_loop_test(tests, maps_are_found_in_two_steps, 0, (int)COUNT(map_cases));
	tcase_add_loop_test(tests, line_maps_are_found, 0, (int)COUNT(line_map_cases));
	tcase_add_test(tests, an_object_is_no_line_map);
	tcase_add_loop_test(tests, variables_are_told_to_those_who_ask, 0,
			    (int)COUNT(variables_cases));
	tcase_add_test(tests, public_sources_are_global);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
