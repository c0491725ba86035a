/* test_peers -- what other programs' tests expect of mappings, where their cases are at hand. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "proguard/mapping_cache.h"
#include "proguard/mapping_header.h"
#include "proguard/mapping_read.h"
#include "proguard/proguard.h"
#include "proguard/proguard_write.h"
#include "proguard/retrace.h"
#include "support/support.h"

#define OUT_BYTES ((size_t)16 << 20)

struct peer_case {
	const cJSON *json;
	const char *name;
	struct buf text;             /* the mapping */
	struct proguard mapping;
	struct file_map map;
	bool is_open;
};

static unsigned failures, passed;

static const char *string_of(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItem(object, name);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

static void expect(const struct peer_case *peer, bool is_right, const char *got)
{
	passed += is_right;
	failures += !is_right;
	if (!is_right)
		printf("%s: got %s\n", peer->name, got);
}

/* --- Mappings -------------------------------------------------------------------------------- */

static void add_with_cr(struct buf *out, struct text text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.bytes[i] == '\n')
			buf_add_char(out, '\r');
		buf_add_char(out, text.bytes[i]);
	}
}

static void read_mapping(struct peer_case *peer)
{
	const char *inline_text = string_of(peer->json, "mapping"), *file = string_of(peer->json, "mapping_file");
	struct file_map map = { NULL, 0 };
	struct text text = text_of(inline_text);

	buf_init(&peer->text, OUT_BYTES);
	if (file) {
		map = support_map(support_shared(support_printf("peers/jvm/%s", file)));
		text = (struct text){ (const char *)map.bytes, map.size };
	}
	if (string_of(peer->json, "newlines"))
		add_with_cr(&peer->text, text);
	else
		buf_add_text(&peer->text, text);
	file_unmap(&map);
}

static void open_mapping(struct peer_case *peer)
{
	read_mapping(peer);
	/* A class alone is no mapping, but cases ask it. */
	if (!mapping_read_is_valid(buf_text(&peer->text)))
		buf_add_string(&peer->text, "\nno.Such -> no.such:\n    int none -> none\n");
	peer->map = mapping_cache_open(peer->name, buf_text(&peer->text), &peer->mapping);
}

/* --- Kinds ----------------------------------------------------------------------------------- */

static void check_stacktrace(struct peer_case *peer)
{
	const struct retrace_options options = { .dialect = RETRACE_LIBRARY };
	struct text rest = text_of(string_of(peer->json, "input")), line;
	struct text expected = text_trim(text_of(string_of(peer->json, "expected")));
	struct retrace retrace;
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	ck_assert_int_eq(retrace_open(&retrace, &peer->mapping, &options, &err), 0);
	while (text_take_line(&rest, &line))
		ck_assert_int_eq(retrace_line(&retrace, line, &out, &err), 0);
	expect(peer, text_equal(text_trim(buf_text(&out)), expected), buf_string(&out));
	retrace_release(&retrace);
	buf_release(&out);
}

static bool is_member(const cJSON *wanted, const char *name, struct text value)
{
	const cJSON *item = cJSON_GetObjectItem(wanted, name);

	return !item || (cJSON_IsNull(item) ? !value.bytes : text_equal(text_of(item->valuestring), value));
}

static bool is_frame(const cJSON *wanted, const struct proguard_frame *frame)
{
	const cJSON *line = cJSON_GetObjectItem(wanted, "line");
	const cJSON *synthesized = cJSON_GetObjectItem(wanted, "method_synthesized");
	struct buf file;
	bool is_right;

	buf_init(&file, OUT_BYTES);
	proguard_file_add(frame->file, &file);
	is_right = is_member(wanted, "class", frame->class_name) && is_member(wanted, "method", frame->method) &&
		   is_member(wanted, "file", buf_text(&file)) &&
		   (!line || (cJSON_IsNull(line) ? !frame->has_line : (uint32_t)line->valuedouble == frame->line)) &&
		   (!synthesized || cJSON_IsTrue(synthesized) == frame->is_synthesized);
	buf_release(&file);
	return is_right;
}

static bool are_frames(const cJSON *wanted, const struct proguard_frames *frames)
{
	bool is_right = true;

	for (int i = 0; i < cJSON_GetArraySize(wanted); i++)
		is_right &= (size_t)i < frames->count && is_frame(cJSON_GetArrayItem(wanted, i), &frames->frames[i]);
	return is_right;
}

/* Some frame is so; every one is. */
static bool fits_any(const cJSON *wanted, const struct proguard_frames *frames, bool all)
{
	bool any = false, every = true;

	for (size_t i = 0; i < frames->count; i++) {
		bool is_right = is_frame(wanted, &frames->frames[i]);

		any |= is_right;
		every &= is_right;
	}
	return all ? every : any;
}

