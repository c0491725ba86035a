/* test_answers.c -- whole answers, statuses, and what is told to those who ask why. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch.h"
#include "kinds/kinds.h"
#include "kinds/native/answers.h"
#include "work/derived.h"
#include "work/envelope.h"
#include "work/held.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Whole answers ----------------------------------------------------------------------- */

START_TEST(empty_requests)
{
	struct fake_resolver fake;

	fake_resolver_init(&fake, NULL, 0);
	expect_answer(&fake, "{}", "{\"status\":\"completed\",\"stacktraces\":[],\"modules\":[]}");
	expect_answer(&fake, "{\"platform\":\"native\",\"signal\":11,\"sources\":[],"
		"\"stacktraces\":[{\"thread_id\":7,\"thread_name\":\"main\",\"is_requesting\":true,"
		"\"registers\":{\"eip\":\"0x0000000000000010\"},\"frames\":[]}]}",
		"{\"status\":\"completed\",\"signal\":11,\"stacktraces\":[{\"thread_id\":7,"
		"\"thread_name\":\"main\",\"is_requesting\":true,\"registers\":{\"eip\":\"0x10\"},"
		"\"frames\":[]}],\"modules\":[]}");
	ck_assert_uint_eq(fake.asked, 0);
}
END_TEST

START_TEST(no_sources_and_every_member_echoed)
{
	struct fake_resolver fake;

	fake_resolver_init(&fake, NULL, 0);
	expect_answer(&fake, "{\"sources\":[],\"modules\":[{\"type\":\"pe\",\"debug_id\":"
		"\"FF9F9F7841DB88F0CDEDA9E1E9BFF3B51\",\"code_file\":\"C:\\\\k.dll\",\"debug_file\":"
		"\"k.pdb\",\"image_addr\":\"0x749d0000\",\"image_size\":851968,\"debug_checksum\":"
		"\"SHA256:00\"}],\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x749e8630\","
		"\"platform\":\"nodejs\",\"adjust_instruction_addr\":false,\"function_id\":9,"
		"\"package\":\"p\",\"lang\":\"unknown\",\"symbol\":\"s\",\"sym_addr\":\"5\","
		"\"function\":\"f\",\"filename\":\"n\",\"abs_path\":\"a\",\"lineno\":0,"
		"\"pre_context\":[\"x\"],\"context_line\":\"y\",\"post_context\":[],"
		"\"source_link\":\"l\",\"in_app\":true,\"vars\":{\"a\":\"int\"},\"trust\":\"cfi\"}]}],"
		"\"options\":{\"dif_candidates\":true}}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[{\"status\":\"missing\","
		"\"original_index\":0,\"platform\":\"node\",\"instruction_addr\":\"0x749e8630\","
		"\"adjust_instruction_addr\":false,\"function_id\":\"0x9\",\"package\":\"C:\\\\k.dll\","
		"\"lang\":\"unknown\",\"symbol\":\"s\",\"sym_addr\":\"0x5\",\"function\":\"f\","
		"\"filename\":\"n\",\"abs_path\":\"a\",\"lineno\":0,\"pre_context\":[\"x\"],"
		"\"context_line\":\"y\",\"source_link\":\"l\",\"in_app\":true,\"vars\":{\"a\":\"int\"},"
		"\"trust\":\"cfi\"}]}],\"modules\":[{\"debug_status\":\"missing\",\"features\":"
		NO_FEATURES ",\"arch\":\"unknown\",\"type\":\"pe\",\"code_file\":\"C:\\\\k.dll\","
		"\"debug_id\":\"ff9f9f78-41db-88f0-cded-a9e1e9bff3b5-1\",\"debug_file\":\"k.pdb\","
		"\"debug_checksum\":\"SHA256:00\",\"image_addr\":\"0x749d0000\",\"image_size\":851968}]}");
}
END_TEST

