/* test_sourcemap -- source maps: read, written as a lookup file, opened, looked up. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "sourcemap/sourcemap.h"

#define BYTES_MOST ((size_t)64 << 20)

static int write_map(const char *json, const char *minified, const struct sourcemap_scopes *scopes,
		     FILE *file, struct sourcemap_report *report, struct err *err)
{
	struct sourcemap_input input = { .map = text_of(json), .minified = text_of(minified),
					 .memory_bytes = BYTES_MOST };

	if (scopes)
		input.scopes = *scopes;
	return sourcemap_write(&input, fileno(file), report, err);
}

static struct file_map cache_of(const char *json, const char *minified,
				const struct sourcemap_scopes *scopes, struct sourcemap *cache)
{
	struct sourcemap_report report;
	struct err err = ERR_INIT;
	struct file_map map;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_msg(write_map(json, minified, scopes, file, &report, &err) == 0, "%s: %s", json,
		      err.text);
	ck_assert_int_eq(file_map_fd(&map, fileno(file), &err), 0);
	fclose(file);
	ck_assert_msg(sourcemap_open(cache, map.bytes, map.size, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(report.bytes, map.size);
	return map;
}

/* What is at a place, as text: "file:line:column name scope", all from 0. */
static const char *said(const struct sourcemap *cache, uint32_t line, uint32_t column)
{
	static const char *const kinds[] = { "", "<anonymous>", "" };
	static char out[512];
	struct sourcemap_place place;
	struct text scope;

	if (!sourcemap_lookup(cache, line, column, &place))
		return "-";
	scope = place.scope_kind == SOURCEMAP_SCOPE_NAMED ? place.scope
							  : text_of(kinds[place.scope_kind]);
	snprintf(out, sizeof(out), "%.*s:%u:%u %.*s %.*s", (int)place.file_name.size,
		 place.file_name.bytes, (unsigned)place.line, (unsigned)place.column,
		 (int)place.name.size, place.name.bytes ? place.name.bytes : "", (int)scope.size,
		 scope.bytes);
	return out;
}

/* --- What maps say ------------------------------------------------------------------------ */

#define MAP(sources, names, mappings) "{\"version\":3,\"sources\":" sources ",\"names\":" names \
	",\"mappings\":\"" mappings "\"}"

