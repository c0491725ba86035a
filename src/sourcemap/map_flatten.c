/*
 * map_flatten.c -- from a map, with sections or without, to one list of sources, one of names and
 * one of tokens.  Sections come in the order of their offsets, whatever depth they are in; equal
 * sources and equal names of theirs become one.
 */
#include "sourcemap/sourcemap_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/map.h"

#define NUMBER_BYTES 40u             /* of one among the names, as text */

struct flatten {
	struct flat_map *map;
	struct arena *arena;
	struct map sources, names;   /* of an index map: name -> number + 1 */
	struct map_part **parts;     /* those with tokens, in order */
	size_t part_count;
	size_t path_bytes;
	struct err *err;
};

/* --- Order of sections -------------------------------------------------------------------- */

static int compare_parts(const void *a, const void *b)
{
	const struct map_part *left = *(struct map_part *const *)a;
	const struct map_part *right = *(struct map_part *const *)b;

	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	if (left->column != right->column)
		return left->column < right->column ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

static bool are_sorted(const struct map_part *part)
{
	for (; part && part->next; part = part->next)
		if (part->line > part->next->line ||
		    (part->line == part->next->line && part->column > part->next->column))
			return false;
	return true;
}

static int sort_sections(struct flatten *flat, struct map_part *part)
{
	struct map_part **list;
	size_t count = 0;

	if (are_sorted(part->sections))
		return 0;
	list = arena_alloc_raw(flat->arena, part->section_count, sizeof(struct map_part *));
	if (!list)
		return map_json_no_memory(flat->arena, flat->err);
	for (struct map_part *at = part->sections; at; at = at->next)
		list[count++] = at;
	qsort(list, count, sizeof(struct map_part *), compare_parts);
	for (size_t i = 0; i < count; i++)
		list[i]->next = i + 1 < count ? list[i + 1] : NULL;
	part->sections = list[0];
	part->last_section = list[count - 1];
	return 0;
}

/* From an offset in the parent to one in the whole. */
static void place_part(struct map_part *part)
{
	const struct map_part *parent = part->parent;

	if (!parent)
		return;
	if (part->line == 0)
		part->column += parent->column;
	part->line += parent->line;
}

/* The part behind this one and all that is in it. */
static struct map_part *next_part(struct map_part *part)
{
	while (part && !part->next)
		part = part->parent;
	return part ? part->next : NULL;
}

static int list_parts(struct flatten *flat, struct map_part *root)
{
	size_t capacity = 0;

	for (int is_listing = 0; is_listing < 2; is_listing++) {
		struct map_part *part = root;

		while (part) {
			if (!is_listing && part->is_index && sort_sections(flat, part) < 0)
				return -1;
			if (!part->is_index) {
				capacity++;
				if (is_listing)
					flat->parts[flat->part_count++] = part;
			}
			if (is_listing)
				place_part(part);
			part = part->is_index && part->sections ? part->sections : next_part(part);
		}
		if (!is_listing)
			flat->parts = arena_alloc_raw(flat->arena, capacity + 1, sizeof(struct map_part *));
		if (!flat->parts)
			return map_json_no_memory(flat->arena, flat->err);
	}
	return 0;
}

/* --- Texts -------------------------------------------------------------------------------- */

static int take_text(struct flatten *flat, const struct json_string *string, struct text *text)
{
	if (!json_string_text(string, flat->arena, text))
		return map_json_no_memory(flat->arena, flat->err);
	if (text->size == 0)
		*text = TEXT("");
	return 0;
}

/* The digits of a number and where its point is, in front of the first digit at 0. */
struct decimal { char digits[NUMBER_BYTES]; int count, point; };

/* The fewest digits that mean the same number. */
static struct decimal decimal_of(double value)
{
	struct decimal decimal = { .count = 0 };
	char text[NUMBER_BYTES];
	const char *at;

	for (int precision = 0; precision <= 16; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	for (at = text; *at && *at != 'e'; at++)
		if (ascii_is_digit(*at))
			decimal.digits[decimal.count++] = *at;
	decimal.point = *at ? (int)strtol(at + 1, NULL, 10) + 1 : 0;
	return decimal;
}

/* With a point or an exponent, whichever is in use for numbers of that size. */
static void spell_decimal(const struct decimal *decimal, bool is_negative, struct buf *out)
{
	int count = decimal->count, point = decimal->point;

	if (is_negative)
		buf_add_char(out, '-');
	if (point > 0 && point <= 16) {
		for (int i = 0; i < (count > point ? count : point); i++)
			buf_printf(out, "%s%c", i == point ? "." : "", i < count ? decimal->digits[i] : '0');
		buf_add_string(out, count > point ? "" : ".0");
	} else if (point > -5 && point <= 0) {
		buf_printf(out, "0.%.*s%.*s", -point, "00000", count, decimal->digits);
	} else {
		buf_printf(out, "%c%s%.*se%d", decimal->digits[0], count > 1 ? "." : "", count - 1,
			   decimal->digits + 1, point - 1);
	}
}

/* A number among the names, as text: whole ones of 64 bits as they stand, others in the shortest
 * form. */
static int number_text(struct flatten *flat, struct text raw, struct text *text)
{
	char copy[2 * NUMBER_BYTES];
	struct decimal decimal;
	struct buf out;
	double value;
	int rc;

	*text = raw;
	if ((!memchr(raw.bytes, '.', raw.size) && !memchr(raw.bytes, 'e', raw.size) &&
	     !memchr(raw.bytes, 'E', raw.size) && raw.size < 19) || raw.size >= sizeof(copy))
		return 0;
	memcpy(copy, raw.bytes, raw.size);
	copy[raw.size] = '\0';
	value = strtod(copy, NULL);
	decimal = decimal_of(value < 0 ? -value : value);
	buf_init(&out, 2 * NUMBER_BYTES);
	spell_decimal(&decimal, copy[0] == '-', &out);
	text->bytes = arena_strndup(flat->arena, buf_string(&out), out.size);
	text->size = out.size;
	rc = out.failed || !text->bytes ? map_json_no_memory(flat->arena, flat->err) : 0;
	buf_release(&out);
	return rc;
}

static int take_name(struct flatten *flat, struct json_reader *json, struct text *text)
{
	struct json_string string;
	char c = json_reader_peek(json);
	size_t at = json->pos;

	*text = TEXT("");
	if (c == '"')
		return json_reader_string(json, &string) ? take_text(flat, &string, text) : 0;
	json_reader_skip(json);
	if (c == '-' || ascii_is_digit(c))
		return number_text(flat, (struct text){ json->bytes + at, json->pos - at }, text);
	return 0;
}

static bool has_own_root(struct text source)
{
	return text_starts_with(source, "/") || text_starts_with(source, "http:") ||
	       text_starts_with(source, "https:");
}

/* "<root without one trailing />/<source>". */
static int join_root(struct flatten *flat, struct text root, struct text *source)
{
	size_t root_size = root.size - text_ends_with(root, "/");
	char *path;

	if (root.size == 0 || has_own_root(*source))
		return 0;
	flat->path_bytes += root_size + 1 + source->size;
	if (flat->path_bytes > LIMIT_SOURCEMAP_PATHS_BYTES)
		return err_set(flat->err, ERR_LIMIT,
			       "the names of the source map's sources have more than %zu bytes",
			       LIMIT_SOURCEMAP_PATHS_BYTES);
	path = arena_alloc_raw(flat->arena, root_size + 1 + source->size, 1);
	if (!path)
		return map_json_no_memory(flat->arena, flat->err);
	memcpy(path, root.bytes, root_size);
	path[root_size] = '/';
	memcpy(path + root_size + 1, source->bytes, source->size);
	*source = (struct text){ path, root_size + 1 + source->size };
	return 0;
}

/* --- Sources and names -------------------------------------------------------------------- */

/* Its number in the whole: one of the same name, where there may be one. */
static int intern(struct flatten *flat, struct map *known, struct text text, size_t *count,
		  uint32_t *number)
{
	uintptr_t seen = (uintptr_t)map_get(known, text);

	*number = (uint32_t)(seen ? seen - 1 : *count);
	if (seen)
		return 0;
	if (map_put(known, text, (void *)((uintptr_t)*count + 1)) < 0)
		return map_json_no_memory(flat->arena, flat->err);
	++*count;
	return 0;
}

static uint32_t *new_numbers(struct flatten *flat, size_t count)
{
	uint32_t *numbers = arena_alloc_raw(flat->arena, count + 1, sizeof(*numbers));

	if (!numbers)
		(void)map_json_no_memory(flat->arena, flat->err);
	return numbers;
}

/* `numbers`: of an index map. */
static int read_sources(struct flatten *flat, const struct map_part *part, uint32_t *numbers)
{
	struct json_reader json = map_json_at(flat->map->text, part->sources_at);
	struct json_string string = { TEXT_NONE, false };
	struct flat_map *map = flat->map;
	struct text root = TEXT_NONE;

	if (part->sources_at == 0 || !json_reader_array(&json))
		return 0;
	if (part->source_root.raw.size && take_text(flat, &part->source_root, &root) < 0)
		return -1;
	for (size_t i = 0; json_reader_element(&json); i++) {
		struct text name = TEXT("");
		uint32_t number;

		if (json_reader_peek(&json) == 'n')
			json_reader_skip(&json);
		else if (!json_reader_string(&json, &string) || take_text(flat, &string, &name) < 0)
			return -1;
		if (join_root(flat, root, &name) < 0)
			return -1;
		if (!numbers)
			number = (uint32_t)map->source_count++;
		else if (intern(flat, &flat->sources, name, &map->source_count, &number) < 0)
			return -1;
		if (numbers)
			numbers[i] = number;
		map->sources[number].name = name;
	}
	return 0;
}

/* Later ones count more, null ones not. */
static void read_contents(struct flatten *flat, const struct map_part *part, const uint32_t *numbers,
			  size_t first)
{
	struct json_reader json = map_json_at(flat->map->text, part->contents_at);

	if (part->contents_at == 0 || flat->map->is_without_contents || !json_reader_array(&json))
		return;
	for (size_t i = 0; i < part->source_count && json_reader_element(&json); i++) {
		struct map_source *source = &flat->map->sources[numbers ? numbers[i] : first + i];

		if (json_reader_string(&json, &source->contents))
			source->has_contents = true;
		else
			json_reader_skip(&json);
	}
}

static void read_ignored(struct flatten *flat, const struct map_part *part, const uint32_t *numbers,
			 size_t first)
{
	struct json_reader json = map_json_at(flat->map->text, part->ignored_at);
	uint32_t i;

	if (part->ignored_at == 0 || !json_reader_array(&json))
		return;
	while (json_reader_element(&json) && json_reader_u32(&json, &i))
		if (i < part->source_count)
			flat->map->sources[numbers ? numbers[i] : first + i].is_ignored = true;
}

static int read_names(struct flatten *flat, const struct map_part *part, uint32_t *numbers)
{
	struct json_reader json = map_json_at(flat->map->text, part->names_at);
	struct flat_map *map = flat->map;

	if (part->names_at == 0 || !json_reader_array(&json))
		return 0;
	for (size_t i = 0; json_reader_element(&json); i++) {
		struct text name;
		uint32_t number;

		if (take_name(flat, &json, &name) < 0)
			return -1;
		if (!numbers)
			number = (uint32_t)map->name_count++;
		else if (intern(flat, &flat->names, name, &map->name_count, &number) < 0)
			return -1;
		if (numbers)
			numbers[i] = number;
		map->names[number] = name;
	}
	return 0;
}

/* --- Parts -------------------------------------------------------------------------------- */

static int part_mappings(struct flatten *flat, const struct map_part *part, struct mappings *mappings)
{
	*mappings = (struct mappings){
		.text = part->mappings.raw, .ranges = part->range_mappings.raw,
		.at = part->mappings_at, .line = part->line, .column = part->column,
		.source_count = (uint32_t)part->source_count,
		.name_count = (uint32_t)part->name_count,
	};
	if (part->mappings.has_escapes && take_text(flat, &part->mappings, &mappings->text) < 0)
		return -1;
	if (part->range_mappings.has_escapes &&
	    take_text(flat, &part->range_mappings, &mappings->ranges) < 0)
		return -1;
	return 0;
}

static int read_part(struct flatten *flat, const struct map_part *part)
{
	size_t first = flat->map->source_count;
	uint32_t *sources = NULL, *names = NULL;
	struct mappings mappings;

	if (flat->map->is_index) {
		sources = new_numbers(flat, part->source_count);
		names = new_numbers(flat, part->name_count);
		if (!sources || !names)
			return -1;
	}
	if (read_sources(flat, part, sources) < 0 || read_names(flat, part, names) < 0 ||
	    part_mappings(flat, part, &mappings) < 0)
		return -1;
	read_contents(flat, part, sources, first);
	read_ignored(flat, part, sources, first);
	mappings.source_of = sources;
	mappings.name_of = names;
	return mappings_read(&mappings, &flat->map->tokens, flat->arena, flat->err);
}

static int begin(struct flatten *flat)
{
	size_t sources = 0, names = 0, tokens = 0;
	struct flat_map *map = flat->map;
	bool has_ranges = false;

	for (size_t i = 0; i < flat->part_count; i++) {
		struct map_part *part = flat->parts[i];
		struct mappings mappings;

		if (part->mappings.has_escapes) {
			if (part_mappings(flat, part, &mappings) < 0)
				return -1;
			part->mappings = (struct json_string){ mappings.text, false };
		}
		sources += part->source_count;
		names += part->name_count;
		tokens += mappings_count(part->mappings.raw);
		has_ranges = has_ranges || part->range_mappings.raw.size;
	}
	map->sources = arena_alloc(flat->arena, sources + 1, sizeof(*map->sources));
	map->names = arena_alloc_raw(flat->arena, names + 1, sizeof(*map->names));
	if (!map->sources || !map->names)
		return map_json_no_memory(flat->arena, flat->err);
	return token_table_init(&map->tokens, tokens, has_ranges, flat->arena, flat->err);
}

static int read_parts(struct flatten *flat)
{
	if (begin(flat) < 0)
		return -1;
	for (size_t i = 0; i < flat->part_count; i++)
		if (read_part(flat, flat->parts[i]) < 0)
			return -1;
	return token_table_sort(&flat->map->tokens, flat->arena, flat->err);
}

static int check_text(struct text text, struct err *err)
{
	bool valid = true;
	size_t at = 0;

	if (text.size >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a source map of %zu bytes", text.size);
	if (text_is_utf8(text))
		return 0;
	while (valid) {
		size_t step = utf8_step(text.bytes + at, text.size - at, &valid);

		if (valid)
			at += step;
	}
	return err_set(err, ERR_MALFORMED, "the source map has no UTF-8 at byte %zu", at);
}

int map_flatten(struct flat_map *map, struct text text, struct arena *arena, struct err *err)
{
	struct flatten flat = { .map = map, .arena = arena, .err = err };
	struct map_part *root;
	int rc = -1;

	*map = (struct flat_map){ .text = text, .is_without_contents = map->is_without_contents };
	if (check_text(text, err) < 0)
		return -1;
	root = map_json_read(text, arena, err);
	if (!root)
		return -1;
	map->is_index = root->is_index;
	map->is_hermes = !root->is_index && root->has_hermes;
	map->hermes_at = root->hermes_at;
	map->debug_id = root->debug_id;
	map_init(&flat.sources);
	map_init(&flat.names);
	if (list_parts(&flat, root) == 0)
		rc = read_parts(&flat);
	map_release(&flat.sources);
	map_release(&flat.names);
	return rc;
}