/* "  at a.b(File:1)" */
static void read_at(const char *text, char *class_name, char *method, struct proguard_query *query)
{
	unsigned line = 0;
	char *dot;

	ck_assert_int_ge(sscanf(text, " at %255[^(](%*[^:)]:%u)", class_name, &line), 1);
	dot = strrchr(class_name, '.');
	memcpy(method, dot + 1, strlen(dot + 1) + 1);       /* no longer than class_name */
	*dot = '\0';
	query->line = line;
}

static void check_frame(struct peer_case *peer)
{
	const cJSON *input = cJSON_GetObjectItem(peer->json, "input"), *wanted;
	const cJSON *line = cJSON_GetObjectItem(input, "line");
	char class_name[256], method[256];
	struct proguard_query query = { 0 };
	struct proguard_frames frames = { 0 };
	struct err err = ERR_INIT;
	bool is_right = true;

	if (string_of(input, "text")) {
		read_at(string_of(input, "text"), class_name, method, &query);
		query.class_name = text_of(class_name);
		query.method = text_of(method);
	} else {
		query.class_name = text_of(string_of(input, "class"));
		query.method = text_of(string_of(input, "method"));
		query.line = cJSON_IsNumber(line) ? (uint32_t)line->valuedouble : 0;
	}
	query.has_line = query.line > 0;
	if (string_of(input, "parameters")) {
		query.by_parameters = true;
		query.parameters = text_of(string_of(input, "parameters"));
	}
	ck_assert_int_eq(proguard_find(&peer->mapping, &query, &frames, &err), 0);
	if ((wanted = cJSON_GetObjectItem(peer->json, "expected")))
		is_right &= frames.count == (size_t)cJSON_GetArraySize(wanted) && are_frames(wanted, &frames);
	if ((wanted = cJSON_GetObjectItem(peer->json, "expected_count")))
		is_right &= frames.count == (size_t)wanted->valueint;
	if ((wanted = cJSON_GetObjectItem(peer->json, "expected_partial")))
		is_right &= are_frames(wanted, &frames);
	if ((wanted = cJSON_GetObjectItem(peer->json, "expected_all")))
		is_right &= fits_any(wanted, &frames, true);
	if ((wanted = cJSON_GetObjectItem(peer->json, "expected_any")))
		is_right &= fits_any(wanted, &frames, false);
	expect(peer, is_right, frames.count ? "other frames" : "none");
	if (!is_right)
		for (size_t i = 0; i < frames.count; i++)
			printf("  %.*s.%.*s:%u\n", (int)frames.frames[i].class_name.size, frames.frames[i].class_name.bytes,
			       (int)frames.frames[i].method.size, frames.frames[i].method.bytes, frames.frames[i].line);
	proguard_frames_release(&frames);
}

static void check_method(struct peer_case *peer)
{
	const cJSON *input = cJSON_GetObjectItem(peer->json, "input"), *expected = cJSON_GetObjectItem(peer->json, "expected");
	struct text class_name = text_of(string_of(input, "class"));
	struct text got = proguard_method(&peer->mapping, class_name, text_of(string_of(input, "method")));

	if (cJSON_IsNull(expected))
		expect(peer, !got.bytes, "a name");
	else
		expect(peer, text_equal(got, text_of(cJSON_GetArrayItem(expected, 1)->valuestring)) &&
			     text_equal(proguard_class(&peer->mapping, class_name),
					text_of(cJSON_GetArrayItem(expected, 0)->valuestring)), "another name");
}

static void check_names(struct peer_case *peer, const char *kind)
{
	const char *input = string_of(peer->json, "input"), *expected = string_of(peer->json, "expected");
	struct text got = TEXT_NONE;
	struct buf out;

	buf_init(&out, OUT_BYTES);
	if (strcmp(kind, "class") == 0)
		got = proguard_class(&peer->mapping, text_of(input));
	else if (strcmp(kind, "type") == 0)
		got = proguard_type(&peer->mapping, text_of(input), &out) ? buf_text(&out) : TEXT_NONE;
	else
		got = proguard_signature(&peer->mapping, text_of(input), &out, NULL) ? buf_text(&out) : TEXT_NONE;
	expect(peer, expected ? text_equal(got, text_of(expected)) : !got.bytes, buf_string(&out));
	buf_release(&out);
}

static void check_source_file(struct peer_case *peer)
{
	const cJSON *input = cJSON_GetObjectItem(peer->json, "input");
	struct buf out;

	buf_init(&out, OUT_BYTES);
	proguard_file_add(proguard_file_of_class(text_of(string_of(input, "class")),
						 text_of(string_of(input, "reference_file"))), &out);
	expect(peer, text_is(buf_text(&out), string_of(peer->json, "expected")), buf_string(&out));
	buf_release(&out);
}

static bool is_number(const cJSON *wanted, const char *name, bool has, uint64_t value)
{
	const cJSON *item = cJSON_GetObjectItem(wanted, name);

	return !item || (cJSON_IsNull(item) ? !has : has && (uint64_t)item->valuedouble == value);
}

