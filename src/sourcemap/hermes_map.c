/*
 * hermes_map.c -- functions by the map's own account (x_facebook_sources, of Hermes and Metro):
 * for each source where in it which function begins.
 */
#include "sourcemap/sourcemap_internal.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/search.h"
#include "sourcemap/sourcemap_layout.h"

#define ENTRY_FIELDS 3u              /* column, name, line */

/* From `line`, `column` of a source on. */
struct function_entry { uint32_t line, column, name; };

struct function_map {
	struct function_entry *entries;
	uint32_t count;
	uint32_t first_name, name_count;     /* of hermes_walk.names */
};

struct hermes_walk {
	const struct flat_map *map;
	struct scope_table *table;
	struct arena *arena;
	struct function_map *maps;
	size_t map_count;
	uint32_t *names;             /* their numbers as scopes, map after map */
	size_t name_count;
	struct map known;
	struct err *err;
};

/* --- Entries ------------------------------------------------------------------------------ */

static size_t count_entries(struct text text)
{
	size_t count = text.size ? 1 : 0;

	for (size_t i = 0; i < text.size; i++)
		count += text.bytes[i] == ',' || text.bytes[i] == ';';
	return count;
}

/* The numbers of one entry, of which missing ones are 0; false: a bad one. */
static bool read_entry(struct text text, size_t *at, uint32_t fields[ENTRY_FIELDS])
{
	unsigned count = 0;

	while (*at < text.size && text.bytes[*at] != ',' && text.bytes[*at] != ';') {
		uint32_t value;

		if (!mappings_number(text, at, &value))
			return false;
		if (count < ENTRY_FIELDS)
			fields[count] = value;
		count++;
	}
	return true;
}

static bool read_entries(struct function_map *map, struct text text)
{
	uint32_t column = 0, name = 0, line = 1;
	size_t at = 0;

	while (at < text.size) {
		uint32_t fields[ENTRY_FIELDS] = { 0 };
		size_t start = at;

		if (!read_entry(text, &at, fields))
			return false;
		if (at > start) {
			column += fields[0];
			name += fields[1];
			line += fields[2];
			map->entries[map->count++] = (struct function_entry){ line, column, name };
		}
		if (at < text.size && text.bytes[at++] == ';')
			column = 0;
	}
	return true;
}

static bool is_not_behind(const struct function_entry *entry, uint32_t line, uint32_t column)
{
	return entry->line < line || (entry->line == line && entry->column <= column);
}

/* The greatest entry at or before the place, the first of equal ones; NULL: none. */
static const struct function_entry *find_entry(const struct function_map *map, uint32_t line,
					       uint32_t column)
{
	const struct function_entry *found;
	uint32_t behind, at;

	SEARCH_PARTITION_POINT(behind, 0, map->count,
			       is_not_behind(&map->entries[behind], line, column));
	if (behind == 0)
		return NULL;
	found = &map->entries[behind - 1];
	if (found->line != line || found->column != column)
		return found;
	SEARCH_PARTITION_POINT(at, 0, behind - 1,
			       map->entries[at].line < line ||
			       (map->entries[at].line == line && map->entries[at].column < column));
	return &map->entries[at];
}

/* --- The JSON of them --------------------------------------------------------------------- */

static int add_name(struct hermes_walk *walk, const struct json_string *string)
{
	struct scope_table *table = walk->table;
	struct text name;
	uintptr_t seen;

	if (!json_string_text(string, walk->arena, &name))
		return map_json_no_memory(walk->arena, walk->err);
	if (name.size == 0)
		name = TEXT("");
	seen = (uintptr_t)map_get(&walk->known, name);
	if (!seen) {
		table->names[table->name_count++] = name;
		seen = table->name_count;
		if (map_put(&walk->known, name, (void *)seen) < 0)
			return map_json_no_memory(walk->arena, walk->err);
	}
	walk->names[walk->name_count++] = SMPC_SCOPE_NAMED + (uint32_t)(seen - 1);
	return 0;
}

static int take_mappings(struct hermes_walk *walk, struct function_map *map,
			 const struct json_string *string)
{
	struct text text;

	if (!json_string_text(string, walk->arena, &text))
		return map_json_no_memory(walk->arena, walk->err);
	map->entries = arena_alloc_raw(walk->arena, count_entries(text) + 1, sizeof(*map->entries));
	if (!map->entries)
		return map_json_no_memory(walk->arena, walk->err);
	if (!read_entries(map, text))
		map->count = 0;
	return 0;
}

/* {"names":[...],"mappings":"..."}; the members were checked before. */
static int take_function_map(struct hermes_walk *walk, struct json_reader *json,
			     struct function_map *map)
{
	struct json_string name, string;

