/*
 * map_json.c -- the JSON of a map: its members found and checked, sections of any depth, without
 * recursion and in one walk.
 */
#include "sourcemap/sourcemap_internal.h"

#include "base/arena.h"
#include "base/err.h"

static const char *const member_names[MAP_MEMBERS] = {
	"version", "file", "sources", "sourceRoot", "sourcesContent", "names", "mappings",
	"rangeMappings", "ignoreList", "x_google_ignoreList", "sections", "x_facebook_sources",
	"x_facebook_offsets", "x_metro_module_paths", "debug_id", "debugId",
};

enum section_member { SECTION_OFFSET, SECTION_URL, SECTION_MAP, SECTION_MEMBERS };

static const char *const section_names[SECTION_MEMBERS] = { "offset", "url", "map" };

struct map_walk {
	struct json_reader json;
	struct arena *arena;
	struct map_part *root;
	struct err *err;
};

int map_json_no_memory(const struct arena *arena, struct err *err)
{
	if (arena->is_full)
		return err_set(err, ERR_LIMIT, "the source map needs more than %zu bytes of memory",
			       arena->ceiling_bytes);
	return err_set(err, ERR_NO_MEMORY, "no memory for a source map");
}

struct json_reader map_json_at(struct text text, size_t at)
{
	struct json_reader json = json_reader_over("the source map", text);

	json.pos = at;
	return json;
}

static int find_member(const struct json_string *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (json_string_is(name, names[i]))
			return i;
	return -1;
}

/* --- Values ------------------------------------------------------------------------------- */

static bool take_null(struct json_reader *json)
{
	if (json_reader_peek(json) != 'n')
		return false;
	json_reader_skip(json);
	return true;
}

static bool take_string(struct json_reader *json, struct json_string *string)
{
	return take_null(json) || json_reader_string(json, string) ||
	       json_reader_refuse(json, "string");
}

enum array_of { ARRAY_OF_ANYTHING, ARRAY_OF_STRINGS, ARRAY_OF_STRINGS_OR_NULL, ARRAY_OF_NUMBERS,
		ARRAY_OF_NUMBERS_OR_NULL };

static bool take_element(struct json_reader *json, enum array_of of)
{
	struct json_string string;
	uint32_t number;

	if (of == ARRAY_OF_ANYTHING) {
		json_reader_skip(json);
		return true;
	}
	if ((of == ARRAY_OF_STRINGS_OR_NULL || of == ARRAY_OF_NUMBERS_OR_NULL) && take_null(json))
		return true;
	if (of == ARRAY_OF_STRINGS || of == ARRAY_OF_STRINGS_OR_NULL)
		return json_reader_string(json, &string) || json_reader_refuse(json, "string");
	return json_reader_u32(json, &number) || json_reader_refuse(json, "number of 32 bits");
}

/* Where the array begins and how many elements it has; null: 0. */
static bool take_array(struct json_reader *json, enum array_of of, size_t *at, size_t *count)
{
	if (take_null(json))
		return true;
	*at = json->pos;
	if (!json_reader_array(json))
		return json_reader_refuse(json, "array");
	for (*count = 0; json_reader_element(json); ++*count)
		if (!take_element(json, of))
			return false;
	return !json->missing;
}

/* {"names":[strings],"mappings":string}, of which nothing else is known. */
static bool take_function_map(struct json_reader *json)
{
	bool has_names = false, has_mappings = false;
	struct json_string name, mappings;
	size_t at, count;

	if (take_null(json))
		return true;
	if (!json_reader_object(json))
		return json_reader_refuse(json, "object");
	while (json_reader_member(json, &name)) {
		if (json_string_is(&name, "names")) {
			if (has_names || json_reader_peek(json) != '[' ||
			    !take_array(json, ARRAY_OF_STRINGS, &at, &count))
				return json_reader_refuse(json, "array of names");
			has_names = true;
		} else if (json_string_is(&name, "mappings")) {
			if (has_mappings || !json_reader_string(json, &mappings))
				return json_reader_refuse(json, "string of mappings");
			has_mappings = true;
		} else {
			json_reader_skip(json);
		}
	}
	return (has_names && has_mappings && !json->missing) ||
	       json_reader_refuse(json, "names and mappings of a function map");
}

static bool take_function_maps(struct json_reader *json, struct map_part *part)
{
	if (take_null(json))
		return true;
	part->has_hermes = true;
	part->hermes_at = json->pos;
	if (!json_reader_array(json))
		return json_reader_refuse(json, "array");
	while (json_reader_element(json)) {
		if (take_null(json))
			continue;
		if (!json_reader_array(json))
			return json_reader_refuse(json, "array");
		while (json_reader_element(json))
			if (!take_function_map(json))
				return false;
	}
	return !json->missing;
}