START_TEST(a_found_module_with_inlined_calls)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 1, 1 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 2, 1 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.name_waits = 1;
	expect_answer(&fake, REQUEST("\"dif_candidates\":true",
		"{\"instruction_addr\":\"0x10110\"},{\"instruction_addr\":\"0x10201\"},"
		"{\"instruction_addr\":\"0x310\",\"addr_mode\":\"rel:0\"},"
		"{\"instruction_addr\":\"0x10450\"},{\"instruction_addr\":\"0x9\"}"),
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		INNER("0x10110", "0") ","
		OUTER("0x10110", "10", "0", "\"sym_addr\":\"0x10100\",") ","
		MAIN("0x10200", "1") "," BARE("0x1030f", "2") ","
		"{\"status\":\"missing_symbol\",\"original_index\":3,\"instruction_addr\":\"0x10450\","
		"\"package\":\"/bin/x\"},{\"status\":\"unknown_image\",\"original_index\":4,"
		"\"instruction_addr\":\"0x9\"}]}],\"modules\":["
		ELF_ECHO("found", DEBUG_FEATURES, "x86_64") ",\"candidates\":["
		"{\"source\":\"s\",\"location\":\"http://h/s/ab/cdef01\",\"download\":"
		"{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01.debug\",\"download\":{\"status\":\"ok\",\"features\":"
		DEBUG_FEATURES "},\"debug\":{\"status\":\"ok\"}}]}]}");
	ck_assert_uint_eq(fake.invalidated, 2);
	ck_assert_uint_eq(fake.name_messages, 1);
	ck_assert_uint_eq(fake.names, 3);     /* outer, inner, bare; C names are never mangled */
	ck_assert(text_is(fake.last_symcache_key, "scope: global\n\nsource: s\nlocation: "
			  "http://h/s/ab/cdef01.debug\n"));
	forget_made();
}
END_TEST

START_TEST(caller_first_is_turned_twice)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, REQUEST("\"frame_order\":\"caller_first\"",
		"{\"instruction_addr\":\"0x10201\"},{\"instruction_addr\":\"0x10110\"}"),
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[" MAIN("0x10200", "1") ","
		OUTER("0x10110", "10", "0", "\"sym_addr\":\"0x10100\",") ","
		INNER("0x10110", "0") "]}],\"modules\":["
		ELF_ECHO("found", DEBUG_FEATURES, "x86_64") "}]}");
	forget_made();
}
END_TEST

START_TEST(a_module_at_zero_is_relative)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_WASM32), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, "{\"sources\":[" FILTERED("s", "\"wasm_debug\"") "],\"modules\":["
		"{\"type\":\"wasm\",\"code_id\":\"abcdef01\"}],\"stacktraces\":[{\"frames\":["
		"{\"instruction_addr\":\"0x205\",\"addr_mode\":\"rel:0\"},"
		"{\"instruction_addr\":\"0x205\"}]}]}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[{\"status\":\"symbolicated\","
		"\"original_index\":0,\"addr_mode\":\"rel:0\",\"instruction_addr\":\"0x205\",\"lang\":"
		"\"c\",\"symbol\":\"main\",\"sym_addr\":\"0x200\",\"function\":\"main\",\"filename\":"
		"\"main.c\",\"abs_path\":\"/src/main.c\",\"lineno\":5},{\"status\":\"missing_symbol\","
		"\"original_index\":1,\"instruction_addr\":\"0x205\"}]}],\"modules\":["
		"{\"debug_status\":\"found\",\"features\":" DEBUG_FEATURES ",\"arch\":\"wasm32\","
		"\"type\":\"wasm\",\"code_id\":\"abcdef01\",\"image_addr\":\"0x0\"}]}");
	forget_made();
}
END_TEST

/* --- Frames that fail -------------------------------------------------------------------- */

