/*
 * map_check.c -- what is wrong with a map, by ECMA-426 (sections 7 to 9), which is stricter than
 * those that read maps: members that have to be there and their kinds, mappings digit by digit,
 * the order of sections; and what makes a map of less use: tokens outside of the lines of a file,
 * sources whose text it has not.
 */
#include "sourcemap/sourcemap_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

#define WORDS_BYTES 400u
#define NAME_SHOWN  200              /* bytes of a name in words */
#define NUMBER_MAX  ((int64_t)INT32_MAX)
#define MAP_VERSION 3u
#define FIELDS      5u

struct map_check {
	struct text text, minified;
	struct arena *arena;
	sourcemap_problem_fn *fn;
	void *payload;
	struct err *err;
};

static void tell(const struct map_check *check, bool is_error, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void tell(const struct map_check *check, bool is_error, size_t at, const char *fmt, ...)
{
	char words[WORDS_BYTES];
	struct sourcemap_problem problem = { is_error, at, words };
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	check->fn(check->payload, &problem);
}

/* --- Members ------------------------------------------------------------------------------ */

static char kind_at(const struct map_check *check, const struct map_part *part,
		    enum map_member member)
{
	return part->member_at[member] ? check->text.bytes[part->member_at[member]] : '\0';
}

static void check_version(const struct map_check *check, const struct map_part *part)
{
	struct json_reader json = map_json_at(check->text, part->member_at[MEMBER_VERSION]);
	uint32_t version;

	if (!part->member_at[MEMBER_VERSION])
		tell(check, true, part->at, "there is no version");
	else if (!json_reader_u32(&json, &version) || version != MAP_VERSION)
		tell(check, true, part->member_at[MEMBER_VERSION], "the version is not 3");
}

/* One that is there has to be a string. */
static void check_string(const struct map_check *check, const struct map_part *part,
			 enum map_member member, const char *name)
{
	char kind = kind_at(check, part, member);

	if (kind && kind != '"')
		tell(check, true, part->member_at[member], "%s is no string", name);
}

static void check_needed(const struct map_check *check, const struct map_part *part,
			 enum map_member member, const char *name)
{
	char kind = kind_at(check, part, member);

	if (!kind)
		tell(check, true, part->at, "there are no %s", name);
	else if (kind == 'n')
		tell(check, true, part->member_at[member], "%s are null", name);
}

static void check_names(const struct map_check *check, const struct map_part *part)
{
	struct json_reader json = map_json_at(check->text, part->names_at);

	if (!part->names_at || !json_reader_array(&json))
		return;
	while (json_reader_element(&json)) {
		if (json_reader_peek(&json) != '"')
			tell(check, true, json.pos, "a name is no string");
		json_reader_skip(&json);
	}
}

static void check_ignored(const struct map_check *check, const struct map_part *part)
{
	struct json_reader json = map_json_at(check->text, part->ignored_at);
	uint32_t index;

	if (!part->ignored_at || !json_reader_array(&json))
		return;
	while (json_reader_element(&json) && json_reader_u32(&json, &index))
		if (index >= part->source_count)
			tell(check, true, json.pos, "ignoreList has %u, there are %zu sources",
			     (unsigned)index, part->source_count);
}

/* --- Mappings ----------------------------------------------------------------------------- */

struct strict_walk {
	const struct map_check *check;
	const struct map_part *part;
	struct text text;
	size_t at;
	uint32_t line;
	int64_t fields[FIELDS];      /* column, source, line, column, name */
	uint32_t last_line;
	int64_t last_column;
	bool has_tokens;
};

static int digit_of(char c)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

static bool refuse(const struct strict_walk *walk, const char *words)
{
	tell(walk->check, true, walk->part->mappings_at + walk->at, "%s in the mappings, line %u", words,
	     (unsigned)walk->line);
	return false;
}

static bool take_number(struct strict_walk *walk, int64_t *value)
{
	uint64_t bits = 0;
	unsigned shift = 0;
	int digit;

	do {
		if (walk->at == walk->text.size || walk->text.bytes[walk->at] == ',' ||
		    walk->text.bytes[walk->at] == ';')
			return refuse(walk, "a number ends with a digit that goes on");
		digit = digit_of(walk->text.bytes[walk->at]);
		if (digit < 0)
			return refuse(walk, "a byte that is no base64 digit");
		if (shift > 30 && digit & 31 && (shift > 31 || digit & 28))
			return refuse(walk, "a number of more than 32 bits");
		if (shift <= 31)
			bits |= (uint64_t)(digit & 31) << shift;
		shift = shift > 31 ? shift : shift + 5;
		walk->at++;
	} while (digit & 32);
	*value = (int64_t)(bits >> 1);
	if (bits & 1)
		*value = -*value;
	return true;
}

static bool is_segment_end(const struct strict_walk *walk)
{
	return walk->at == walk->text.size || walk->text.bytes[walk->at] == ',' ||
	       walk->text.bytes[walk->at] == ';';
}

static bool check_fields(const struct strict_walk *walk, unsigned count)
{
	static const char *const words[FIELDS] = {
		"a minified column outside of 31 bits", "a source outside of 31 bits",
		"an original line outside of 31 bits", "an original column outside of 31 bits",
		"a name outside of 31 bits",
	};

	for (unsigned i = 0; i < count; i++)
		if (walk->fields[i] < 0 || walk->fields[i] > NUMBER_MAX)
			return refuse(walk, words[i]);
	if (count > 1 && (uint64_t)walk->fields[1] >= walk->part->source_count)
		return refuse(walk, "a source that is not there");
	if (count > 4 && (uint64_t)walk->fields[4] >= walk->part->name_count)
		return refuse(walk, "a name that is not there");
	return true;
}

static bool take_segment(struct strict_walk *walk)
{
	unsigned count = 0;
	int64_t number;

	if (is_segment_end(walk))
		return refuse(walk, "a segment without a number");
	for (; !is_segment_end(walk); count++) {
		if (count == FIELDS)
			return refuse(walk, "a segment of more than five numbers");
		if (!take_number(walk, &number))
			return false;
		walk->fields[count] += number;
	}
	if (count == 2 || count == 3)
		return refuse(walk, "a segment of two or three numbers");
	if (!check_fields(walk, count))
		return false;
	walk->has_tokens = true;
	walk->last_line = walk->line;
	walk->last_column = walk->fields[0];
	return true;
}

/* Up to the first fault. */
static void check_mappings(struct strict_walk *walk)
{
	while (walk->at < walk->text.size) {
		if (walk->text.bytes[walk->at] == ';') {
			walk->at++;
			walk->line++;
			walk->fields[0] = 0;
			continue;
		}
		if (!take_segment(walk))
			return;
		if (walk->at == walk->text.size || walk->text.bytes[walk->at] != ',')
			continue;
		walk->at++;
		if (is_segment_end(walk)) {
			(void)refuse(walk, "a segment without a number");
			return;
		}
	}
}

/* --- Parts -------------------------------------------------------------------------------- */

static int check_map(const struct map_check *check, const struct map_part *part,
		     struct strict_walk *walk)
{
	*walk = (struct strict_walk){ .check = check, .part = part };
	check_version(check, part);
	check_string(check, part, MEMBER_FILE, "file");
	if (part->is_index) {
		if (part->member_at[MEMBER_MAPPINGS])
			tell(check, true, part->member_at[MEMBER_MAPPINGS],
			     "there are mappings beside sections");
		return 0;
	}
	check_string(check, part, MEMBER_SOURCE_ROOT, "sourceRoot");
	check_needed(check, part, MEMBER_SOURCES, "sources");
	check_needed(check, part, MEMBER_MAPPINGS, "mappings");
	check_names(check, part);
	check_ignored(check, part);
	if (part->mappings.raw.size == 0)
		return 0;
	if (!json_string_text(&part->mappings, check->arena, &walk->text))
		return map_json_no_memory(check->arena, check->err);
	check_mappings(walk);
	return 0;
}

/* Is the last token of a section behind where the next begins? */
static bool reaches(const struct strict_walk *walk, const struct map_part *part)
{
	const struct map_part *next = part->next;
	uint64_t line = (uint64_t)walk->last_line + part->line;
	uint64_t column = (uint64_t)walk->last_column + (walk->last_line ? 0 : part->column);

	return walk->has_tokens &&
	       (line > next->line || (line == next->line && column >= next->column));
}

static void check_next(const struct map_check *check, const struct map_part *part,
		       const struct strict_walk *walk)
{
	const struct map_part *next = part->next;

	if (!part->parent || !next)
		return;
	if (next->line < part->line || (next->line == part->line && next->column < part->column))
		tell(check, true, next->at, "a section begins before the one in front of it");
	else if (next->line == part->line && next->column == part->column)
		tell(check, true, next->at, "two sections begin at one place");
	else if (reaches(walk, part))
		tell(check, true, next->at, "the section in front of this one reaches into it");
}

static struct map_part *behind(struct map_part *part)
{
	if (part->sections)
		return part->sections;
	while (part && !part->next)
		part = part->parent;
	return part ? part->next : NULL;
}

static int check_parts(const struct map_check *check, struct map_part *root)
{
	for (struct map_part *part = root; part; part = behind(part)) {
		struct strict_walk walk;

		if (check_map(check, part, &walk) < 0)
			return -1;
		check_next(check, part, &walk);
	}
	return 0;
}

/* --- Tokens and lines --------------------------------------------------------------------- */

/* How long the lines of a text are, in UTF-16 units. */
struct line_lengths { uint32_t *lengths, count; bool is_known; };

static int measure(const struct map_check *check, struct text text, struct line_lengths *lines)
{
	size_t count = 1;
	uint32_t length = 0;

	for (size_t i = 0; i < text.size; i++)
		count += text.bytes[i] == '\n';
	lines->lengths = arena_alloc_raw(check->arena, count, sizeof(*lines->lengths));
	if (!lines->lengths)
		return map_json_no_memory(check->arena, check->err);
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.bytes[i];

		length += (uint32_t)((c & 0xc0) != 0x80) + (c >= 0xf0);
		if (c != '\n')
			continue;
		lines->lengths[lines->count++] = length - 1;
		length = 0;
	}
	lines->lengths[lines->count++] = length;
	lines->is_known = true;
	return 0;
}

