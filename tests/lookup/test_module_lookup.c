/*
 * test_module_lookup.c -- types of files, the choice, and the look-ups of one module: unwind and
 * debug information together, what candidates tell of both, and which file answers a purpose.
 */
#include "support/support.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "kinds/kinds.h"
#include "kinds/native/fake.h"
#include "kinds/native/symbolication.h"
#include "lookup/module_lookup.h"
#include "work/derived.h"
#include "work/request_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Types ------------------------------------------------------------------------------- */

START_TEST(types_are_those_of_the_specification)
{
	size_t count;
	const enum file_type *types = lookup_file_types(LOOKUP_DEBUG, OBJECT_TYPE_ELF, &count);

	ck_assert_uint_eq(count, 5);
	ck_assert_int_eq(types[0], FILE_TYPE_ELF_CODE);
	ck_assert_int_eq(types[4], FILE_TYPE_ELF_DEBUG);
	ck_assert_ptr_eq(lookup_file_types(LOOKUP_UNWIND, OBJECT_TYPE_ELF, &count), types);
	lookup_file_types(LOOKUP_DEBUG, OBJECT_TYPE_UNKNOWN, &count);
	ck_assert_uint_eq(count, 14);
	types = lookup_file_types(LOOKUP_UNWIND, OBJECT_TYPE_PE_DOTNET, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(types[0], FILE_TYPE_PORTABLEPDB);
	types = lookup_file_types(LOOKUP_SOURCE, OBJECT_TYPE_PE, &count);
	ck_assert_uint_eq(count, 5);
	ck_assert_int_eq(types[0], FILE_TYPE_SOURCEBUNDLE);
	ck_assert_int_eq(types[4], FILE_TYPE_PDB);
	lookup_file_types(LOOKUP_SOURCE, OBJECT_TYPE_ELF, &count);
	ck_assert_uint_eq(count, 4);
}
END_TEST

/* --- Choice ------------------------------------------------------------------------------ */

/* d: debug info, s: symbols, S: sources, u: unwind only, -: nothing, x: failed */
static const struct { const char *what, *found; enum lookup_purpose purpose; size_t winner; }
choices[] = {
	{ "nothing found", "", LOOKUP_DEBUG, NO_WINNER },
	{ "debug info before symbols", "sd", LOOKUP_DEBUG, 1 },
	{ "the first of equals", "xdd", LOOKUP_DEBUG, 1 },
	{ "symbols before failures", "xs", LOOKUP_DEBUG, 1 },
	{ "the first failure", "-xx", LOOKUP_DEBUG, 1 },
	{ "useless ones do not count", "-uS", LOOKUP_DEBUG, NO_WINNER },
	{ "unwind", "Suu", LOOKUP_UNWIND, 1 },
	{ "unwind: none", "S-", LOOKUP_UNWIND, NO_WINNER },
	{ "sources", "dxS", LOOKUP_SOURCE, 2 },
	{ "sources: a failure", "dx", LOOKUP_SOURCE, 1 },
};

START_TEST(chooses)
{
	const char *found = choices[_i].found;
	struct candidate candidates[8] = { { .held = { .is_settled = true } } }, *list[8];
	struct lookup lookup = { .candidates = list };

	for (; found[lookup.locations.count]; lookup.locations.count++) {
		struct candidate *one = &candidates[lookup.locations.count];
		char c = found[lookup.locations.count];

		list[lookup.locations.count] = one;
		one->held.failure = c == 'x' ? ERR_DOWNLOAD : ERR_NONE;
		one->meta.has_debug_info = one->meta.has_unwind_info = c == 'd';
		one->meta.has_symbols = c == 's' || c == 'd';
		one->meta.has_unwind_info = c == 'u' || c == 'd';
		one->meta.has_sources = c == 'S';
	}
	ck_assert_msg(lookup_choose(&lookup, choices[_i].purpose) == choices[_i].winner, "%s",
		      choices[_i].what);
}
END_TEST

/* --- One module -------------------------------------------------------------------------- */

#define SOURCE "[{\"type\":\"http\",\"id\":\"s\",\"url\":\"http://h/\",\"filters\":" \
	"{\"filetypes\":[\"elf_code\",\"elf_debug\"]}}]"
#define CODE  "http://h/ab/cdef01"
#define DEBUG CODE ".debug"
#define META_UNWIND \
	"{\"has_debug_info\":false,\"has_unwind_info\":true,\"has_symbols\":true,\"has_sources\":false}"
#define FEATURES(debug, unwind, symbols) "\"features\":{\"has_debug_info\":" debug \
	",\"has_unwind_info\":" unwind ",\"has_symbols\":" symbols ",\"has_sources\":false}"

static const struct object_ids elf_ids = {
	.type = OBJECT_TYPE_ELF, .code_id = { "abcdef01", 8 }, .code_file = { "/bin/x", 6 },
};

struct one_module {
	struct work work;
	struct source_list sources;
	struct module_lookup lookup;
	struct fake_resolver fake;
};

static void begin(struct one_module *one, struct fake_entry *entries, size_t count)
{
	struct err err = ERR_INIT;
	struct cJSON *json;

	memset(one, 0, sizeof(*one));
	ck_assert_int_eq(work_init(&one->work, &request_kind_symbolicate, &fake_config, NULL,
				   TEXT_NONE, &err), 0);
	ck_assert_int_eq(request_json_parse(TEXT(SOURCE), &one->work.arena, &json, &err), 0);
	ck_assert_int_eq(source_list_parse(json, SOURCE_OF_REQUEST, &fake_config, &one->work.arena,
					   &one->sources, &err), 0);
	fake_resolver_init(&one->fake, entries, count);
	one->lookup.ids = &elf_ids;
	one->lookup.sources = &one->sources;
}

static enum resolved choose(struct one_module *one, enum lookup_purpose purpose)
{
	enum resolved resolved = RESOLVED_WAIT;
	struct err err = ERR_INIT;

	for (int i = 0; i < 10 && resolved == RESOLVED_WAIT; i++)
		resolved = module_lookup_choose(&one->lookup, purpose, &one->work,
						&one->fake.resolver, &err);
	return resolved;
}

static void end(struct one_module *one)
{
	module_lookup_release(&one->lookup);
	work_release(&one->work);
	ck_assert_int_eq(fake_holds, 0);
}

static void expect_candidates(struct one_module *one, const char *expected)
{
	struct json_writer json;
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, 1 << 16);
	json_writer_init(&json, &out);
	json_object(&json);
	ck_assert_int_eq(candidates_write(&one->lookup, false, &one->work.arena, &json, &err), 0);
	json_object_end(&json);
	ck_assert_str_eq(buf_string(&out), expected);
	buf_release(&out);
}