static const struct { const char *what, *json; uint32_t line, column; const char *text; } finds[] = {
	{ "nothing at all", "{}", 0, 0, "-" },
	{ "a token", MAP("[\"a\"]", "[]", "AAAA"), 0, 0, "a:0:0  " },
	{ "behind a token", MAP("[\"a\"]", "[]", "AAAA"), 0, 99, "a:0:0  " },
	{ "not on the next line", MAP("[\"a\"]", "[]", "AAAA"), 1, 0, "-" },
	{ "before the first of its line", MAP("[\"a\"]", "[]", "AAAA;EAAA"), 1, 1, "-" },
	{ "a name", MAP("[\"a\"]", "[\"x\",\"y\"]", "AAACC"), 0, 0, "a:0:1 y " },
	{ "a number as a name", MAP("[\"a\"]", "[12,1e2]", "AAACC"), 0, 0, "a:0:1 100.0 " },
	{ "an unmapped token", MAP("[\"a\"]", "[]", "AAAA,E"), 0, 3, "-" },
	{ "null is an empty name", MAP("[null]", "[]", "AAAA"), 0, 0, ":0:0  " },
	{ "the last of several at one place", MAP("[\"a\"]", "[]", "AAAA,AACA"), 0, 0, "a:1:0  " },
	{ "what repeats is no token, also on a line of its own",
	  MAP("[\"a\"]", "[]", "AAAA;AAAA"), 1, 0, "-" },
	{ "out of order", MAP("[\"a\"]", "[]", "KAAA,JACA"), 0, 2, "a:1:0  " },
	{ "a line and column that wrap", MAP("[\"a\"]", "[]", "AADD"), 0, 0, "a:4294967295:4294967295  " },
	{ "behind junk", ")]}'\n" MAP("[\"a\"]", "[]", "AAAA"), 0, 0, "a:0:0  " },
	{ "names with escapes", MAP("[\"\\u0061\\n\\ud83d\\ude00\"]", "[]", "AAAA"), 0, 0,
	  "a\n\xf0\x9f\x98\x80:0:0  " },
	{ "mappings with escapes", MAP("[\"a\"]", "[]", "\\u0041AAA\\u003bAACA"), 1, 0, "a:1:0  " },
	{ "members whose names have escapes", "{\"sour\\u0063es\":[\"a\"],\"mappings\":\"AAAA\"}", 0, 0,
	  "a:0:0  " },
	{ "a root", "{\"sourceRoot\":\"r/\",\"sources\":[\"a\"],\"mappings\":\"AAAA\"}", 0, 0,
	  "r/a:0:0  " },
	{ "not before an absolute source",
	  "{\"sourceRoot\":\"r\",\"sources\":[\"https:a\"],\"mappings\":\"AAAA\"}", 0, 0, "https:a:0:0  " },
	{ "but before a scheme others have",
	  "{\"sourceRoot\":\"r\",\"sources\":[\"webpack:///a\"],\"mappings\":\"AAAA\"}", 0, 0,
	  "r/webpack:///a:0:0  " },
	{ "a byte outside of the alphabet is a digit that goes on",
	  MAP("[\"a\"]", "[]", "!AAAA"), 0, 31, "-" },
	{ "sections", "{\"sections\":[{\"offset\":{\"line\":1,\"column\":5},\"map\":"
	  MAP("[\"a\"]", "[]", "AAAA;CAAA") "}]}", 1, 5, "a:0:0  " },
	{ "whose column counts for their first line",
	  "{\"sections\":[{\"offset\":{\"line\":1,\"column\":5},\"map\":"
	  MAP("[\"a\"]", "[]", "AAAA;CACA") "}]}", 2, 1, "a:1:0  " },
	{ "in sections", "{\"sections\":[{\"map\":{\"sections\":[{\"offset\":{\"line\":0,\"column\":3},"
	  "\"map\":" MAP("[\"a\"]", "[]", "AAAA") "}]},\"offset\":{\"line\":1,\"column\":5}}]}", 1, 8,
	  "a:0:0  " },
	{ "out of order, one source of two maps",
	  "{\"sections\":[{\"offset\":{\"line\":0,\"column\":5},\"map\":" MAP("[\"b\",\"a\"]", "[]", "ACAA")
	  "},{\"offset\":{\"line\":0,\"column\":0},\"map\":" MAP("[\"a\"]", "[]", "AACA") "}]}", 0, 6,
	  "a:0:0  " },
};

START_TEST(finds_places)
{
	for (size_t i = 0; i < sizeof(finds) / sizeof(finds[0]); i++) {
		struct sourcemap cache;
		struct file_map map = cache_of(finds[i].json, "", NULL, &cache);

		ck_assert_msg(strcmp(said(&cache, finds[i].line, finds[i].column), finds[i].text) == 0,
			      "%s: %s", finds[i].what, said(&cache, finds[i].line, finds[i].column));
		file_unmap(&map);
	}
}
END_TEST

/* --- What is refused ---------------------------------------------------------------------- */

static const struct { const char *what, *json, *text; } refusals[] = {
	{ "no JSON", "<html>", "the source map has no object at byte 0" },
	{ "nothing", "", "the source map has no object at byte 0" },
	{ "junk without an end", ")]}'{}", "the source map is one line that is no JSON" },
	{ "something behind it", "{} x", "the source map has no end behind it at byte 3" },
	{ "a version of another kind", "{\"version\":\"3\"}",
	  "the source map has no number of 32 bits at byte 11" },
	{ "sources that are no list", "{\"sources\":\"a\"}", "the source map has no array at byte 11" },
	{ "a source that is no string", "{\"sources\":[1]}", "the source map has no string at byte 12" },
	{ "a member twice", "{\"names\":[],\"names\":[]}",
	  "the source map has \"names\" twice in one object, at byte 20" },
	{ "a debug id that is none", "{\"debugId\":\"x\"}", "the source map has no debug id at byte 11" },
	{ "two numbers", MAP("[\"a\"]", "[]", "AAAA,AA"),
	  "the source map's mappings have no segment of 1, 4 or 5 numbers at byte 57 (line 0)" },
	{ "a source that is not there", MAP("[\"a\"]", "[]", "ACAA"),
	  "the source map's mappings have no source that is one at byte 52 (line 0)" },
	{ "a name that is not there", MAP("[\"a\"]", "[]", "AAAAA"),
	  "the source map's mappings have no name that is one at byte 52 (line 0)" },
	{ "a number that goes on", MAP("[\"a\"]", "[]", "AAAg"), NULL },
	{ "a number that is too long", MAP("[\"a\"]", "[]", "ggggggggggggggA"), NULL },
	{ "six numbers", MAP("[\"a\"]", "[\"b\"]", "AAAAAA"), NULL },
	{ "a section without a map", "{\"sections\":[{\"offset\":{\"line\":0,\"column\":0},\"url\":\"x\"}]}",
	  NULL },
	{ "a section without an offset", "{\"sections\":[{\"map\":{}}]}", NULL },
	{ "a section that is none", "{\"sections\":[3]}", NULL },
	{ "a function map without names", "{\"x_facebook_sources\":[[{\"mappings\":\"\"}]]}", NULL },
};