static bool is_inside(const struct line_lengths *lines, uint32_t line, uint32_t column)
{
	return !lines->is_known || (line < lines->count && column <= lines->lengths[line]);
}

static struct line_lengths *measure_sources(const struct map_check *check, const struct flat_map *map)
{
	struct line_lengths *lines = arena_alloc(check->arena, map->source_count + 1, sizeof(*lines));

	if (!lines)
		(void)map_json_no_memory(check->arena, check->err);
	for (size_t i = 0; lines && i < map->source_count; i++) {
		struct text text;

		if (!map->sources[i].has_contents)
			continue;
		if (!json_string_text(&map->sources[i].contents, check->arena, &text)) {
			(void)map_json_no_memory(check->arena, check->err);
			return NULL;
		}
		if (measure(check, text, &lines[i]) < 0)
			return NULL;
	}
	return lines;
}

/* How many tokens lie outside, and the first of them. */
struct outside { uint32_t count, line, column, to_line, to_column, source; };

static void note(struct outside *outside, const struct token_table *tokens, uint32_t line, uint32_t i)
{
	if (outside->count++)
		return;
	outside->line = line;
	outside->column = tokens->columns[i];
	outside->to_line = tokens->original_lines[i];
	outside->to_column = tokens->original_columns[i];
	outside->source = tokens->sources[i];
}