START_TEST(unwind_information_and_then_debug_information)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, CODE, ERR_NONE, TEXT(META_UNWIND), 2, 0 },
		{ &derived_object_meta, DEBUG, ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
	};
	struct one_module one;
	unsigned asked;

	begin(&one, entries, COUNT(entries));
	ck_assert_ptr_null(module_lookup_winner(&one.lookup, LOOKUP_UNWIND));
	ck_assert_int_eq(choose(&one, LOOKUP_UNWIND), RESOLVED_READY);
	ck_assert(text_is(module_lookup_winner(&one.lookup, LOOKUP_UNWIND)->held.derive.location->uri,
			  CODE));
	ck_assert(one.lookup.features.unwind_info && !one.lookup.features.debug_info);
	module_lookup_found(&one.lookup, LOOKUP_UNWIND);
	asked = one.fake.asked;
	/* The same files: nobody is asked for them twice. */
	ck_assert_int_eq(choose(&one, LOOKUP_DEBUG), RESOLVED_READY);
	ck_assert_uint_eq(one.fake.asked, asked);
	ck_assert(text_is(module_lookup_winner(&one.lookup, LOOKUP_DEBUG)->held.derive.location->uri,
			  DEBUG));
	ck_assert(one.lookup.features.unwind_info && one.lookup.features.debug_info);
	module_lookup_failed(&one.lookup, LOOKUP_DEBUG, ERR_CRASHED, TEXT("signal 11"),
			     &one.work.arena);
	ck_assert_str_eq(module_status_name(one.lookup.purposes[LOOKUP_UNWIND].status), "found");
	ck_assert_str_eq(module_status_name(one.lookup.purposes[LOOKUP_DEBUG].status), "malformed");
	expect_candidates(&one, "{\"candidates\":["
		"{\"source\":\"s\",\"location\":\"" CODE "\",\"download\":{\"status\":\"ok\","
		FEATURES("false", "true", "true") "},\"unwind\":{\"status\":\"ok\"}},"
		"{\"source\":\"s\",\"location\":\"" DEBUG "\",\"download\":{\"status\":\"ok\","
		FEATURES("true", "true", "true") "},"
		"\"debug\":{\"status\":\"malformed\",\"details\":\"signal 11\"}}]}");
	end(&one);
}
END_TEST

