/* test_js -- POST /symbolicate-js: what is read, where files are looked for, what is answered. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "kinds/body_damage.h"
#include "kinds/js/js_answers.h"
#include "kinds/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REPLY_BYTES ((size_t)64 << 20)
#define FRAME(path, rest) "{\"abs_path\":\"" path "\",\"lineno\":1" rest "}"
#define ASK(source, frames, rest) "{" source ",\"stacktraces\":[{\"frames\":[" frames "]}]" rest "}"
#define AT(path) FRAME(path, ",\"colno\":10")
#define RELEASE(name) ",\"release\":\"" name "\""
#define NO_SCRAPING ",\"allow_scraping\":false"

/* Parts of answers that have to be there, in that order, each behind the one before. */
static const struct { const char *what, *body; const char *parts[8]; } answers[] = {
	{ "nothing is asked", "{" JS_SENTRY "}",
	  { "{\"status\":\"completed\",\"stacktraces\":[],\"raw_stacktraces\":[]}" } },
	{ "a map from the web, with its source", ASK(JS_SENTRY, AT("http://w/a.js"), ""),
	  { "\"function\":\"add\"", "\"filename\":\"src/add.ts\"", "\"abs_path\":\"http://w/src/add.ts\"", "\"lineno\":1,\"colno\":1",
	    "\"context_line\":\"export function add", "\"resolved_with\":\"scraping\"",
	    "\"scraping_attempts\":[{\"url\":\"http://w/a.js\",\"status\":\"success\"},{\"url\":\"http://w/a.map\",\"status\":\"success\"}]" } },
	{ "the minified line in raw frames", ASK(JS_SENTRY, AT("http://w/a.js"), ""),
	  { "\"raw_stacktraces\"", "\"abs_path\":\"http://w/a.js\"", "\"context_line\":\"function f(n,d)" } },
	{ "without context", ASK(JS_SENTRY, AT("http://w/a.js"), ",\"options\":{\"apply_source_context\":false}"),
	  { "\"function\":\"add\"", "\"lineno\":1,\"colno\":1", "\"data\"" } },
	{ "a source that the map has not", ASK(JS_SENTRY, AT("http://w/bare.js"), ""),
	  { "\"context_line\":\"one\",\"post_context\":[\"two\",\"three\"]", "http://w/bare.js", "http://w/bare.map",
	    "{\"url\":\"http://w/src/add.ts\",\"status\":\"success\"}" } },
	{ "no map at all", ASK(JS_SENTRY, AT("http://w/plain.js"), ""),
	  { "\"symbolicated\":false", "\"status\":\"success\"}]}" } },
	{ "a map that is gone", ASK(JS_SENTRY, AT("http://w/lost.js"), ""),
	  { "\"errors\":[{\"abs_path\":\"http://w/lost.js\",\"type\":\"missing_sourcemap\"}]",
	    "{\"url\":\"http://w/lost.map\",\"status\":\"failure\",\"reason\":\"not_found\"}" } },
	{ "a map that makes no sense", ASK(JS_SENTRY, AT("http://w/bad.js"), ""),
	  { "\"sourcemap_origin\":\"http://w/a.map#\"", "\"type\":\"malformed_sourcemap\",\"url\":\"http://w/a.map\"}" } },
	{ "files that cannot be had", ASK(JS_SENTRY, AT("http://w/shut.js") "," AT("http://w/slow.js") "," AT("http://w/gone.js"), ""),
	  { "\"abs_path\":\"http://w/gone.js\",\"type\":\"missing_source\"", "http://w/shut.js", "http://w/slow.js", "\"not_found\"",
	    "\"permission_denied\",\"details\":\"403 Forbidden\"", "\"timeout\",\"details\":\"Timeout after 5m\"" } },
	{ "scraping is off", ASK(JS_SENTRY, AT("http://w/a.js"), NO_SCRAPING),
	  { "\"type\":\"scraping_disabled\"", "\"status\":\"failure\",\"reason\":\"disabled\"" } },
	{ "no line", ASK(JS_SENTRY, "{\"abs_path\":\"http://w/a.js\",\"lineno\":0}", ""),
	  { "\"type\":\"invalid_location\",\"line\":0,\"col\":null}]}" } },
	{ "a line the map knows nothing of", ASK(JS_SENTRY, "{\"abs_path\":\"http://w/a.js\",\"lineno\":9,\"colno\":3}", ""),
	  { "\"type\":\"invalid_location\",\"line\":9,\"col\":3}]" } },
	{ "what is sent in data comes back", ASK(JS_SENTRY, FRAME("http://w/gone.js", ",\"data\":{\"symbolicated\":true,\"sourcemap\":\"x\"}"), ""),
	  { "\"data\":{\"sourcemap\":\"x\",\"symbolicated\":true}" } },
	{ "async, and the callee first", ASK(JS_SENTRY, AT("async http://w/a.js") "," AT("http://w/plain.js"), ",\"options\":{\"frame_order\":\"callee_first\"}"),
	  { "\"abs_path\":\"http://w/src/add.ts\"", "\"abs_path\":\"http://w/plain.js\"", "raw_stacktraces", "\"abs_path\":\"http://w/a.js\"" } },
	{ "a bundle of the release", ASK(JS_SENTRY, AT("https://any.example/a.js"), RELEASE("b") NO_SCRAPING),
	  { "\"function\":\"add\"", "\"sourcemap_origin\":{\"bundled\":[\"sentry://project_debug_file/b\","
	    "{\"source_map\":{\"abs_path\":\"https://any.example/a.map\"}}]}", "\"resolved_with\":\"release\"", "\"status\":\"not_attempted\"" } },
	{ "the same by debug id", ASK(JS_SENTRY, AT("https://any.example/x.js"), NO_SCRAPING
		",\"modules\":[{\"type\":\"sourcemap\",\"code_file\":\"https://any.example/x.js\",\"debug_id\":\"" JS_ID "\"}]"),
	  { "\"function\":\"add\"", "\"debug_id\":\"" JS_ID "\"", "\"resolved_with\":\"debug-id\"" } },
	{ "a single file, whose header names a map", ASK(JS_SENTRY, AT("http://w/a.js"), RELEASE("f")),
	  { "\"function\":\"add\"", "\"sourcemap\":\"http://w/a.map\"", "\"resolved_with\":\"scraping\"", "\"status\":\"not_attempted\"",
	    "{\"url\":\"http://w/a.map\",\"status\":\"success\"}" } },
	{ "nobody is asked without a release", ASK(JS_SENTRY, AT("https://any.example/a.js"), NO_SCRAPING),
	  { "\"type\":\"scraping_disabled\"" } },
	{ "what is known by the map of one is known to the next",
	  ASK(JS_SENTRY, AT("http://w/plain.js") "," AT("http://w/other.js") "," AT("http://w/a.js"), RELEASE("late")),
	  { "\"abs_path\":\"http://w/plain.js\"", "{\"bundled\":[\"sentry://project_debug_file/b\"", "\"resolved_with\":\"release\"",
	    "{\"url\":\"http://w/a.js\",\"status\":\"not_attempted\"}" } },
	{ "a file twice", ASK(JS_SENTRY, AT("http://w/a.js") "," FRAME("http://w/a.js", ""), ""),
	  { "\"function\":\"add\"", "\"function\":\"add\"", "raw_stacktraces",
	    "\"scraping_attempts\":[{\"url\":\"http://w/a.js\",\"status\":\"success\"},{\"url\":\"http://w/a.map\",\"status\":\"success\"}]}" } },
};