START_TEST(names_of_frames_nobody_knows)
{
	struct fake_resolver fake;

	fake_resolver_init(&fake, NULL, 0);
	expect_answer(&fake, "{\"stacktraces\":[{\"frames\":["
		"{\"instruction_addr\":1,\"function\":\"_Z4mainv\"},"
		"{\"instruction_addr\":2,\"symbol\":\"_Z4mainv\"},"
		"{\"instruction_addr\":3,\"symbol\":\"_Z4mainv\",\"function\":\"x\"},"
		"{\"instruction_addr\":4,\"function\":\"plain\"},"
		"{\"instruction_addr\":5,\"trust\":\"scan\"},"
		"{\"instruction_addr\":6,\"function\":\"_Zstart\"},"
		"{\"instruction_addr\":7}]},"
		"{\"frames\":[{\"instruction_addr\":8,\"function\":\"_start\"},"
		"{\"instruction_addr\":9},{\"instruction_addr\":10}]}]}",
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		"{\"status\":\"unknown_image\",\"original_index\":0,\"instruction_addr\":\"0x1\","
		"\"symbol\":\"_Z4mainv\",\"function\":\"main()\"},"
		"{\"status\":\"unknown_image\",\"original_index\":1,\"instruction_addr\":\"0x2\","
		"\"symbol\":\"_Z4mainv\",\"function\":\"main()\"},"
		"{\"status\":\"unknown_image\",\"original_index\":2,\"instruction_addr\":\"0x3\","
		"\"symbol\":\"_Z4mainv\",\"function\":\"x\"},"
		"{\"status\":\"unknown_image\",\"original_index\":3,\"instruction_addr\":\"0x4\","
		"\"function\":\"plain\"},"
		"{\"status\":\"unknown_image\",\"original_index\":5,\"instruction_addr\":\"0x6\","
		"\"symbol\":\"_Zstart\",\"function\":\"_start\"}]},"
		"{\"frames\":["
		"{\"status\":\"unknown_image\",\"original_index\":0,\"instruction_addr\":\"0x8\","
		"\"function\":\"_start\"},"
		"{\"status\":\"unknown_image\",\"original_index\":1,\"instruction_addr\":\"0x9\"},"
		"{\"status\":\"unknown_image\",\"original_index\":2,\"instruction_addr\":\"0xa\"}"
		"]}],\"modules\":[]}");
}
END_TEST

START_TEST(a_module_only_dropped_frames_spoke_of_is_unused)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, REQUEST("\"dif_candidates\":false",
		"{\"instruction_addr\":\"0x10001\",\"trust\":\"scan\"}"),
		"{\"status\":\"completed\",\"stacktraces\":[{\"frames\":[]}],\"modules\":["
		ELF_ECHO("unused", DEBUG_FEATURES, "x86_64") "}]}");
	forget_made();
}
END_TEST

/* --- Statuses ---------------------------------------------------------------------------- */

static const struct {
	const char *what;
	enum err_kind kind;
	const char *details, *frame, *module, *download, *use;
} failures[] = {
	{ "not found", ERR_NOT_FOUND, "", "missing", "missing",
	  "{\"status\":\"notfound\"}", "" },
	{ "denied", ERR_DENIED, "403 Forbidden", "missing", "fetching_failed",
	  "{\"status\":\"noperm\",\"details\":\"403 Forbidden\"}", "" },
	{ "download error", ERR_DOWNLOAD, "500 Internal Server Error", "missing",
	  "fetching_failed", "{\"status\":\"error\",\"details\":"
	  "\"download failed: 500 Internal Server Error\"}", "" },
	{ "timeout", ERR_TIMEOUT, "200ms", "missing", "timeout",
	  "{\"status\":\"error\",\"details\":\"download timed out after 200ms\"}", "" },
	{ "malformed", ERR_MALFORMED, "reading elf", "malformed", "malformed",
	  "{\"status\":\"malformed\"}", ",\"debug\":{\"status\":\"malformed\"}" },
	{ "unsupported", ERR_UNSUPPORTED, "a PDB", "missing", "unsupported",
	  "{\"status\":\"error\",\"details\":\"unsupported: a PDB\"}",
	  ",\"debug\":{\"status\":\"malformed\"}" },
	{ "crashed", ERR_CRASHED, "the cell died of signal 11", "malformed", "malformed",
	  "{\"status\":\"malformed\",\"details\":\"the cell died of signal 11\"}",
	  ",\"debug\":{\"status\":\"malformed\",\"details\":\"the cell died of signal 11\"}" },
	{ "our own trouble", ERR_IO, "disk full", "missing", "other",
	  "{\"status\":\"error\",\"details\":\"internal error\"}",
	  ",\"debug\":{\"status\":\"malformed\"}" },
};

