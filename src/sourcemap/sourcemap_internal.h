/*
 * sourcemap_internal.h -- a map as it is while its lookup file is made.
 *
 *   map_json    its JSON: where the members of each map stand, however deep sections nest
 *   map_flatten from sections to one list of sources, names and tokens
 *   mappings    numbers of variable length (ECMA-426 section 6), tokens
 *   token_table tokens sorted, and found by place
 *   hermes_map  functions by the map's own account
 *   scope_names functions by the minified file's, their names looked up in the map
 *   map_write   all of it as a file
 *
 * What a map says is kept in one arena; strings without escapes are borrowed from its text.
 */
#ifndef SOURCEMAP_SOURCEMAP_INTERNAL_H
#define SOURCEMAP_SOURCEMAP_INTERNAL_H

#include "base/json_reader.h"
#include "base/text_places.h"
#include "sourcemap/sourcemap.h"

struct arena;

/* --- JSON --------------------------------------------------------------------------------- */

enum map_member {
	MEMBER_VERSION, MEMBER_FILE, MEMBER_SOURCES, MEMBER_SOURCE_ROOT, MEMBER_CONTENTS, MEMBER_NAMES,
	MEMBER_MAPPINGS, MEMBER_RANGE_MAPPINGS, MEMBER_IGNORE_LIST, MEMBER_GOOGLE_IGNORE_LIST,
	MEMBER_SECTIONS, MEMBER_FACEBOOK_SOURCES, MEMBER_FACEBOOK_OFFSETS, MEMBER_METRO_PATHS,
	MEMBER_DEBUG_ID, MEMBER_DEBUGID,
	MAP_MEMBERS
};

/* A map, or one of an index map's sections with the map in it. */
struct map_part {
	struct map_part *parent, *sections, *last_section, *next;
	size_t section_count;
	uint32_t line, column;       /* its offset; the root has none */
	size_t at;                   /* where its object begins, for messages */
	unsigned seen, seen_of_section;      /* members, as bits */
	bool is_index, has_map;
	uint32_t member_at[MAP_MEMBERS];     /* where their values stand; 0: there is none */
	struct json_string mappings, range_mappings, source_root;
	size_t mappings_at;
	size_t sources_at, names_at, contents_at, hermes_at, ignored_at;  /* 0: none or null */
	size_t source_count, name_count, ignored_count;
	bool has_hermes;
	struct debugid debug_id;
};

/* The root, or NULL with `err` set. */
struct map_part *map_json_read(struct text text, struct arena *arena, struct err *err);

/* ERR_LIMIT when the arena's ceiling was met, else ERR_NO_MEMORY. */
int map_json_no_memory(const struct arena *arena, struct err *err);

/* What keeps a map from being run as a script, in front of its JSON; -1: it does not end as it should. */
ptrdiff_t map_json_junk_size(struct text text);
/* A reader at a byte of the map. */
struct json_reader map_json_at(struct text text, size_t at);

/* --- Tokens ------------------------------------------------------------------------------- */

struct token_line { uint32_t line, first; };

/* Sorted by line and column once token_table_sort() was called; tokens of one place stay in
 * order.  `lines` has the minified lines that have tokens. */
struct token_table {
	uint32_t *columns, *sources, *original_lines, *original_columns, *names;
	uint32_t count, capacity;
	struct token_line *lines;
	uint32_t line_count, line_capacity;
	uint8_t *is_range;           /* bits; NULL: no token is one */
	bool is_unsorted;
};

/* How many segments a text of mappings has. */
size_t mappings_count(struct text mappings);

struct mappings {
	struct text text, ranges;
	size_t at;                   /* of the text in the map, for messages */
	uint32_t line, column;       /* added: to all lines; to the columns of the first one */
	uint32_t source_count, name_count;   /* above them no token may refer */
	const uint32_t *source_of, *name_of; /* their numbers in the whole; NULL: the same */
};

/* Appends the tokens; the table has room for mappings_count() more. */
int mappings_read(const struct mappings *mappings, struct token_table *table, struct arena *arena,
		  struct err *err) __attribute__((warn_unused_result));

/* The number at *at, which moves behind it; false: there is none that ends. */
bool mappings_number(struct text text, size_t *at, uint32_t *value);

int token_table_init(struct token_table *table, size_t count, bool has_ranges, struct arena *arena,
		     struct err *err) __attribute__((warn_unused_result));
/* A line the next tokens are on. */
int token_table_line(struct token_table *table, uint32_t line, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
int token_table_sort(struct token_table *table, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* The first token of a place, else the last one before it, on whatever line. */
struct token_hit { uint32_t index, line, offset; };   /* offset: columns into a range */
bool token_table_find(const struct token_table *table, uint32_t line, uint32_t column,
		      struct token_hit *hit);

static inline bool token_is_range(const struct token_table *table, uint32_t index)
{
	return table->is_range && (table->is_range[index / 8] >> index % 8 & 1);
}

/* Where the tokens of line `i` of the table end. */
static inline uint32_t token_line_end(const struct token_table *table, uint32_t i)
{
	return i + 1 < table->line_count ? table->lines[i + 1].first : table->count;
}

/* --- The whole, flattened ----------------------------------------------------------------- */

struct map_source {
	struct text name;            /* with sourceRoot */
	struct json_string contents;
	bool has_contents, is_ignored;
};

struct flat_map {
	struct map_source *sources;
	struct text *names;
	size_t source_count, name_count;
	struct token_table tokens;
	bool is_without_contents;    /* set by the caller: nobody asks for texts of sources */
	bool is_hermes, is_index;
	struct debugid debug_id;
	size_t hermes_at;            /* x_facebook_sources of a Hermes map */
	struct text text;            /* the map */
};

int map_flatten(struct flat_map *map, struct text text, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* --- Scopes ------------------------------------------------------------------------------- */

/* From `line`, `column` on a function is the innermost one; `scope` as SMPC_SCOPE_* says. */
struct scope_change { uint32_t line, column, scope; };

struct scope_table {
	struct text *names;
	uint32_t name_count;
	struct scope_change *changes;        /* ascending; of a Hermes map NULL, */
	uint32_t change_count;
	uint32_t *of_token;                  /* which has these */
};

int scope_names_resolve(struct scope_table *table, const struct flat_map *map,
			struct text minified, const struct sourcemap_scopes *scopes,
			struct arena *arena, struct err *err) __attribute__((warn_unused_result));
int hermes_map_resolve(struct scope_table *table, const struct flat_map *map, struct arena *arena,
		       struct err *err) __attribute__((warn_unused_result));

#endif
