/* test_stacktrace.c -- the neutral reader: stack traces and modules from JSON to plain structs. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "kinds/stacktrace_json.h"
#include "work/request_json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef int read_fn(const struct cJSON *json, const struct schema_place *place,
		    struct arena *arena, struct raw_report *report, struct err *err);

static int read_with(read_fn *read, const char *body, struct arena *arena,
		     struct raw_report *report, struct err *err)
{
	const struct schema_place place = { .name = "x" };
	struct cJSON *json;

	*report = (struct raw_report){ NULL, 0, NULL, 0, { false, 0 } };
	if (request_json_parse(text_of(body), arena, &json, err) < 0)
		return -1;
	return read(json, &place, arena, report, err);
}

/* --- Traces ------------------------------------------------------------------------------ */

static const struct {
	const char *written;
	uint64_t value;
} numbers[] = {
	{ "0", 0 }, { "4096", 4096 }, { "\"4097\"", 4097 }, { "\"0x1002\"", 0x1002 },
	{ "\"0X1002\"", 0x1002 }, { "\"0xABCDEF\"", 0xabcdef }, { "-1", UINT64_MAX },
	{ "9007199254740993", 9007199254740993u }, { "18446744073709551615", UINT64_MAX },
	{ "-9223372036854775808", (uint64_t)1 << 63 }, { "\"0xffffffffffffffff\"", UINT64_MAX },
	{ "\"18446744073709551615\"", UINT64_MAX }, { "999999999999999", 999999999999999u },
};

START_TEST(reads_numbers_exactly)
{
	char body[256];
	struct err err = ERR_INIT;
	struct raw_report report;
	struct arena arena;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	snprintf(body, sizeof(body), "[{\"frames\":[{\"instruction_addr\":%s}]}]",
		 numbers[_i].written);
	ck_assert_msg(read_with(stacktrace_json_traces, body, &arena, &report, &err) == 0, "%s",
		      err.text);
	ck_assert_uint_eq(report.traces[0].frames[0].address.value, numbers[_i].value);
	arena_release(&arena);
}
END_TEST

START_TEST(sorts_registers_and_keeps_the_last)
{
	static const char body[] = "[{\"frames\":[],\"registers\":{\"r9\":1,"
		"\"rip\":2,\"r10\":3,\"r9\":4,\"a\":5,\"rip\":6}}]";
	struct err err = ERR_INIT;
	const struct raw_trace *trace;
	struct raw_report report;
	struct arena arena;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	ck_assert_int_eq(read_with(stacktrace_json_traces, body, &arena, &report, &err), 0);
	trace = &report.traces[0];
	ck_assert_uint_eq(trace->register_count, 4);
	ck_assert(text_is(trace->registers[0].name, "a"));
	ck_assert(text_is(trace->registers[1].name, "r10"));
	ck_assert(text_is(trace->registers[2].name, "r9"));
	ck_assert_uint_eq(trace->registers[2].value, 4);
	ck_assert(text_is(trace->registers[3].name, "rip"));
	ck_assert_uint_eq(trace->registers[3].value, 6);
	arena_release(&arena);
}
END_TEST

#define FULL_TRACE "[{\"thread_id\":7,\"thread_name\":\"main\",\"is_requesting\":false,\"frames\":[" \
	"{\"instruction_addr\":\"0x10\",\"addr_mode\":\"rel:3\",\"trust\":\"cfi\",\"lang\":\"rust\"," \
	"\"platform\":\"nodejs\",\"adjust_instruction_addr\":true,\"function_id\":\"0x9\"," \
	"\"pre_context\":[\"a\",\"\"],\"context_line\":\"b\",\"post_context\":[]," \
	"\"vars\":{\"x\":\"int\",\"y\":\"char*\",\"x\":\"long\"}}," \
	"{\"instruction_addr\":1,\"vars\":null,\"function\":null}]}]"