static void check_record(struct peer_case *peer)
{
	const cJSON *expected = cJSON_GetObjectItem(peer->json, "expected");
	struct mapping_record record = mapping_read_line(text_of(string_of(peer->json, "input")));
	static const char *const kinds[] = { "", "Header", "R8Header", "Class", "Field", "Method" };

	if (record.kind == MAPPING_R8_HEADER && !mapping_header_is_valid(record.json))
		record.kind = MAPPING_FAILED;
	if (cJSON_IsNull(expected)) {
		expect(peer, record.kind == MAPPING_FAILED, "a record");
		return;
	}
	expect(peer, strcmp(kinds[record.kind], string_of(expected, "record")) == 0 &&
		     is_member(expected, "key", record.key) && is_member(expected, "value", record.value) &&
		     is_member(expected, "original", record.original) &&
		     is_member(expected, "obfuscated", record.obfuscated) && is_member(expected, "ty", record.type) &&
		     is_member(expected, "arguments", record.arguments) &&
		     is_member(expected, "original_class", record.receiver) &&
		     is_number(expected, "startline", record.has_range, record.start) &&
		     is_number(expected, "endline", record.has_range, record.end) &&
		     is_number(expected, "original_startline", record.has_original_start, record.original_start) &&
		     is_number(expected, "original_endline", record.has_original_end, record.original_end),
	       kinds[record.kind]);
}

static void check_uuid(struct peer_case *peer)
{
	char text[DEBUGID_TEXT_BYTES];
	struct debugid id = proguard_uuid(peer->text.bytes, peer->text.size);

	debugid_format(&id, text);
	expect(peer, strcmp(text, string_of(peer->json, "expected")) == 0, text);
}

static void check_facts(struct peer_case *peer)
{
	const cJSON *expected = cJSON_GetObjectItem(peer->json, "expected"), *item;
	struct proguard_report report;
	struct err err = ERR_INIT;
	bool is_right;

	ck_assert_int_eq(proguard_summary(buf_text(&peer->text), &report, &err), 0);
	is_right = is_member(expected, "compiler", report.compiler) &&
		   is_member(expected, "compiler_version", report.compiler_version) &&
		   is_number(expected, "min_api", report.has_min_api, report.min_api) &&
		   is_number(expected, "class_count", true, report.classes) &&
		   is_number(expected, "method_count", true, report.methods);
	if ((item = cJSON_GetObjectItem(expected, "valid")))
		is_right &= cJSON_IsTrue(item) == mapping_read_is_valid(buf_text(&peer->text));
	if ((item = cJSON_GetObjectItem(expected, "has_line_info")))
		is_right &= cJSON_IsTrue(item) == report.has_line_info;
	expect(peer, is_right, "other facts");
}

static void check_case(const cJSON *json)
{
	struct peer_case peer = { .json = json, .name = string_of(json, "name") };
	const char *kind = string_of(json, "kind");

	if (cJSON_GetObjectItem(json, "superseded"))
		return;
	if (strcmp(kind, "uuid") == 0 || strcmp(kind, "facts") == 0)
		read_mapping(&peer);
	else if (string_of(json, "mapping") || string_of(json, "mapping_file"))
		open_mapping(&peer);
	if (strcmp(kind, "stacktrace") == 0)
		check_stacktrace(&peer);
	else if (strcmp(kind, "frame") == 0)
		check_frame(&peer);
	else if (strcmp(kind, "method") == 0)
		check_method(&peer);
	else if (strcmp(kind, "source_file") == 0)
		check_source_file(&peer);
	else if (strcmp(kind, "record") == 0)
		check_record(&peer);
	else if (strcmp(kind, "uuid") == 0)
		check_uuid(&peer);
	else if (strcmp(kind, "facts") == 0)
		check_facts(&peer);
	else
		check_names(&peer, kind);
	file_unmap(&peer.map);
	buf_release(&peer.text);
}

static void check_file(const char *path)
{
	struct file_map map = support_map(path);
	cJSON *json = cJSON_ParseWithLength((const char *)map.bytes, map.size);
	const cJSON *item;

	ck_assert_msg(json, "%s", path);
	if (cJSON_IsArray(json))
		cJSON_ArrayForEach(item, json)
			check_case(item);
	else
		check_case(json);
	cJSON_Delete(json);
	file_unmap(&map);
}

START_TEST(cases_of_others_hold)
{
	const char *folder = support_shared("peers/jvm/cases");
	DIR *cases = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	if (!cases) {
		support_skip("peers/jvm");
		return;
	}
	while ((entry = readdir(cases)))
		if (entry->d_name[0] != '.')
			check_file(support_printf("%s/%s", folder, entry->d_name));
	closedir(cases);
	check_file(support_shared("peers/jvm/small-cases.json"));
	ck_assert_msg(failures == 0, "%u of %u failed", failures, failures + passed);
	ck_assert_uint_gt(passed, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("proguard-peers");
	TCase *all = tcase_create("all");

	tcase_add_test(all, cases_of_others_hold);
	suite_add_tcase(suite, all);
	return support_main(suite);
}
