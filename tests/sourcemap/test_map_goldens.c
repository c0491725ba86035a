/*
 * test_map_goldens.c -- the standard's decoding tests: each map as its record says it is.
 *
 * Of a record `file` and `scopes` (a proposal) are not compared: neither is kept.
 */
#include "support/support.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/file.h"
#include "sourcemap/sourcemap.h"

#define FOLDER     "peers/js/source-map-tests/decoding"
#define FILE_BYTES ((size_t)1 << 20)
#define MEMORY     ((size_t)16 << 20)

/* What we refuse although there is a record of it. */
static const struct { const char *name, *words; bool has_commas; } decisions[] = {
	/* Not JSON; without the comma it is as recorded. */
	{ "debug-id-index.map", "the source map has no", true },
	{ "debug-id-index-section.map", "the source map has no", true },
	/* The record may have no debug id, or there may be an error (invalid-debug-id.error). */
	{ "invalid-debug-id.map", "the source map has no debug id at byte", false },
};

static int decision_on(const char *path)
{
	for (int i = 0; i < (int)(sizeof(decisions) / sizeof(decisions[0])); i++)
		if (strcmp(strrchr(path, '/') + 1, decisions[i].name) == 0)
			return i;
	return -1;
}

static void read_text(const char *path, struct buf *text)
{
	struct err err = ERR_INIT;

	buf_init(text, FILE_BYTES);
	ck_assert_msg(file_read_all(path, FILE_BYTES, text, &err) == 0, "%s", err.text);
}

/* A comma with nothing behind it before the object or array ends. */
static void drop_last_commas(struct buf *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->size; i++) {
		size_t next = i + 1;

		while (next < text->size && strchr(" \n", text->bytes[next]))
			next++;
		if (text->bytes[i] == ',' && next < text->size && strchr("}]", text->bytes[next]))
			continue;
		text->bytes[kept++] = text->bytes[i];
	}
	text->size = kept;
}

static int write_map(struct text map, FILE *file, struct err *err)
{
	struct sourcemap_input input = { .map = map, .minified = TEXT(""), .memory_bytes = MEMORY };
	struct sourcemap_report report;

	return sourcemap_write(&input, fileno(file), &report, err);
}

static void expect_refusal(const char *path, struct text map, const char *words)
{
	struct err err = ERR_INIT;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_msg(write_map(map, file, &err) < 0, "%s", path);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strncmp(err.text, words, strlen(words)) == 0, "%s: %s", path, err.text);
	fclose(file);
}

/* --- What a record says --------------------------------------------------------------------- */

static int count(void *payload, const struct sourcemap_mapping *mapping, struct err *err)
{
	(void)mapping;
	(void)err;
	++*(int *)payload;
	return 0;
}

static const char *string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void expect_source(const char *path, const struct sourcemap *map, uint32_t index, const cJSON *golden)
{
	const char *content = string(golden, "content"), *url = string(golden, "url");
	struct sourcemap_source source;

	ck_assert_msg(sourcemap_source(map, index, &source), "%s: no source %u", path, index);
	ck_assert_msg(text_is(source.name, url ? url : ""), "%s: %u: %.*s", path, index,
		      (int)source.name.size, source.name.bytes);
	ck_assert_msg(source.has_contents == (content != NULL), "%s: %u", path, index);
	ck_assert_msg(!content || text_is(source.contents, content), "%s: %u", path, index);
	ck_assert_msg(source.is_ignored == cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(golden, "ignored")),
		      "%s: %u", path, index);
}

static void expect_record(const char *path, struct text text, const struct sourcemap *map, const cJSON *golden)
{
	const cJSON *sources = cJSON_GetObjectItemCaseSensitive(golden, "sources");
	const cJSON *mappings = cJSON_GetObjectItemCaseSensitive(golden, "mappings");
	const char *debug_id = string(golden, "debugId");
	char said[DEBUGID_TEXT_BYTES];
	struct err err = ERR_INIT;
	int tokens = 0;

	debugid_format(&map->debug_id, said);
	ck_assert_msg(debugid_is_nil(&map->debug_id) == !debug_id, "%s: %s", path, said);
	ck_assert_msg(!debug_id || strcmp(said, debug_id) == 0, "%s: %s", path, said);
	ck_assert_msg((int)map->file_count == cJSON_GetArraySize(sources), "%s: %u sources", path,
		      map->file_count);
	for (uint32_t i = 0; i < map->file_count; i++)
		expect_source(path, map, i, cJSON_GetArrayItem(sources, (int)i));
	ck_assert_int_eq(sourcemap_each(text, MEMORY, count, &tokens, &err), 0);
	ck_assert_msg(tokens == cJSON_GetArraySize(mappings), "%s: %d tokens", path, tokens);
}

static cJSON *golden_of(const char *path)
{
	struct buf text;
	cJSON *golden;

	read_text(support_printf("%s.golden", path), &text);
	drop_last_commas(&text);
	golden = cJSON_ParseWithLength(text.bytes, text.size);
	ck_assert_msg(golden != NULL, "%s.golden", path);
	buf_release(&text);
	return golden;
}

static void expect_decoded(const char *path, struct text text)
{
	cJSON *golden = golden_of(path);
	struct err err = ERR_INIT;
	struct file_map bytes;
	struct sourcemap map;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_msg(write_map(text, file, &err) == 0, "%s: %s", path, err.text);
	ck_assert_int_eq(file_map_fd(&bytes, fileno(file), &err), 0);
	ck_assert_msg(sourcemap_open(&map, bytes.bytes, bytes.size, &err) == 0, "%s: %s", path, err.text);
	expect_record(path, text, &map, golden);
	file_unmap(&bytes);
	fclose(file);
	cJSON_Delete(golden);
}

/* --- All of them ------------------------------------------------------------------------------ */

START_TEST(maps_are_as_recorded)
{
	const char *folder = support_shared(FOLDER);
	glob_t found;

	if (!folder)
		return;
	ck_assert_int_eq(glob(support_printf("%s/*/*.map", folder), 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		int decision = decision_on(path);
		struct buf text;

		read_text(path, &text);
		if (decision >= 0)
			expect_refusal(path, buf_text(&text), decisions[decision].words);
		if (decision >= 0 && decisions[decision].has_commas)
			drop_last_commas(&text);
		if (decision < 0 || decisions[decision].has_commas)
			expect_decoded(path, buf_text(&text));
		buf_release(&text);
	}
	globfree(&found);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("map_goldens");
	TCase *tests = tcase_create("map_goldens");

	tcase_add_test(tests, maps_are_as_recorded);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}