START_TEST(reads_every_member_into_plain_structs)
{
	struct err err = ERR_INIT;
	const struct raw_frame *frame;
	struct raw_report report;
	struct arena arena;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	ck_assert_msg(read_with(stacktrace_json_traces, FULL_TRACE, &arena, &report, &err) == 0,
		      "%s", err.text);
	ck_assert_uint_eq(report.trace_count, 1);
	ck_assert(report.traces[0].thread_id.is_set && report.traces[0].thread_id.value == 7);
	ck_assert(text_is(report.traces[0].thread_name, "main"));
	ck_assert_int_eq(report.traces[0].is_requesting, MAYBE_FALSE);
	ck_assert_uint_eq(report.traces[0].register_count, 0);
	ck_assert_uint_eq(report.traces[0].frame_count, 2);
	frame = &report.traces[0].frames[0];
	ck_assert(frame->mode.is_relative && frame->mode.module == 3);
	ck_assert_int_eq(frame->trust, TRUST_CFI);
	ck_assert(frame->lang.is_set && frame->lang.language == LANGUAGE_RUST);
	ck_assert(text_is(frame->platform, "node"));
	ck_assert_int_eq(frame->adjust, MAYBE_TRUE);
	ck_assert_uint_eq(frame->function_id.value, 9);
	ck_assert_uint_eq(frame->pre_context.count, 2);
	ck_assert(text_is(frame->pre_context.texts[0], "a"));
	ck_assert(frame->pre_context.texts[1].bytes && !frame->pre_context.texts[1].size);
	ck_assert(text_is(frame->context_line, "b"));
	ck_assert_uint_eq(frame->post_context.count, 0);
	ck_assert_uint_eq(frame->vars.count, 3);         /* the same name twice is told twice */
	ck_assert(text_is(frame->vars.pairs[1].name, "y"));
	ck_assert(text_is(frame->vars.pairs[2].value, "long"));
	frame = &report.traces[0].frames[1];
	ck_assert_int_eq(frame->trust, TRUST_NONE);
	ck_assert(!frame->function.bytes && !frame->lineno.is_set && !frame->lang.is_set);
	ck_assert_uint_eq(frame->vars.count, 0);
	arena_release(&arena);
}
END_TEST

START_TEST(trust_has_its_names)
{
	enum trust trust;

	for (unsigned i = 0; i < TRUSTS; i++) {
		ck_assert(trust_named(text_of(trust_name((enum trust)i)), &trust));
		ck_assert_uint_eq(trust, i);
	}
	ck_assert(!trust_named(TEXT("CFI"), &trust) && !trust_named(TEXT_NONE, &trust));
}
END_TEST

/* --- Modules ----------------------------------------------------------------------------- */