static void take_answer(size_t which, unsigned waits, unsigned damaged, struct buf *reply)
{
	struct err err = ERR_INIT;
	int rc;

	buf_init(reply, REPLY_BYTES);
	rc = js_answer_to(&fake_config, text_of(answers[which].body), waits, damaged, reply, &err);
	ck_assert_msg(rc == 0, "%s: %d %s", answers[which].what, rc, err.text);
	ck_assert_int_eq(fake_holds, 0);
}

START_TEST(answers_as_told)
{
	const char *at;
	struct buf reply;

	take_answer((size_t)_i, 0, 0, &reply);
	at = buf_string(&reply);
	for (size_t i = 0; i < 8 && answers[_i].parts[i]; i++) {
		at = strstr(at, answers[_i].parts[i]);
		ck_assert_msg(at != NULL, "%s: no %s in %s", answers[_i].what, answers[_i].parts[i], buf_string(&reply));
		at += strlen(answers[_i].parts[i]);
	}
	buf_release(&reply);
}
END_TEST

/* Whatever has to be waited for, in whatever order it comes, and whatever was damaged. */
START_TEST(answers_the_same_when_cold)
{
	struct buf warm, cold;

	take_answer((size_t)_i, 0, 0, &warm);
	for (unsigned waits = 1; waits < 4; waits++) {
		take_answer((size_t)_i, waits, waits % 2, &cold);
		ck_assert_msg(strcmp(buf_string(&warm), buf_string(&cold)) == 0, "%s:\n%s\n%s", answers[_i].what,
			      buf_string(&warm), buf_string(&cold));
		buf_release(&cold);
	}
	buf_release(&warm);
}
END_TEST

/* Three modules take no more steps than one. */
START_TEST(modules_are_fetched_side_by_side)
{
	static const char *const bodies[] = {
		ASK(JS_SENTRY, AT("http://w/a.js"), ""),
		ASK(JS_SENTRY, AT("http://w/a.js") "," AT("http://w/b.js") "," AT("http://w/c.js"), ""),
	};
	struct js_asked asked[2];
	struct err err = ERR_INIT;
	struct buf reply;

	for (int i = 0; i < 2; i++) {
		buf_init(&reply, REPLY_BYTES);
		ck_assert_int_eq(js_answer_as(&request_kind_js, &fake_config, text_of(bodies[i]), 2, 0, &reply, &asked[i],
					      &err), 0);
		buf_release(&reply);
	}
	ck_assert_uint_gt(asked[0].steps, 3);
	ck_assert_uint_le(asked[1].steps, asked[0].steps);
}
END_TEST