START_TEST(refuses_with_words)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct sourcemap_report report;
		struct err err = ERR_INIT;
		FILE *file = tmpfile();

		ck_assert_ptr_nonnull(file);
		ck_assert_msg(write_map(refusals[i].json, "", NULL, file, &report, &err) < 0, "%s",
			      refusals[i].what);
		ck_assert_msg(err.kind == ERR_MALFORMED, "%s: %s", refusals[i].what, err.text);
		if (refusals[i].text)
			ck_assert_msg(strcmp(err.text, refusals[i].text) == 0, "%s: %s",
				      refusals[i].what, err.text);
		fclose(file);
	}
}
END_TEST

/* --- Sources ------------------------------------------------------------------------------ */

START_TEST(quotes_sources)
{
	struct sourcemap_source source;
	struct sourcemap cache;
	struct text line;
	struct file_map map = cache_of("{\"sources\":[\"a\",\"b\",\"c\"],\"sourcesContent\":"
				       "[\"one\\r\\ntw\\u00f6\\n\\nfour\",null,\"\"],\"ignoreList\":[1,9]}",
				       "", NULL, &cache);

	ck_assert(sourcemap_source(&cache, 0, &source));
	ck_assert(source.has_contents && !source.is_ignored);
	ck_assert_uint_eq(source.line_count, 4);
	ck_assert(sourcemap_line(&source, 0, &line) && text_is(line, "one"));
	ck_assert(sourcemap_line(&source, 1, &line) && text_is(line, "tw\xc3\xb6"));
	ck_assert(sourcemap_line(&source, 2, &line) && line.size == 0);
	ck_assert(sourcemap_line(&source, 3, &line) && text_is(line, "four"));
	ck_assert(!sourcemap_line(&source, 4, &line));
	ck_assert(sourcemap_source(&cache, 1, &source));
	ck_assert(!source.has_contents && source.is_ignored && text_is(source.name, "b"));
	ck_assert(sourcemap_source(&cache, 2, &source));
	ck_assert(source.has_contents && source.line_count == 0);
	ck_assert(!sourcemap_source(&cache, 3, &source));
	file_unmap(&map);
}
END_TEST

/* --- Functions ---------------------------------------------------------------------------- */

/* "function a(){b()}" and "var c=()=>{}" behind it. */
static const struct sourcemap_scope_part parts[] = {
	{ { "a", 1 }, 9 }, { { "c", 1 }, 21 },
};
static const struct sourcemap_scope scope_list[] = { { 23, 29, 1, 1 }, { 0, 17, 0, 1 } };
static const struct sourcemap_scopes scopes = { scope_list, 2, parts, 2 };
#define MINIFIED "function a(){b()}var c=()=>{}"

START_TEST(names_functions)
{
	struct sourcemap cache;
	struct file_map map = cache_of(MAP("[\"f\"]", "[\"hello\",\"world\"]",
					   "AAAA,SAASA,IAAI,IAAI,IAAIC,EAAI,AAAA"), MINIFIED, &scopes, &cache);

	ck_assert_str_eq(said(&cache, 0, 0), "f:0:0  hello");
	ck_assert_str_eq(said(&cache, 0, 13), "f:0:13  hello");
	ck_assert_str_eq(said(&cache, 0, 17), "f:0:17  ");
	ck_assert_str_eq(said(&cache, 0, 21), "f:0:21 world ");
	ck_assert_str_eq(said(&cache, 0, 23), "f:0:25  world");
	file_unmap(&map);
}
END_TEST

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define RICH "{\"debug_id\":\"3249d99d-0c40-4931-8610-f4e4fb0b6936\",\"sections\":[{\"offset\":{" \
	"\"line\":0,\"column\":0},\"map\":{\"sources\":[\"\\u0061\"],\"sourcesContent\":[\"x\\n\"]," \
	"\"names\":[1.5,\"y\"],\"sourceRoot\":\"r\",\"rangeMappings\":\"B\"," \
	"\"mappings\":\"EAAA,DAAAA;;AACAC,E\"}}]}"