	map->first_name = (uint32_t)walk->name_count;
	while (json_reader_member(json, &name)) {
		if (json_string_is(&name, "names") && json_reader_array(json)) {
			while (json_reader_element(json) && json_reader_string(json, &string))
				if (add_name(walk, &string) < 0)
					return -1;
		} else if (json_string_is(&name, "mappings") && json_reader_string(json, &string)) {
			if (take_mappings(walk, map, &string) < 0)
				return -1;
		} else {
			json_reader_skip(json);
		}
	}
	map->name_count = (uint32_t)walk->name_count - map->first_name;
	return 0;
}

/* Of each source the first of a list. */
static int take_source(struct hermes_walk *walk, struct json_reader *json, struct function_map *map)
{
	if (!json_reader_array(json)) {
		json_reader_skip(json);
		return 0;
	}
	for (size_t i = 0; json_reader_element(json); i++) {
		if (i == 0 && json_reader_object(json)) {
			if (take_function_map(walk, json, map) < 0)
				return -1;
		} else {
			json_reader_skip(json);
		}
	}
	return 0;
}

/* --- Scopes of tokens --------------------------------------------------------------------- */

static uint32_t scope_of(const struct hermes_walk *walk, uint32_t token)
{
	const struct token_table *tokens = &walk->map->tokens;
	const struct function_entry *entry;
	const struct function_map *map;

	if (tokens->sources[token] >= walk->map_count)
		return SMPC_SCOPE_UNKNOWN;
	map = &walk->maps[tokens->sources[token]];
	entry = find_entry(map, tokens->original_lines[token] + 1, tokens->original_columns[token]);
	if (!entry || entry->name >= map->name_count)
		return SMPC_SCOPE_UNKNOWN;
	return walk->names[map->first_name + entry->name];
}

/* Tokens of one place have the scope of the first of them. */
static void tell_tokens(struct hermes_walk *walk)
{
	const struct token_table *tokens = &walk->map->tokens;
	uint32_t *told = walk->table->of_token;

	for (uint32_t line = 0; line < tokens->line_count; line++) {
		uint32_t first = tokens->lines[line].first;

		for (uint32_t i = first; i < token_line_end(tokens, line); i++)
			told[i] = i > first && tokens->columns[i] == tokens->columns[i - 1]
					  ? told[i - 1] : scope_of(walk, i);
	}
}

static size_t count_strings(struct hermes_walk *walk)
{
	struct json_reader json = map_json_at(walk->map->text, walk->map->hermes_at);
	struct json_string name, string;
	size_t names = 0;

	if (!json_reader_array(&json))
		return 0;
	for (walk->map_count = 0; json_reader_element(&json); walk->map_count++) {
		if (!json_reader_array(&json)) {
			json_reader_skip(&json);
			continue;
		}
		while (json_reader_element(&json)) {
			if (!json_reader_object(&json)) {
				json_reader_skip(&json);
				continue;
			}
			while (json_reader_member(&json, &name)) {
				if (!json_reader_array(&json)) {
					json_reader_skip(&json);
					continue;
				}
				for (; json_reader_element(&json); names++)
					if (!json_reader_string(&json, &string))
						json_reader_skip(&json);
			}
		}
	}
	return names;
}

static int read_maps(struct hermes_walk *walk)
{
	struct json_reader json = map_json_at(walk->map->text, walk->map->hermes_at);
	size_t names = count_strings(walk), i = 0;
	uint32_t tokens = walk->map->tokens.count;

	walk->maps = arena_alloc(walk->arena, walk->map_count + 1, sizeof(*walk->maps));
	walk->names = arena_alloc_raw(walk->arena, names + 1, sizeof(*walk->names));
	walk->table->names = arena_alloc_raw(walk->arena, names + 1, sizeof(*walk->table->names));
	walk->table->of_token = arena_alloc_raw(walk->arena, (size_t)tokens + 1, sizeof(uint32_t));
	if (!walk->maps || !walk->names || !walk->table->names || !walk->table->of_token)
		return map_json_no_memory(walk->arena, walk->err);
	if (!json_reader_array(&json))
		return 0;
	while (json_reader_element(&json))
		if (take_source(walk, &json, &walk->maps[i++]) < 0)
			return -1;
	return 0;
}

int hermes_map_resolve(struct scope_table *table, const struct flat_map *map, struct arena *arena,
		       struct err *err)
{
	struct hermes_walk walk = { .map = map, .table = table, .arena = arena, .err = err };
	int rc;

	*table = (struct scope_table){ .names = NULL };
	map_init(&walk.known);
	rc = read_maps(&walk);
	if (rc == 0)
		tell_tokens(&walk);
	map_release(&walk.known);
	return rc;
}