static const struct {
	const char *what, *debug_id, *code_id;
	const char *becomes_debug_id, *becomes_code_id;      /* NULL: none */
} ids[] = {
	{ "none", "null", "null", NULL, NULL },
	{ "empty ones", "\"\"", "\"\"", NULL, NULL },
	{ "canonical ones", "\"3249d99d-0c40-4931-8610-f4e4fb0b6936-1\"", "\"5ab380779000\"",
	  "3249d99d-0c40-4931-8610-f4e4fb0b6936-1", "5ab380779000" },
	{ "as Breakpad and people write them", "\"3249D99D0C4049318610F4E4FB0B69361\"",
	  "\"5A-B3 80\"", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1", "5ab380" },
	{ "ones that are none", "\"hello\"", "\"xyz\"", NULL, NULL },
};

START_TEST(reads_ids)
{
	char body[256], debug_id[DEBUGID_TEXT_BYTES];
	struct err err = ERR_INIT;
	const struct object_ids *read;
	struct raw_report report;
	struct arena arena;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	snprintf(body, sizeof(body), "[{\"type\":\"pe\",\"debug_id\":%s,\"code_id\":%s}]",
		 ids[_i].debug_id, ids[_i].code_id);
	ck_assert_msg(read_with(stacktrace_json_modules, body, &arena, &report, &err) == 0, "%s: %s",
		      ids[_i].what, err.text);
	read = &report.modules[0].ids;
	ck_assert_int_eq(read->type, OBJECT_TYPE_PE);
	debugid_format(&read->debug_id, debug_id);
	ck_assert_msg(debugid_is_nil(&read->debug_id) == !ids[_i].becomes_debug_id &&
		      (!ids[_i].becomes_debug_id ||
		       strcmp(debug_id, ids[_i].becomes_debug_id) == 0), "%s: %s", ids[_i].what,
		      debug_id);
	ck_assert_msg(text_equal(read->code_id, text_of(ids[_i].becomes_code_id)), "%s: %s",
		      ids[_i].what, read->code_id.bytes);
	arena_release(&arena);
}
END_TEST

static const struct { read_fn *read; const char *body, *why; } refusals[] = {
	{ stacktrace_json_traces, "{}", "x: an array was expected" },
	{ stacktrace_json_traces, "[{}]", "x[0]: member `frames` is missing" },
	{ stacktrace_json_traces, "[{\"frames\":[{}]}]",
	  "x[0].frames[0]: member `instruction_addr` is missing" },
	{ stacktrace_json_traces, "[{\"frames\":[],\"registers\":[]}]",
	  "x[0].registers: an object was expected" },
	{ stacktrace_json_traces, "[{\"frames\":[],\"registers\":{\"a\":{}}}]",
	  "x[0].registers.a: an integer of 64 bits" },
	{ stacktrace_json_traces, "[{\"frames\":[{\"instruction_addr\":1,\"vars\":[]}]}]",
	  "x[0].frames[0].vars: an object of strings was expected" },
	{ stacktrace_json_traces, "[{\"frames\":[{\"instruction_addr\":1,\"vars\":{\"a\":1}}]}]",
	  "x[0].frames[0].vars: an object of strings was expected" },
	{ stacktrace_json_traces, "[{\"frames\":[{\"instruction_addr\":1,\"pre_context\":[1]}]}]",
	  "x[0].frames[0].pre_context: an array of strings was expected" },
	{ stacktrace_json_modules, "[{}]", "x[0]: member `type` is missing" },
	{ stacktrace_json_modules, "[{\"type\":null}]", "x[0].type: a string was expected" },
	{ stacktrace_json_modules, "[{\"type\":\"elf\",\"debug_id\":7}]",
	  "x[0].debug_id: a string was expected" },
	{ stacktrace_json_modules, "[{\"type\":\"elf\",\"code_id\":1234567890123456789}]",
	  "x[0].code_id: a string was expected" },
};

START_TEST(refuses_with_the_place)
{
	struct err err = ERR_INIT;
	struct raw_report report;
	struct arena arena;

	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	ck_assert_int_lt(read_with(refusals[_i].read, refusals[_i].body, &arena, &report, &err), 0);
	ck_assert_int_eq(err.kind, ERR_BAD_SHAPE);
	ck_assert_msg(strstr(err.text, refusals[_i].why) != NULL, "%s", err.text);
	arena_release(&arena);
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------- */

static int read_all(void *payload, struct err *err)
{
	struct raw_report report;
	struct arena arena;
	int rc;

	(void)payload;
	arena_init(&arena, LIMIT_REQUEST_ARENA_BYTES);
	rc = read_with(stacktrace_json_traces, FULL_TRACE, &arena, &report, err);
	if (rc == 0)
		rc = read_with(stacktrace_json_modules, "[{\"type\":\"elf\",\"code_id\":\"ab\"}]",
			       &arena, &report, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(read_all, NULL, 1000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stacktrace");
	TCase *tests = tcase_create("stacktrace");

	tcase_add_loop_test(tests, reads_numbers_exactly, 0, COUNT(numbers));
	tcase_add_test(tests, sorts_registers_and_keeps_the_last);
	tcase_add_test(tests, reads_every_member_into_plain_structs);
	tcase_add_test(tests, trust_has_its_names);
	tcase_add_loop_test(tests, reads_ids, 0, COUNT(ids));
	tcase_add_loop_test(tests, refuses_with_the_place, 0, COUNT(refusals));
	tcase_add_test(tests, survives_every_allocation_failure);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