static bool take_debug_id(struct map_walk *walk, struct map_part *part)
{
	struct json_string string = { TEXT_NONE, false };
	struct text text;
	size_t at;

	(void)json_reader_peek(&walk->json);
	at = walk->json.pos;
	if (!take_string(&walk->json, &string))
		return false;
	if (!string.raw.bytes)
		return true;
	if (!json_string_text(&string, walk->arena, &text))
		return json_reader_refuse(&walk->json, "memory");
	if (!debugid_parse(text, &part->debug_id)) {
		walk->json.pos = at;
		return json_reader_refuse(&walk->json, "debug id");
	}
	return true;
}

/* --- Members ------------------------------------------------------------------------------ */

static bool take_member(struct map_walk *walk, struct map_part *part, enum map_member member)
{
	struct json_reader *json = &walk->json;
	size_t at, count;
	uint32_t number;

	switch (member) {
	case MEMBER_VERSION:
		return take_null(json) || json_reader_u32(json, &number) ||
		       json_reader_refuse(json, "number of 32 bits");
	case MEMBER_SOURCES:
		return take_array(json, ARRAY_OF_STRINGS_OR_NULL, &part->sources_at,
				  &part->source_count);
	case MEMBER_SOURCE_ROOT:
		return take_string(json, &part->source_root);
	case MEMBER_CONTENTS:
		return take_array(json, ARRAY_OF_STRINGS_OR_NULL, &part->contents_at, &count);
	case MEMBER_NAMES:
		return take_array(json, ARRAY_OF_ANYTHING, &part->names_at, &part->name_count);
	case MEMBER_MAPPINGS:
		part->mappings_at = json->pos + 1;
		return take_string(json, &part->mappings);
	case MEMBER_RANGE_MAPPINGS:
		return take_string(json, &part->range_mappings);
	case MEMBER_IGNORE_LIST:
	case MEMBER_GOOGLE_IGNORE_LIST:
		return take_array(json, ARRAY_OF_NUMBERS, &part->ignored_at, &part->ignored_count);
	case MEMBER_FACEBOOK_SOURCES:
		return take_function_maps(json, part);
	case MEMBER_FACEBOOK_OFFSETS:
		return take_array(json, ARRAY_OF_NUMBERS_OR_NULL, &at, &count);
	case MEMBER_METRO_PATHS:
		return take_array(json, ARRAY_OF_STRINGS, &at, &count);
	case MEMBER_DEBUG_ID:
	case MEMBER_DEBUGID:
		return take_debug_id(walk, part);
	default:
		json_reader_skip(json);
		return true;
	}
}

static bool refuse_twice(struct map_walk *walk, const char *name)
{
	err_set(walk->err, ERR_MALFORMED, "the source map has \"%s\" twice in one object, at byte %zu",
		name, walk->json.pos);
	return json_reader_refuse(&walk->json, "other member");
}

static bool mark_seen(struct map_walk *walk, unsigned *seen, int member, const char *const *names)
{
	if (*seen & 1u << member)
		return refuse_twice(walk, names[member]);
	*seen |= 1u << member;
	return true;
}

static bool take_offset(struct json_reader *json, struct map_part *part)
{
	bool has_line = false, has_column = false, is_right = true;
	struct json_string name;

	(void)json_reader_peek(json);
	if (!json_reader_object(json))
		return json_reader_refuse(json, "offset of a section");
	while (is_right && json_reader_member(json, &name)) {
		if (json_string_is(&name, "line"))
			is_right = !has_line && (has_line = json_reader_u32(json, &part->line));
		else if (json_string_is(&name, "column"))
			is_right = !has_column && (has_column = json_reader_u32(json, &part->column));
		else
			json_reader_skip(json);
	}
	return (is_right && has_line && has_column && !json->missing) ||
	       json_reader_refuse(json, "line and column of a section");
}

/* --- The walk ----------------------------------------------------------------------------- */

enum walk_in { IN_MAP, IN_SECTIONS, IN_SECTION };

static struct map_part *new_part(struct map_walk *walk, struct map_part *parent)
{
	struct map_part *part = arena_alloc(walk->arena, 1, sizeof(*part));

	if (!part) {
		(void)json_reader_refuse(&walk->json, "memory");
		return NULL;
	}
	part->parent = parent;
	part->at = walk->json.pos;
	if (!parent)
		return part;
	parent->section_count++;
	if (parent->last_section)
		parent->last_section->next = part;
	else
		parent->sections = part;
	parent->last_section = part;
	return part;
}

/* A member of a map; IN_SECTIONS when sections begin. */
static enum walk_in step_map(struct map_walk *walk, struct map_part *part, struct json_string *name)
{
	int member = find_member(name, member_names, MAP_MEMBERS);

