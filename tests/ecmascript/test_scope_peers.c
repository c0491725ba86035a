/* test_scope_peers.c -- the recorded scope cases, and every program of the standard's parser tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/json_reader.h"
#include "ecmascript/reading.h"

#define JSON_BYTES  ((size_t)64 << 20)
#define FOLDER "peers/js/"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* NULL: the file is not there. */
static cJSON *json_of(const char *name)
{
	const char *path = support_shared(name);
	struct err err = ERR_INIT;
	struct buf text;
	cJSON *json;

	if (!path)
		return NULL;
	buf_init(&text, JSON_BYTES);
	ck_assert_msg(file_read_all(path, JSON_BYTES, &text, &err) == 0, "%s", err.text);
	json = cJSON_ParseWithLength(text.bytes, text.size);
	buf_release(&text);
	ck_assert_msg(json != NULL, "%s", path);
	return json;
}

static const char *string(const cJSON *object, const char *name)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsString(value) ? value->valuestring : NULL;
}

static double number(const cJSON *object, const char *name)
{
	return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void expect_name(const char *what, const struct ecmascript_scope *scope, const char *expected)
{
	struct buf name;

	buf_init(&name, JSON_BYTES);
	reading_add_name(scope, &name);
	ck_assert_msg(expected ? strcmp(buf_string(&name), expected) == 0 : scope->part_count == 0,
		      "%s: %s, not %s", what, buf_string(&name), expected ? expected : "none");
	buf_release(&name);
}

static void expect_names(const char *what, const cJSON *expected)
{
	ck_assert_msg((size_t)cJSON_GetArraySize(expected) == reading.scopes.count, "%s: %zu", what, reading.scopes.count);
	for (size_t i = 0; i < reading.scopes.count; i++)
		expect_name(what, &reading.scopes.scopes[i],
			    cJSON_GetStringValue(cJSON_GetArrayItem(expected, (int)i)));
}

static bool is_before(struct text_place a, struct text_place b)
{
	return a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* The innermost scope at a place of a file. */
static void expect_lookup(const char *what, const cJSON *item)
{
	struct text_place at = { (uint32_t)number(item, "line") - 1,
					  (uint32_t)number(item, "column") - 1 };
	struct file_map map = support_map(support_shared(support_printf(FOLDER "%s",
									string(item, "source_file"))));
	const struct ecmascript_scope *found = NULL;

	reading_must_read((struct text){ (const char *)map.bytes, map.size });
	for (size_t i = 0; i < reading.scopes.count; i++)
		if (!is_before(at, reading.scopes.scopes[i].starts_at) && is_before(at, reading.scopes.scopes[i].ends_at))
			found = &reading.scopes.scopes[i];
	ck_assert_msg(found != NULL, "%s", what);
	expect_name(what, found, string(item, "expected"));
	file_unmap(&map);
}

static void expect_read(const char *what, const cJSON *item)
{
	struct file_map map = support_map(support_shared(support_printf(FOLDER "%s",
									string(item, "minified_file"))));

	reading_must_read((struct text){ (const char *)map.bytes, map.size });
	ck_assert_msg(reading.scopes.error_count == 0 && reading.scopes.count > 0, "%s", what);
	file_unmap(&map);
}

START_TEST(recorded_scopes)
{
	cJSON *cases = json_of(FOLDER "scopes.json");
	const cJSON *item;

	cJSON_ArrayForEach(item, cases) {
		const char *what = string(item, "name"), *kind = string(item, "kind");

		if (strcmp(kind, "scopes") == 0) {
			reading_must_read(text_of(string(item, "source")));
			expect_names(what, cJSON_GetObjectItemCaseSensitive(item, "expected_names"));
		} else if (strcmp(kind, "scope_lookup") == 0) {
			expect_lookup(what, item);
		} else {
			expect_read(what, item);
		}
	}
	cJSON_Delete(cases);
}
END_TEST

/* Calls work() with each program of a file: texts may hold NUL. */
static void each_program(const char *name, void (*work)(struct text program, struct text name))
{
	const char *path = support_shared(name);
	struct err err = ERR_INIT;
	struct json_reader json;
	struct json_string key, value;
	struct buf text;

	if (!path)
		return;
	buf_init(&text, JSON_BYTES);
	ck_assert_msg(file_read_all(path, JSON_BYTES, &text, &err) == 0, "%s", err.text);
	json = json_reader_over(path, buf_text(&text));
	ck_assert(json_reader_object(&json));
	while (json_reader_member(&json, &key)) {
		struct text program;

		if (!json_reader_string(&json, &value)) {
			json_reader_skip(&json);
			continue;
		}
		ck_assert(json_string_text(&value, &reading.arena, &program));
		work(program, key.raw);
	}
	ck_assert_msg(json_reader_check(&json, &err) == 0, "%s", err.text);
	buf_release(&text);
}

static void must_pass(struct text program, struct text name)
{
	reading_must_read(program);
	ck_assert_msg(reading.scopes.error_count == 0, "%.*s: at byte %u: no %s", (int)name.size, name.bytes,
		      reading.scopes.error_offset, reading.scopes.error_words);
}

static void must_end(struct text program, struct text name)
{
	(void)name;
	LLVMFuzzerTestOneInput((const uint8_t *)program.bytes, program.size);
}

START_TEST(programs_are_read_without_an_error)
{
	each_program(FOLDER "test262/pass.json", must_pass);
}
END_TEST

START_TEST(what_is_no_program_does_no_harm)
{
	each_program(FOLDER "test262/fail.json", must_end);
	each_program(FOLDER "test262/early.json", must_end);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scope_peers");
	TCase *tests = tcase_create("scope_peers");

	tcase_add_checked_fixture(tests, reading_begin, reading_end);
	tcase_add_test(tests, recorded_scopes);
	tcase_add_test(tests, programs_are_read_without_an_error);
	tcase_add_test(tests, what_is_no_program_does_no_harm);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