START_TEST(objects_that_cannot_be_had)
{
	struct fake_entry entry = { &derived_object_meta, "cdef01", failures[_i].kind,
				    text_of(failures[_i].details), 1, 0 };
	struct fake_resolver fake;
	char *reply = support_printf("{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		"{\"status\":\"%s\",\"original_index\":0,\"instruction_addr\":\"0x10110\","
		"\"package\":\"/bin/x\"}]}],\"modules\":[{\"debug_status\":\"%s\",\"features\":"
		NO_FEATURES ",\"arch\":\"unknown\",\"type\":\"elf\",\"code_id\":\"abcdef01\","
		"\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\",\"image_size\":4096,"
		"\"candidates\":[{\"source\":\"s\",\"location\":\"No object files listed on this "
		"source\",\"download\":{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01\",\"download\":%s%s}]}]}", failures[_i].frame,
		failures[_i].module, failures[_i].download, failures[_i].use);

	fake_resolver_init(&fake, &entry, 1);
	expect_answer(&fake, "{\"sources\":[" FILTERED("s", "\"elf_code\"") "],\"modules\":["
		      ELF_MODULE "]," ONE_FRAME("0x10110") ",\"options\":{\"dif_candidates\":true}}",
		      reply);
}
END_TEST

static const struct {
	const char *what;
	enum err_kind kind;
	const char *details, *frame, *module, *use;
} conversions[] = {
	{ "malformed", ERR_MALFORMED, "bad DWARF", "malformed", "malformed",
	  "{\"status\":\"malformed\"}" },
	{ "over a limit", ERR_LIMIT, "took more than 4 GiB", "malformed", "malformed",
	  "{\"status\":\"malformed\",\"details\":\"took more than 4 GiB\"}" },
	{ "gone meanwhile", ERR_NOT_FOUND, "", "missing", "missing",
	  "{\"status\":\"error\",\"details\":\"Object file no longer available\"}" },
	{ "unsupported", ERR_UNSUPPORTED, "no units", "missing", "unsupported",
	  "{\"status\":\"error\",\"details\":\"unsupported: no units\"}" },
	{ "our own trouble", ERR_IO, "disk full", "missing", "other",
	  "{\"status\":\"error\",\"details\":\"internal error\"}" },
	{ "damaged for ever", ERR_NONE, "damaged", "malformed", "malformed",
	  "{\"status\":\"malformed\"}" },
};

START_TEST(objects_that_cannot_be_converted)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_SYMBOLS), 0, 0 },
		{ &derived_symcache, "cdef01", conversions[_i].kind, text_of(conversions[_i].details),
		  1, 0 },
	};
	struct fake_resolver fake;
	char *reply = support_printf("{\"status\":\"completed\",\"stacktraces\":[{\"frames\":["
		"{\"status\":\"%s\",\"original_index\":0,\"instruction_addr\":\"0x10110\","
		"\"package\":\"/bin/x\"}]}],\"modules\":[{\"debug_status\":\"%s\",\"features\":"
		FEATURES("false", "true", "true", "false") ",\"arch\":\"unknown\",\"type\":\"elf\","
		"\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\","
		"\"image_size\":4096,\"candidates\":[{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01\",\"download\":{\"status\":\"ok\",\"features\":"
		FEATURES("false", "true", "true", "false") "},\"debug\":%s}]}]}",
		conversions[_i].frame, conversions[_i].module, conversions[_i].use);

	fake_resolver_init(&fake, entries, COUNT(entries));
	expect_answer(&fake, "{\"sources\":[" FILTERED("s", "\"elf_code\"") "],\"modules\":["
		      ELF_MODULE "]," ONE_FRAME("0x10110") ",\"options\":{\"dif_candidates\":true,"
		      "\"apply_source_context\":false}}", reply);
	ck_assert_uint_eq(fake.invalidated, conversions[_i].kind ? 0 : HELD_SENSELESS_TRIES);
}
END_TEST

START_TEST(dotnet_is_unsupported)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "c.pdb", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;

	fake_resolver_init(&fake, entries, COUNT(entries));
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		FILTERED("s", "\"pdb\"") "],\"modules\":[{\"type\":\"pe_dotnet\",\"debug_file\":"
		"\"c.pdb\",\"debug_id\":\"3249d99d0c4049318610f4e4fb0b6936\"}],\"stacktraces\":[{"
		"\"frames\":[{\"instruction_addr\":10,\"function_id\":6,\"addr_mode\":\"rel:0\"}]}],"
		"\"options\":{\"dif_candidates\":true}}", TEXT_NONE), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply), "{\"status\":\"missing\","
		"\"original_index\":0,\"addr_mode\":\"rel:0\",\"instruction_addr\":\"0xa\","
		"\"function_id\":\"0x6\"}"));
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply),
		"\"debug_status\":\"unsupported\",\"features\":" DEBUG_FEATURES));
	ck_assert_ptr_nonnull(strstr(buf_string(&answered.reply), "\"debug\":{\"status\":\"error\","
		"\"details\":\"unsupported: Only portable PDB files can be used for .NET "
		"symbolication\"}"));
	buf_release(&answered.reply);
}
END_TEST

