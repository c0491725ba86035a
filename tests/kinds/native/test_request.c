/* test_request.c -- the schema of POST /symbolicate. */
#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/native/fake.h"
#include "kinds/kinds.h"

START_TEST(a_body_that_needs_too_much_memory)
{
	struct config config = { .request_memory_bytes = 256 * 1024 };
	struct buf body;
	struct work work;
	struct err err = ERR_INIT;

	buf_init(&body, 1 << 20);
	buf_add_string(&body, "{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":1}");
	for (int i = 0; i < 1000; i++)
		buf_add_string(&body, ",{\"instruction_addr\":1}");
	buf_add_string(&body, "]}]}");
	ck_assert_int_eq(work_init(&work, &request_kind_symbolicate, &config, NULL, TEXT_NONE,
				   &err), 0);
	ck_assert_int_lt(fake_parse(&work, buf_text(&body), &err), 0);
	ck_assert_int_eq(err.kind, ERR_TOO_LARGE);
	work_release(&work);
	buf_release(&body);
}
END_TEST

/* --- The schema -------------------------------------------------------------------------- */

#define FRAME(members) \
	"{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":1," members "}]}]}"
#define TRACE(members) "{\"stacktraces\":[{\"frames\":[]," members "}]}"
#define MODULE(members) "{\"modules\":[{\"type\":\"elf\"," members "}]}"
#define SOURCE(members) "{\"sources\":[{\"type\":\"http\",\"id\":\"x\"," members "}]}"