#define HERMES "{\"sources\":[\"a\",\"b\"],\"mappings\":\"AAAA,CCAA;AAAA\",\"x_facebook_sources\":[[{" \
	"\"names\":[\"<global>\",\"f\",\"\\u0067\"],\"mappings\":\"AAA,CC;DAA\"}],null]}"

START_TEST(names_functions_by_the_map)
{
	struct sourcemap cache;
	struct file_map map = cache_of("{\"sources\":[\"a\",\"b\"],\"mappings\":\"AAAA,CAAC,CACA,CCDA\","
				       "\"x_facebook_sources\":[[{\"names\":[\"<global>\",\"f\"],"
				       "\"mappings\":\"AAA,CC,DDC\"}],[{\"names\":[\"x\"],\"mappings\":\"A!\"}]]}",
				       "", NULL, &cache);

	ck_assert(cache.is_hermes);
	ck_assert_str_eq(said(&cache, 0, 0), "a:0:0  <global>");
	ck_assert_str_eq(said(&cache, 0, 1), "a:0:1  f");
	ck_assert_str_eq(said(&cache, 0, 2), "a:1:1  <global>");
	ck_assert_str_eq(said(&cache, 0, 3), "b:0:1  ");
	file_unmap(&map);
}
END_TEST

static void change(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	(void)LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	struct sourcemap cache;
	struct file_map map = cache_of(RICH, MINIFIED, &scopes, &cache);

	support_every_byte_change((const uint8_t *)RICH, strlen(RICH), change, NULL);
	support_every_byte_change((const uint8_t *)HERMES, strlen(HERMES), change, NULL);
	support_every_byte_change(map.bytes, map.size, change, NULL);
	file_unmap(&map);
}
END_TEST

static int write_work(void *payload, struct err *err)
{
	struct sourcemap_report report;
	FILE *file = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = write_map(payload, MINIFIED, &scopes, file, &report, err);
	fclose(file);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	static char rich[] = RICH, hermes[] = HERMES;

	support_every_allocation_failure(write_work, rich, 1000);
	support_every_allocation_failure(write_work, hermes, 1000);
}
END_TEST

/* --- Lies: time and memory in proportion ---------------------------------------------------- */

/* `count` times `piece` between two texts. */
static char *repeated(const char *before, const char *piece, size_t count, const char *behind)
{
	size_t size = strlen(piece);
	char *text = mem_get(strlen(before) + count * size + strlen(behind) + 1), *at = text;

	ck_assert_ptr_nonnull(text);
	at = stpcpy(at, before);
	for (size_t i = 0; i < count; i++, at += size)
		memcpy(at, piece, size);
	(void)stpcpy(at, behind);
	return text;
}

START_TEST(reads_sections_of_any_depth)
{
	char *open = repeated("", "{\"sections\":[{\"offset\":{\"line\":0,\"column\":1},\"map\":", 10000,
			      MAP("[\"a\"]", "[]", "AAAA"));
	char *text = repeated(open, "}]}", 10000, "");
	struct sourcemap cache;
	struct file_map map = cache_of(text, "", NULL, &cache);

	ck_assert_str_eq(said(&cache, 0, 9999), "-");
	ck_assert_str_eq(said(&cache, 0, 10000), "a:0:0  ");
	file_unmap(&map);
	mem_give_back(text);
	mem_give_back(open);
}
END_TEST

START_TEST(reads_what_is_long)
{
	char *lines = repeated("{\"sources\":[\"a\"],\"mappings\":\"", ";", 5000000, "AAAA\"}");
	char *back = repeated("{\"sources\":[\"a\"],\"mappings\":\"ggggC", ",DAAC", 1000000, "\"}");
	struct sourcemap cache;
	struct file_map map = cache_of(lines, "", NULL, &cache);

	ck_assert_str_eq(said(&cache, 5000000, 1), "a:0:0  ");
	file_unmap(&map);
	map = cache_of(back, "", NULL, &cache);
	ck_assert_str_eq(said(&cache, 0, 1048576), "-");
	ck_assert_str_eq(said(&cache, 0, 1048575), "a:0:1  ");
	file_unmap(&map);
	mem_give_back(lines);
	mem_give_back(back);
}
END_TEST