/* --- Why, and the other envelopes -------------------------------------------------------- */

START_TEST(tells_why)
{
	struct fake_entry entry = { &derived_object_meta, "cdef01", ERR_MALFORMED,
				    TEXT("reading elf: .symtab ends early"), 0, 0 };
	struct fake_resolver fake;
	struct work work;
	struct err err = ERR_INIT;
	struct buf json;

	fake_resolver_init(&fake, &entry, 1);
	ck_assert_int_eq(work_init(&work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE,
				   &err), 0);
	ck_assert_int_eq(fake_parse(&work, TEXT("{\"sources\":[" FILTERED("s", "\"elf_code\"")
						"],\"modules\":[" ELF_MODULE "],"
						ONE_FRAME("0x10110") "}"), &err), 0);
	ck_assert_int_eq(work.kind->step(&work, &fake.resolver, &err), STEP_DONE);
	buf_init(&json, 1 << 20);
	ck_assert_int_eq(work_candidates(&work, &json, &err), 0);
	ck_assert_str_eq(buf_string(&json), "{\"modules\":[{\"type\":\"elf\",\"code_id\":"
		"\"abcdef01\",\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\",\"image_size\":4096,"
		"\"debug_status\":\"malformed\",\"reason\":\"malformed\","
		"\"details\":\"reading elf: .symtab ends early\","
		"\"candidates\":[{\"source\":\"s\",\"location\":\"No object files listed on this "
		"source\",\"download\":{\"status\":\"notfound\"}},{\"source\":\"s\",\"location\":"
		"\"http://h/s/ab/cdef01\",\"download\":{\"status\":\"malformed\",\"details\":"
		"\"reading elf: .symtab ends early\"},\"debug\":{\"status\":\"malformed\"},"
		"\"file_type\":\"elf_code\",\"reason\":\"malformed\"}]}]}");
	buf_release(&json);
	work_release(&work);
}
END_TEST

START_TEST(envelopes)
{
	struct buf reply;

	buf_init(&reply, 4096);
	envelope_pending(&reply, "0f1b9b2e-6f0f-4c0e-9a0e-000000000000");
	envelope_failed(&reply, TEXT("not \"found\""));
	envelope_timeout(&reply);
	envelope_internal(&reply);
	ck_assert_str_eq(buf_string(&reply), "{\"status\":\"pending\",\"request_id\":"
		"\"0f1b9b2e-6f0f-4c0e-9a0e-000000000000\",\"retry_after\":30}"
		"{\"status\":\"failed\",\"message\":\"not \\\"found\\\"\"}{\"status\":\"timeout\"}"
		"{\"status\":\"internal_error\"}");
	buf_release(&reply);
	ck_assert_ptr_eq(request_kind_named("symbolicate"), &request_kind_symbolicate);
	ck_assert_ptr_null(request_kind_named("nothing"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("answers");
	TCase *tests = tcase_create("answers");

	tcase_add_test(tests, empty_requests);
	tcase_add_test(tests, no_sources_and_every_member_echoed);
	tcase_add_test(tests, a_found_module_with_inlined_calls);
	tcase_add_test(tests, caller_first_is_turned_twice);
	tcase_add_test(tests, a_module_at_zero_is_relative);
	tcase_add_test(tests, names_of_frames_nobody_knows);
	tcase_add_test(tests, a_module_only_dropped_frames_spoke_of_is_unused);
	tcase_add_loop_test(tests, objects_that_cannot_be_had, 0, COUNT(failures));
	tcase_add_loop_test(tests, objects_that_cannot_be_converted, 0, COUNT(conversions));
	tcase_add_test(tests, dotnet_is_unsupported);
	tcase_add_test(tests, tells_why);
	tcase_add_test(tests, envelopes);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