static const struct {
	const char *what, *body;
	enum err_kind kind;
	const char *why;             /* part of the refusal */
} shapes[] = {
	{ "nothing at all", "{}", ERR_NONE, NULL },
	{ "unknown members", "{\"unknown\":1,\"x\":{\"y\":[1.5,12345678901234567]}}", ERR_NONE,
	  NULL },
	{ "an array", "[]", ERR_BAD_SHAPE, "an object" },
	{ "a string", "\"x\"", ERR_BAD_SHAPE, "an object" },
	{ "no JSON", "{", ERR_BAD_REQUEST, "not JSON" },
	{ "signal", "{\"signal\":11}", ERR_NONE, NULL },
	{ "signal null", "{\"signal\":null}", ERR_NONE, NULL },
	{ "signal negative", "{\"signal\":-1}", ERR_BAD_SHAPE, "signal: an unsigned" },
	{ "signal of 33 bits", "{\"signal\":4294967296}", ERR_BAD_SHAPE, "signal" },
	{ "signal as text", "{\"signal\":\"11\"}", ERR_BAD_SHAPE, "signal" },
	{ "signal with a fraction", "{\"signal\":11.0}", ERR_BAD_SHAPE, "signal" },
	{ "platform null", "{\"platform\":null}", ERR_NONE, NULL },
	{ "platform a number", "{\"platform\":1}", ERR_BAD_SHAPE, "platform: a string" },
	{ "platform a long number", "{\"platform\":12345678901234567}", ERR_BAD_SHAPE, "platform" },
	{ "sources null", "{\"sources\":null}", ERR_NONE, NULL },
	{ "sources an object", "{\"sources\":{}}", ERR_BAD_SHAPE, "sources" },
	{ "a source", SOURCE("\"url\":\"http://x/\""), ERR_NONE, NULL },
	{ "a source and a long number", SOURCE("\"url\":\"http://x/\",\"y\":12345678901234567"),
	  ERR_NONE, NULL },
	{ "a source's url a long number", SOURCE("\"url\":12345678901234567"), ERR_BAD_SHAPE,
	  "sources[0]" },
	{ "a source without url", SOURCE("\"y\":1"), ERR_BAD_SHAPE, "sources[0]" },
	{ "an unknown source", "{\"sources\":[{\"type\":\"ftp\",\"id\":\"x\"}]}", ERR_BAD_SHAPE,
	  "sources[0]" },
	{ "stacktraces null", "{\"stacktraces\":null}", ERR_BAD_SHAPE, "stacktraces: an array" },
	{ "modules null", "{\"modules\":null}", ERR_BAD_SHAPE, "modules: an array" },
	{ "options null", "{\"options\":null}", ERR_BAD_SHAPE, "options: an object" },
	{ "options", "{\"options\":{\"dif_candidates\":true,\"apply_source_context\":false,"
	  "\"frame_order\":\"caller_first\",\"extract_variables\":true,\"x\":1}}", ERR_NONE, NULL },
	{ "an option of another type", "{\"options\":{\"dif_candidates\":1}}", ERR_BAD_SHAPE,
	  "options.dif_candidates: true or false" },
	{ "an option null", "{\"options\":{\"apply_source_context\":null}}", ERR_BAD_SHAPE,
	  "options.apply_source_context" },
	{ "an unknown order", "{\"options\":{\"frame_order\":\"x\"}}", ERR_BAD_SHAPE,
	  "options.frame_order: `callee_first`" },
	{ "scraping", "{\"scraping\":{\"enabled\":false,\"allowed_origins\":[\"*\"],"
	  "\"headers\":{\"a\":\"b\"},\"verify_ssl\":false}}", ERR_NONE, NULL },
	{ "scraping in part", "{\"scraping\":{\"enabled\":false,\"allowed_origins\":[]}}",
	  ERR_BAD_SHAPE, "scraping: member `headers` is missing" },
	{ "scraping headers of numbers", "{\"scraping\":{\"enabled\":false,\"allowed_origins\":[],"
	  "\"headers\":{\"a\":1}}}", ERR_BAD_SHAPE, "scraping.headers" },
	{ "a Host among scraping headers", "{\"scraping\":{\"enabled\":true,\"allowed_origins\":[\"*\"],"
	  "\"headers\":{\"a\":\"b\",\"HOST\":\"internal\"}}}", ERR_BAD_SHAPE,
	  "scraping.headers: `HOST` cannot be set: only sources of the config file may set it" },
	{ "scraping null", "{\"scraping\":null}", ERR_BAD_SHAPE, "scraping" },
	{ "a trace without frames", "{\"stacktraces\":[{}]}", ERR_BAD_SHAPE,
	  "stacktraces[0]: member `frames` is missing" },
	{ "frames null", "{\"stacktraces\":[{\"frames\":null}]}", ERR_BAD_SHAPE,
	  "stacktraces[0].frames" },
	{ "all of a trace", TRACE("\"thread_id\":18446744073709551615,\"thread_name\":\"m\","
	  "\"is_requesting\":false,\"registers\":{\"rip\":\"0x1\",\"rsp\":-8}"), ERR_NONE, NULL },
	{ "nulls of a trace", TRACE("\"thread_id\":null,\"thread_name\":null,"
	  "\"is_requesting\":null"), ERR_NONE, NULL },
	{ "a negative thread", TRACE("\"thread_id\":-1"), ERR_BAD_SHAPE,
	  "stacktraces[0].thread_id" },
	{ "a thread beyond 64 bits", TRACE("\"thread_id\":18446744073709551616"), ERR_BAD_SHAPE,
	  "thread_id" },
	{ "a thread as text", TRACE("\"thread_id\":\"1\""), ERR_BAD_SHAPE, "thread_id" },
	{ "registers null", TRACE("\"registers\":null"), ERR_BAD_SHAPE, "registers" },
	{ "a register that is no number", TRACE("\"registers\":{\"rip\":\"x\"}"), ERR_BAD_SHAPE,
	  "stacktraces[0].registers.rip: an integer of 64 bits" },
	{ "a frame without address", "{\"stacktraces\":[{\"frames\":[{}]}]}", ERR_BAD_SHAPE,
	  "stacktraces[0].frames[0]: member `instruction_addr` is missing" },
	{ "a bad hexadecimal address",
	  "{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0xzz\"}]}]}", ERR_BAD_SHAPE,
	  "stacktraces[0].frames[0].instruction_addr" },
	{ "an address of 1.0", "{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":1.0}]}]}",
	  ERR_BAD_SHAPE, "instruction_addr" },
	{ "an address null", "{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":null}]}]}",
	  ERR_BAD_SHAPE, "instruction_addr" },
	{ "an address beyond 64 bits",
	  "{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x10000000000000000\"}]}]}",
	  ERR_BAD_SHAPE, "instruction_addr" },
	{ "abs", FRAME("\"addr_mode\":\"abs\""), ERR_NONE, NULL },
	{ "rel", FRAME("\"addr_mode\":\"rel:7\""), ERR_NONE, NULL },
	{ "rel without number", FRAME("\"addr_mode\":\"rel:\""), ERR_BAD_SHAPE, "addr_mode" },
	{ "another mode", FRAME("\"addr_mode\":\"foo\""), ERR_BAD_SHAPE,
	  "stacktraces[0].frames[0].addr_mode" },
	{ "mode null", FRAME("\"addr_mode\":null"), ERR_BAD_SHAPE, "addr_mode" },
	{ "a language", FRAME("\"lang\":\"objcpp\""), ERR_NONE, NULL },
	{ "unknown is a language", FRAME("\"lang\":\"unknown\""), ERR_NONE, NULL },
	{ "no language", FRAME("\"lang\":null"), ERR_NONE, NULL },
	{ "another language", FRAME("\"lang\":\"cobol\""), ERR_BAD_SHAPE, "lang" },
	{ "a trust", FRAME("\"trust\":\"prewalked\""), ERR_NONE, NULL },
	{ "another trust", FRAME("\"trust\":\"some\""), ERR_BAD_SHAPE, "trust" },
	{ "trust null", FRAME("\"trust\":null"), ERR_BAD_SHAPE, "trust" },
	{ "all of a frame", FRAME("\"adjust_instruction_addr\":true,\"function_id\":\"0x1\","
	  "\"package\":\"p\",\"symbol\":\"s\",\"sym_addr\":5,\"function\":\"f\",\"filename\":\"n\","
	  "\"abs_path\":\"a\",\"lineno\":7,\"pre_context\":[\"x\"],\"context_line\":\"y\","
	  "\"post_context\":[],\"source_link\":\"l\",\"in_app\":true,\"vars\":{\"a\":\"int\"}"),
	  ERR_NONE, NULL },
	{ "nulls of a frame", FRAME("\"adjust_instruction_addr\":null,\"function_id\":null,"
	  "\"package\":null,\"symbol\":null,\"sym_addr\":null,\"function\":null,\"filename\":null,"
	  "\"abs_path\":null,\"lineno\":null,\"context_line\":null,\"source_link\":null,"
	  "\"in_app\":null,\"vars\":null,\"platform\":null"), ERR_NONE, NULL },
	{ "a line of 33 bits", FRAME("\"lineno\":4294967296"), ERR_BAD_SHAPE, "lineno" },
	{ "pre_context null", FRAME("\"pre_context\":null"), ERR_BAD_SHAPE, "pre_context" },
	{ "post_context of numbers", FRAME("\"post_context\":[1]"), ERR_BAD_SHAPE, "post_context" },
	{ "vars of numbers", FRAME("\"vars\":{\"a\":1}"), ERR_BAD_SHAPE, "vars" },
	{ "in_app a number", FRAME("\"in_app\":0"), ERR_BAD_SHAPE, "in_app" },
	{ "a name given twice", FRAME("\"function\":1,\"function\":\"f\""), ERR_BAD_SHAPE,
	  "function" },
	{ "a module without type", "{\"modules\":[{}]}", ERR_BAD_SHAPE,
	  "modules[0]: member `type` is missing" },
	{ "a module of any type", "{\"modules\":[{\"type\":\"x\"}]}", ERR_NONE, NULL },
	{ "a module's type null", "{\"modules\":[{\"type\":null}]}", ERR_BAD_SHAPE, "type" },
	{ "ids nobody can read", MODULE("\"debug_id\":\"x\",\"code_id\":\"-\""), ERR_NONE, NULL },
	{ "an id that is a number", MODULE("\"debug_id\":1"), ERR_BAD_SHAPE,
	  "modules[0].debug_id: a string" },
	{ "image_addr null", MODULE("\"image_addr\":null"), ERR_BAD_SHAPE, "image_addr" },
	{ "image_size as text", MODULE("\"image_size\":\"4096\""), ERR_BAD_SHAPE, "image_size" },
	{ "image_size null", MODULE("\"image_size\":null"), ERR_NONE, NULL },
	{ "image_size long", MODULE("\"image_size\":9007199254740993"), ERR_NONE, NULL },
};