/* What leaves the usual way, with enough of the usual behind it that it is met there, and at the end of all. */
#define USUAL "AAAA,CAAA,CAAA,CAAA,CAAA,CAAA,"
static const char *const unusual[] = {
	"C", "CA", "CAA", "CAAA", "CAAAC", "CAAACA", "gBAgBgB", "gBAgBgBC", "ggCAggCggC", "gggCAgggCgggC",
	"ggggCAAA", "CDAA", "CCAA", "CAAAE", "CAAAD", "JAAA", "DADD", "", ",", ";", ";;CAAA", "!AAAA", "CAA!A",
	"CAAg", "CAAggg", "ggggggggggggggA", "+A/A", "C,CAAA,C", "\303\244AAA",
};

static int tell(void *payload, const struct sourcemap_mapping *mapping, struct err *err)
{
	(void)err;
	buf_printf(payload, "%u:%u %d %.*s %u:%u %.*s\n", (unsigned)mapping->line, (unsigned)mapping->column,
		   mapping->has_source, (int)mapping->source.size, mapping->source.bytes,
		   (unsigned)mapping->original_line, (unsigned)mapping->original_column, (int)mapping->name.size,
		   mapping->name.bytes);
	return 0;
}

/* All tokens, or why there are none. */
static void tell_map(const char *json, struct buf *told)
{
	struct err err = ERR_INIT;

	buf_init(told, BYTES_MOST);
	if (sourcemap_each(text_of(json), BYTES_MOST, tell, told, &err) < 0)
		buf_printf(told, "%s", err.text);
}

/* Where there are ranges each segment is read carefully: it is the same. */
START_TEST(reads_the_usual_and_the_rest_alike)
{
	static const char *const behind[] = { "", "," USUAL "CAAA" };

	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		const char *members = "\"sources\":[\"a\",\"b\"],\"names\":[\"x\",\"y\"],\"mappings\":\"" USUAL;
		char *quick = support_printf("{%s%s%s\"}", members, unusual[_i], behind[i]);
		char *careful = support_printf("{%s%s%s\",\"rangeMappings\":\"A\"}", members, unusual[_i], behind[i]);
		struct buf quickly, carefully;

		tell_map(quick, &quickly);
		tell_map(careful, &carefully);
		ck_assert_str_eq(buf_string(&quickly), buf_string(&carefully));
		buf_release(&quickly);
		buf_release(&carefully);
	}
}
END_TEST

START_TEST(knows_where_modules_begin)
{
	static const char *const none[] = { "", "{", "[]", ")]}", "{\"x_facebook_offsets\":null}", "{\"version\":3}",
					    "{\"sections\":[{\"x_facebook_offsets\":[1]}]}" };
	struct text table;
	uint32_t line = 77;

	ck_assert(sourcemap_modules(TEXT(")]}'\n{\"sections\":[],\"x_facebook_offsets\":[3,null,12,-1,4294967296]}"),
				    &table));
	ck_assert(sourcemap_module_line(table, 0, &line));
	ck_assert_uint_eq(line, 3);
	ck_assert(sourcemap_module_line(table, 2, &line));
	ck_assert_uint_eq(line, 12);
	ck_assert(!sourcemap_module_line(table, 1, &line));
	ck_assert(!sourcemap_module_line(table, 3, &line));
	ck_assert(!sourcemap_module_line(table, 4, &line));
	ck_assert(!sourcemap_module_line(table, 5, &line));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_msg(!sourcemap_modules(text_of(none[i]), &table), "%s", none[i]);
	ck_assert(!sourcemap_module_line(TEXT_NONE, 0, &line));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sourcemap");
	TCase *tcase = tcase_create("sourcemap");

	tcase_add_test(tcase, finds_places);
	tcase_add_test(tcase, refuses_with_words);
	tcase_add_test(tcase, quotes_sources);
	tcase_add_test(tcase, names_functions);
	tcase_add_test(tcase, names_functions_by_the_map);
	tcase_add_test(tcase, survives_every_byte_change);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, reads_sections_of_any_depth);
	tcase_add_test(tcase, reads_what_is_long);
	tcase_add_loop_test(tcase, reads_the_usual_and_the_rest_alike, 0, (int)(sizeof(unusual) / sizeof(unusual[0])));
	tcase_add_test(tcase, knows_where_modules_begin);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