/* More of them than go ahead at a time. */
START_TEST(a_thousand_modules)
{
	struct err err = ERR_INIT;
	struct buf body, reply;

	buf_init(&body, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	buf_add_string(&body, "{" JS_SENTRY ",\"stacktraces\":[{\"frames\":[");
	for (int i = 0; i < 1000; i++)
		buf_printf(&body, "%s{\"abs_path\":\"http://w/%d.js\",\"lineno\":1}", i ? "," : "", i);
	buf_add_string(&body, "," AT("http://w/a.js") "]}]}");
	ck_assert_int_eq(js_answer_to(&fake_config, buf_text(&body), 2, 0, &reply, &err), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&reply), "\"abs_path\":\"http://w/src/add.ts\""));
	ck_assert_ptr_nonnull(strstr(buf_string(&reply), "{\"abs_path\":\"http://w/999.js\",\"type\":\"missing_source\"}"));
	buf_release(&body);
	buf_release(&reply);
}
END_TEST

/* --- Refusals ---------------------------------------------------------------------------------- */

static const struct { const char *what, *body; enum err_kind kind; const char *text; } refused[] = {
	{ "no JSON", "{\"source\":}", ERR_BAD_REQUEST, "the body" },
	{ "no object", "[]", ERR_BAD_SHAPE, "an object was expected" },
	{ "no source", "{}", ERR_BAD_SHAPE, "missing field `source`" },
	{ "a source of no kind", "{\"source\":{\"type\":\"ftp\",\"id\":\"a\"}}", ERR_BAD_SHAPE, "source" },
	{ "a frame without file", ASK(JS_SENTRY, "{\"lineno\":1}", ""), ERR_BAD_SHAPE, "frames[0]: member `abs_path` is missing" },
	{ "a frame without line", ASK(JS_SENTRY, "{\"abs_path\":\"a\"}", ""), ERR_BAD_SHAPE, "member `lineno` is missing" },
	{ "a line of 33 bits", ASK(JS_SENTRY, "{\"abs_path\":\"a\",\"lineno\":4294967296}", ""), ERR_BAD_SHAPE, "lineno" },
	{ "a negative column", ASK(JS_SENTRY, "{\"abs_path\":\"a\",\"lineno\":1,\"colno\":-1}", ""), ERR_BAD_SHAPE, "colno" },
	{ "a module of another type", "{" JS_SENTRY ",\"modules\":[{\"type\":\"elf\",\"code_file\":\"a\",\"debug_id\":\"" JS_ID "\"}]}",
	  ERR_BAD_SHAPE, "modules[0].type: `sourcemap`" },
	{ "scraping without origins", "{" JS_SENTRY ",\"scraping\":{\"enabled\":1}}", ERR_BAD_SHAPE, "scraping" },
};

START_TEST(refuses)
{
	struct err err = ERR_INIT;
	struct buf reply;

	buf_init(&reply, REPLY_BYTES);
	ck_assert_msg(js_answer_to(&fake_config, text_of(refused[_i].body), 0, 0, &reply, &err) < 0, "%s: %s",
		      refused[_i].what, buf_string(&reply));
	ck_assert_msg(err.kind == refused[_i].kind && strstr(err.text, refused[_i].text), "%s: %d %s",
		      refused[_i].what, (int)err.kind, err.text);
	buf_release(&reply);
}
END_TEST

/* --- Damage ------------------------------------------------------------------------------------ */

START_TEST(survives_every_byte_change)
{
	body_damage_every_byte(answers[_i].body, LLVMFuzzerTestOneInput);
}
END_TEST

static int answer_work(void *payload, struct err *err)
{
	struct buf reply;
	int rc;

	buf_init(&reply, REPLY_BYTES);
	rc = js_answer_to(&fake_config, text_of(payload), 1, 1, &reply, err);
	buf_release(&reply);
	return rc < 0 ? -1 : 0;
}

START_TEST(survives_every_allocation_failure)
{
	struct buf reply;

	take_answer(0, 0, 0, &reply);        /* the files are made */
	buf_release(&reply);
	support_every_allocation_failure(answer_work, (void *)(uintptr_t)answers[_i].body, 1000);
	ck_assert_int_eq(fake_holds, 0);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
	Suite *suite = suite_create("js");
	TCase *tcase = tcase_create("js");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, answers_as_told, 0, COUNT(answers));
	tcase_add_loop_test(tcase, answers_the_same_when_cold, 0, COUNT(answers));
	tcase_add_test(tcase, modules_are_fetched_side_by_side);
	tcase_add_test(tcase, a_thousand_modules);
	tcase_add_loop_test(tcase, refuses, 0, COUNT(refused));
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, COUNT(answers));
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, COUNT(answers));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