START_TEST(one_file_for_both)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, DEBUG, ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
	};
	struct one_module one;
	struct derive derive;

	begin(&one, entries, COUNT(entries));
	ck_assert_int_eq(choose(&one, LOOKUP_UNWIND), RESOLVED_READY);
	ck_assert_int_eq(choose(&one, LOOKUP_DEBUG), RESOLVED_READY);
	module_lookup_failed(&one.lookup, LOOKUP_UNWIND, ERR_NOT_FOUND, TEXT("gone"),
			     &one.work.arena);
	module_lookup_found(&one.lookup, LOOKUP_DEBUG);
	derive = module_lookup_derive(&one.lookup, LOOKUP_UNWIND, &derived_symcache);
	ck_assert(text_is(derive.location->uri, DEBUG));
	ck_assert_int_eq(derive.key.kind, CACHE_SYMCACHES);
	ck_assert_int_eq(derive.object_key.kind, CACHE_OBJECTS);
	expect_candidates(&one, "{\"candidates\":["
		"{\"source\":\"s\",\"location\":\"" CODE "\",\"download\":{\"status\":\"notfound\"}},"
		"{\"source\":\"s\",\"location\":\"" DEBUG "\",\"download\":{\"status\":\"ok\","
		FEATURES("true", "true", "true") "},\"unwind\":{\"status\":\"error\",\"details\":"
		"\"Object file no longer available\"},\"debug\":{\"status\":\"ok\"}}]}");
	end(&one);
}
END_TEST

static const struct { enum err_kind failure; const char *status, *use; } failures[] = {
	{ ERR_NOT_FOUND, "missing", "" }, { ERR_DENIED, "fetching_failed", "" },
	{ ERR_TIMEOUT, "timeout", "" }, { ERR_DOWNLOAD, "fetching_failed", "" },
	{ ERR_MALFORMED, "malformed", ",\"unwind\":{\"status\":\"malformed\"}" },
};

START_TEST(no_file_with_unwind_information)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, CODE, failures[_i].failure, TEXT("why"), 0, 0 },
		{ &derived_object_meta, DEBUG, ERR_NONE, TEXT(FAKE_META_NOTHING), 0, 0 },
	};
	const struct purpose_lookup *unwind;
	struct one_module one;
	struct json_writer json;
	struct err err = ERR_INIT;
	struct buf out;

	begin(&one, entries, COUNT(entries));
	ck_assert_int_eq(choose(&one, LOOKUP_UNWIND), RESOLVED_READY);
	unwind = &one.lookup.purposes[LOOKUP_UNWIND];
	ck_assert_int_eq(unwind->failure, failures[_i].failure);
	ck_assert_str_eq(module_status_name(unwind->status), failures[_i].status);
	buf_init(&out, 1 << 16);
	json_writer_init(&json, &out);
	json_object(&json);
	ck_assert_int_eq(candidates_write(&one.lookup, false, &one.work.arena, &json, &err), 0);
	ck_assert_msg(!failures[_i].use[0] == !strstr(buf_string(&out), "\"unwind\"") &&
		      strstr(buf_string(&out), failures[_i].use) != NULL, "%s", buf_string(&out));
	buf_release(&out);
	end(&one);
}
END_TEST

/* --- In an answer ------------------------------------------------------------------------ */

/* What a walker of stacks does: look for unwind information, walk, and have the frames it found
 * symbolicated with the look-ups it made. */