static void tell_outside(const struct map_check *check, const struct flat_map *map,
			 const struct outside *minified, const struct outside *sources)
{
	if (minified->count)
		tell(check, false, 0, "%u tokens are outside of the lines of the minified file, the first at %u:%u",
		     (unsigned)minified->count, (unsigned)minified->line + 1,
		     (unsigned)minified->column + 1);
	if (sources->count)
		tell(check, false, 0, "%u tokens lead outside of the lines of their sources, the first, at %u:%u, to "
		     "%.*s:%u:%u", (unsigned)sources->count, (unsigned)sources->line + 1,
		     (unsigned)sources->column + 1,
		     (int)(map->sources[sources->source].name.size < NAME_SHOWN
			   ? map->sources[sources->source].name.size : NAME_SHOWN),
		     map->sources[sources->source].name.bytes, (unsigned)sources->to_line + 1,
		     (unsigned)sources->to_column + 1);
}

static int check_tokens(const struct map_check *check, const struct flat_map *map)
{
	struct outside of_minified = { .count = 0 }, of_sources = { .count = 0 };
	struct line_lengths minified = { .is_known = false }, *sources;
	const struct token_table *tokens = &map->tokens;

	if (check->minified.bytes && measure(check, check->minified, &minified) < 0)
		return -1;
	sources = measure_sources(check, map);
	if (!sources)
		return -1;
	for (uint32_t line = 0; line < tokens->line_count; line++) {
		uint32_t number = tokens->lines[line].line, end = token_line_end(tokens, line);

		for (uint32_t i = tokens->lines[line].first; i < end; i++) {
			if (!is_inside(&minified, number, tokens->columns[i]))
				note(&of_minified, tokens, number, i);
			if (tokens->sources[i] != SOURCEMAP_NONE &&
			    !is_inside(&sources[tokens->sources[i]], tokens->original_lines[i],
				       tokens->original_columns[i]))
				note(&of_sources, tokens, number, i);
		}
	}
	tell_outside(check, map, &of_minified, &of_sources);
	return 0;
}

static int check_whole(const struct map_check *check)
{
	struct flat_map map = { .is_without_contents = false };

	if (map_flatten(&map, check->text, check->arena, check->err) < 0) {
		if (check->err->kind == ERR_MALFORMED)
			tell(check, true, 0, "%s", check->err->text);
		return -1;
	}
	for (size_t i = 0; i < map.source_count; i++)
		if (!map.sources[i].has_contents)
			tell(check, false, 0, "the text of source %zu is not in the map: %.*s", i,
			     (int)(map.sources[i].name.size < NAME_SHOWN ? map.sources[i].name.size
									 : NAME_SHOWN),
			     map.sources[i].name.bytes);
	if (map.tokens.count == 0)
		tell(check, false, 0, "there is no token");
	return check_tokens(check, &map);
}

int sourcemap_check(struct text map, struct text minified, size_t memory_bytes,
		    sourcemap_problem_fn *fn, void *payload, struct err *err)
{
	struct map_check check = { .text = map, .minified = minified, .fn = fn, .payload = payload,
				   .err = err };
	struct map_part *root;
	struct arena arena;
	int rc = 0;

	arena_init(&arena, memory_bytes);
	check.arena = &arena;
	if (map.size < UINT32_MAX && text_is_utf8(map)) {
		root = map_json_read(map, &arena, err);
		rc = root ? check_parts(&check, root) : 0;
	}
	if (rc == 0)
		rc = check_whole(&check);
	arena_release(&arena);
	return rc;
}