static int parse_one(const char *body, size_t size, struct err *err)
{
	struct work work;
	int result;

	if (work_init(&work, &request_kind_symbolicate, &fake_config, NULL, TEXT_NONE, err) < 0)
		return -1;
	result = fake_parse(&work, (struct text){ body, size }, err);
	work_release(&work);
	return result;
}

START_TEST(takes_what_the_schema_says)
{
	struct err err = ERR_INIT;
	int result = parse_one(shapes[_i].body, strlen(shapes[_i].body), &err);

	if (shapes[_i].kind == ERR_NONE) {
		ck_assert_msg(result == 0, "%s: %s", shapes[_i].what, err.text);
		return;
	}
	ck_assert_msg(result < 0, "%s: accepted", shapes[_i].what);
	ck_assert_msg(err.kind == shapes[_i].kind, "%s: %s", shapes[_i].what,
		      err_kind_name(err.kind));
	ck_assert_msg(strstr(err.text, shapes[_i].why) != NULL, "%s: %s", shapes[_i].what,
		      err.text);
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------- */

static const char whole[] =
	"{\"platform\":\"native\",\"signal\":11,\"sources\":[{\"type\":\"http\",\"id\":\"s\","
	"\"url\":\"http://h/\",\"layout\":{\"type\":\"unified\"}}],\"modules\":[{\"type\":\"elf\","
	"\"code_id\":\"abcdef012345\",\"image_addr\":\"0x1000\",\"image_size\":12345678901234567}],"
	"\"stacktraces\":[{\"registers\":{\"rip\":\"0x1\",\"rax\":-2},\"frames\":["
	"{\"instruction_addr\":\"0x1234\",\"function\":\"\\u0000\\ud800\"},"
	"{\"instruction_addr\":4660,\"addr_mode\":\"rel:0\",\"trust\":\"scan\"}]}],"
	"\"options\":{\"frame_order\":\"caller_first\"}}";

static int parse_whole(void *payload, struct err *err)
{
	(void)payload;
	return parse_one(whole, sizeof(whole) - 1, err);
}

static void parse_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;

	(void)payload;
	if (parse_one((const char *)bytes, size, &err) < 0)
		ck_assert_msg(err.kind == ERR_BAD_REQUEST || err.kind == ERR_BAD_SHAPE, "%s: %s",
			      err_kind_name(err.kind), err.text);
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(parse_whole, NULL, 1000);
}
END_TEST

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)whole, sizeof(whole) - 1, parse_changed, NULL);
}
END_TEST

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

START_TEST(goes_through_the_fuzzers_corpus)
{
	const char *folder = support_source("tests/fuzz/corpus/request");
	DIR *entries = opendir(folder);
	struct dirent *entry;
	int count = 0;

	ck_assert_msg(entries != NULL, "%s", folder);
	while ((entry = readdir(entries))) {
		struct file_map map;

		if (entry->d_name[0] == '.')
			continue;
		map = support_map(support_printf("%s/%s", folder, entry->d_name));
		LLVMFuzzerTestOneInput(map.bytes, map.size);
		file_unmap(&map);
		count++;
	}
	closedir(entries);
	ck_assert_int_gt(count, 0);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *suite = suite_create("symbolicate request");
	TCase *tests = tcase_create("request");

	tcase_add_test(tests, a_body_that_needs_too_much_memory);
	tcase_add_loop_test(tests, takes_what_the_schema_says, 0, COUNT(shapes));
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_test(tests, survives_every_byte_change);
	tcase_add_test(tests, goes_through_the_fuzzers_corpus);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