START_TEST(a_walkers_frames_are_symbolicated)
{
	struct buf symcache, out;
	struct fake_entry entries[] = {
		{ &derived_object_meta, DEBUG, ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, DEBUG, ERR_NONE, TEXT_NONE, 1, 0 },
	};
	struct raw_frame frames[] = {
		{ .address = { true, 0x10200 }, .trust = TRUST_CONTEXT },
		{ .address = { true, 0x10111 }, .trust = TRUST_SCAN },
		{ .address = { true, 0x99999 }, .trust = TRUST_SCAN },
	};
	struct cpu_register registers[] = { { { "rip", 3 }, 0x10200 } };
	struct raw_trace trace = {
		.thread_id = { true, 5 }, .is_requesting = MAYBE_TRUE, .frames = frames,
		.frame_count = COUNT(frames), .registers = registers, .register_count = 1,
	};
	struct raw_module module = { .ids = elf_ids, .image_addr = { true, 0x10000 }, .image_size = { true, 0x1000 } };
	struct one_module one;
	struct module_lookup *lookups[] = { &one.lookup };
	struct symbolication_request request = {
		.report = { &trace, 1, &module, 1, { false, 0 } }, .lookups = lookups,
		.options = { .apply_source_context = true, .dif_candidates = true },
		.scraping = scraping_default(),
	};
	struct symbolication *symbolication;
	enum stepped stepped = STEP_WAIT;
	struct err err = ERR_INIT;
	struct json_writer json;

	buf_init(&symcache, 1 << 16);
	fake_symcache(&symcache, ARCH_X86_64);
	entries[1].payload = buf_text(&symcache);
	begin(&one, entries, COUNT(entries));
	request.sources = &one.sources;
	ck_assert_int_eq(choose(&one, LOOKUP_UNWIND), RESOLVED_READY);
	module_lookup_found(&one.lookup, LOOKUP_UNWIND);
	symbolication = symbolication_new(&one.work, &request, &err);
	ck_assert_ptr_nonnull(symbolication);
	for (int i = 0; i < 10 && stepped == STEP_WAIT; i++)
		stepped = symbolication_step(symbolication, &one.fake.resolver, &err);
	ck_assert_int_eq(stepped, STEP_DONE);
	buf_init(&out, 1 << 16);
	json_writer_init(&json, &out);
	json_object(&json);
	json_member_bool(&json, "crashed", true);
	ck_assert_int_eq(symbolication_write(symbolication, &json, &err), 0);
	json_object_end(&json);
	ck_assert_str_eq(buf_string(&out), "{\"crashed\":true,\"stacktraces\":[{\"thread_id\":5,"
		"\"is_requesting\":true,\"registers\":{\"rip\":\"0x10200\"},\"frames\":["
		"{\"status\":\"symbolicated\",\"original_index\":0,\"instruction_addr\":\"0x10200\","
		"\"package\":\"/bin/x\",\"lang\":\"c\",\"symbol\":\"main\",\"sym_addr\":\"0x10200\","
		"\"function\":\"main\",\"filename\":\"main.c\",\"abs_path\":\"/src/main.c\",\"lineno\":5,"
		"\"trust\":\"context\"},"
		"{\"status\":\"symbolicated\",\"original_index\":1,\"instruction_addr\":\"0x10110\","
		"\"package\":\"/bin/x\",\"lang\":\"cpp\",\"symbol\":\"_ZN5innerEv\",\"function\":\"inner()\","
		"\"filename\":\"a.cpp\",\"abs_path\":\"/src/lib/a.cpp\",\"lineno\":77,\"trust\":\"scan\"},"
		"{\"status\":\"symbolicated\",\"original_index\":1,\"instruction_addr\":\"0x10110\","
		"\"package\":\"/bin/x\",\"lang\":\"cpp\",\"symbol\":\"_Z5outeri\",\"sym_addr\":\"0x10100\","
		"\"function\":\"outer(int)\",\"filename\":\"a.cpp\",\"abs_path\":\"/src/lib/a.cpp\","
		"\"lineno\":10,\"trust\":\"scan\"}]}],"
		"\"modules\":[{\"debug_status\":\"found\",\"unwind_status\":\"found\","
		FEATURES("true", "true", "true") ",\"arch\":\"x86_64\",\"type\":\"elf\","
		"\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\","
		"\"image_size\":4096,\"candidates\":[{\"source\":\"s\",\"location\":\"" CODE "\","
		"\"download\":{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":\"" DEBUG "\","
		"\"download\":{\"status\":\"ok\"," FEATURES("true", "true", "true") "},"
		"\"unwind\":{\"status\":\"ok\"},\"debug\":{\"status\":\"ok\"}}]}]}");
	symbolication_release(symbolication);
	buf_release(&out);
	buf_release(&symcache);
	end(&one);
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------- */

static int look_for_both(void *payload, struct err *err)
{
	static struct one_module one;        /* zeroed by each run */
	enum resolved resolved = RESOLVED_ERROR;
	struct cJSON *json;

	(void)payload;
	memset(&one, 0, sizeof(one));
	fake_resolver_init(&one.fake, NULL, 0);
	one.lookup.ids = &elf_ids;
	one.lookup.sources = &one.sources;
	if (work_init(&one.work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE, err) < 0)
		return -1;
	if (request_json_parse(TEXT(SOURCE), &one.work.arena, &json, err) == 0 &&
	    source_list_parse(json, SOURCE_OF_REQUEST, &fake_config, &one.work.arena, &one.sources,
			      err) == 0 &&
	    module_lookup_choose(&one.lookup, LOOKUP_UNWIND, &one.work, &one.fake.resolver,
				 err) == RESOLVED_READY)
		resolved = module_lookup_choose(&one.lookup, LOOKUP_DEBUG, &one.work,
						&one.fake.resolver, err);
	module_lookup_release(&one.lookup);
	work_release(&one.work);
	return resolved == RESOLVED_READY ? 0 : -1;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(look_for_both, NULL, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("module lookup");
	TCase *tests = tcase_create("module lookup");

	tcase_add_test(tests, types_are_those_of_the_specification);
	tcase_add_loop_test(tests, chooses, 0, COUNT(choices));
	tcase_add_test(tests, unwind_information_and_then_debug_information);
	tcase_add_test(tests, one_file_for_both);
	tcase_add_loop_test(tests, no_file_with_unwind_information, 0, COUNT(failures));
	tcase_add_test(tests, a_walkers_frames_are_symbolicated);
	tcase_add_test(tests, survives_every_allocation_failure);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