	if (member < 0) {
		json_reader_skip(&walk->json);
		return IN_MAP;
	}
	if (!mark_seen(walk, &part->seen, member, member_names))
		return IN_MAP;
	(void)json_reader_peek(&walk->json);
	part->member_at[member] = (uint32_t)walk->json.pos;
	if (member != MEMBER_SECTIONS) {
		(void)take_member(walk, part, (enum map_member)member);
		return IN_MAP;
	}
	if (take_null(&walk->json))
		return IN_MAP;
	if (!json_reader_array(&walk->json)) {
		(void)json_reader_refuse(&walk->json, "array");
		return IN_MAP;
	}
	part->is_index = true;
	return IN_SECTIONS;
}

/* A member of a section; IN_MAP when its map begins. */
static enum walk_in step_section(struct map_walk *walk, struct map_part *part,
				 struct json_string *name)
{
	int member = find_member(name, section_names, SECTION_MEMBERS);
	struct json_string url;

	if (member < 0) {
		json_reader_skip(&walk->json);
		return IN_SECTION;
	}
	if (!mark_seen(walk, &part->seen_of_section, member, section_names))
		return IN_SECTION;
	(void)json_reader_peek(&walk->json);
	if (member == SECTION_OFFSET) {
		(void)take_offset(&walk->json, part);
	} else if (member == SECTION_URL) {
		(void)take_string(&walk->json, &url);
	} else if (!take_null(&walk->json)) {
		part->at = walk->json.pos;
		part->has_map = true;
		if (json_reader_object(&walk->json))
			return IN_MAP;
		(void)json_reader_refuse(&walk->json, "object");
	}
	return IN_SECTION;
}

static bool end_section(struct map_walk *walk, const struct map_part *part)
{
	if (walk->json.missing)
		return false;
	if (!(part->seen_of_section & 1u << SECTION_OFFSET))
		return json_reader_refuse(&walk->json, "offset of a section");
	return part->has_map || json_reader_refuse(&walk->json, "map in a section");
}

static void walk_parts(struct map_walk *walk)
{
	struct map_part *part = walk->root;
	enum walk_in in = IN_MAP;
	struct json_string name;

	while (part && !walk->json.missing) {
		if (in == IN_SECTIONS) {
			if (!json_reader_element(&walk->json)) {
				in = IN_MAP;
			} else {
				part = new_part(walk, part);
				if (part && !json_reader_object(&walk->json))
					(void)json_reader_refuse(&walk->json, "object");
				in = IN_SECTION;
			}
		} else if (!json_reader_member(&walk->json, &name)) {
			if (in == IN_MAP) {
				if (!part->parent)
					return;
				in = IN_SECTION;
			} else {
				(void)end_section(walk, part);
				part = part->parent;
				in = IN_SECTIONS;
			}
		} else {
			in = in == IN_MAP ? step_map(walk, part, &name)
					  : step_section(walk, part, &name);
		}
	}
}

/* What keeps a map from being run as a script: a line that begins with one of )]}'.  -1: it
 * does not end as it should. */
ptrdiff_t map_json_junk_size(struct text text)
{
	size_t at = 0;

	if (text.size == 0 || !strchr(")]}'", text.bytes[0]) || text.bytes[0] == '\0')
		return 0;
	while (at < text.size && text.bytes[at] != '\n' && text.bytes[at] != '\r')
		at++;
	if (at < text.size && text.bytes[at] == '\r')
		at++;
	return at < text.size && text.bytes[at] == '\n' ? (ptrdiff_t)at + 1 : -1;
}

struct map_part *map_json_read(struct text text, struct arena *arena, struct err *err)
{
	ptrdiff_t junk = map_json_junk_size(text);
	struct map_walk walk = { map_json_at(text, 0), arena, NULL, err };

	err_clear(err);
	if (junk < 0) {
		err_set(err, ERR_MALFORMED, "the source map is one line that is no JSON");
		return NULL;
	}
	walk.json.pos = (size_t)junk;
	walk.root = new_part(&walk, NULL);
	if (walk.root && !json_reader_object(&walk.json))
		(void)json_reader_refuse(&walk.json, "object");
	walk_parts(&walk);
	if (!walk.json.missing && !json_reader_at_end(&walk.json))
		(void)json_reader_refuse(&walk.json, "end behind it");
	if (!walk.json.missing)
		return walk.root;
	if (arena->is_full || arena->is_refused)
		(void)map_json_no_memory(arena, err);
	if (err->kind == ERR_NONE && json_reader_check(&walk.json, err) == 0)
		err_set(err, ERR_INTERNAL, "a source map that is refused for no reason");
	return NULL;
}
