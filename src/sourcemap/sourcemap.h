/*
 * sourcemap -- from a place in a minified file to the place somebody wrote: source maps
 * (ECMA-426, and what the tools of React Native add) read, and our own lookup file for them
 * (doc/formats/sourcemap.md) written, opened and searched in place.
 *
 * Lines and columns are numbered from 0; columns of the minified file and of its sources count
 * UTF-16 units.  The map, the minified file and the lookup file are untrusted: every index is
 * checked.  An opened lookup file borrows its bytes, and what is found in it points into them.
 *
 * May include: base.
 */
#ifndef SOURCEMAP_SOURCEMAP_H
#define SOURCEMAP_SOURCEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"

struct err;

#define SOURCEMAP_NONE UINT32_MAX    /* no file, no such index */

/* --- Written ------------------------------------------------------------------------------ */

/* A piece of a scope's name.  One that stands in the minified file as an identifier is looked up
 * in the map, at the byte where it begins there. */
struct sourcemap_scope_part {
	struct text text;
	uint32_t at;                 /* SOURCEMAP_NONE: no identifier, the text stays as it is */
};

/* A function's bytes in the minified file, start < end; without parts it is anonymous. */
struct sourcemap_scope {
	uint32_t start, end;
	uint32_t first_part, part_count;
};

/* In any order; they nest, or the map counts as malformed. */
struct sourcemap_scopes {
	const struct sourcemap_scope *scopes;
	size_t scope_count;
	const struct sourcemap_scope_part *parts;
	size_t part_count;
};

struct sourcemap_input {
	struct text map;             /* JSON, perhaps behind a line that keeps it from being run */
	struct text minified;        /* the file the scopes are of; a Hermes map does without */
	struct sourcemap_scopes scopes;
	size_t memory_bytes;         /* ceiling of the writer's own memory */
};

struct sourcemap_report {
	size_t tokens, files, names, scopes;
	size_t files_without_contents;
	uint64_t bytes;
	bool is_hermes, is_index;
};

/* Writes the lookup file into `fd` (empty).  ERR_MALFORMED with the offset in the map and what
 * was expected there. */
int sourcemap_write(const struct sourcemap_input *input, int fd, struct sourcemap_report *report,
		    struct err *err) __attribute__((warn_unused_result));

/* --- As it came --------------------------------------------------------------------------- */

/* A token of a map; `line` and `column` are those of the minified file. */
struct sourcemap_mapping {
	uint32_t line, column;
	uint32_t original_line, original_column;
	bool has_source, is_range;
	struct text source, name;    /* with sourceRoot; of no name TEXT_NONE */
};

typedef int sourcemap_mapping_fn(void *payload, const struct sourcemap_mapping *mapping,
				 struct err *err);

/* Tells every token of a map, sections laid behind each other, by line and column. */
int sourcemap_each(struct text map, size_t memory_bytes, sourcemap_mapping_fn *fn, void *payload,
		   struct err *err) __attribute__((warn_unused_result));

/* Where modules of a RAM bundle begin (x_facebook_offsets, of Metro): a module's lines count from its own
 * first one, the map's from the startup code's.  *table is the array inside `map`, and whatever may stand
 * behind it; false: it has none, or is no JSON. */
bool sourcemap_modules(struct text map, struct text *table);
/* The line of the map at which module `id` begins; false: it knows no such module. */
bool sourcemap_module_line(struct text table, uint32_t id, uint32_t *line);

/* Something a map should not say (ECMA-426), or that makes it less useful than it could be. */
struct sourcemap_problem {
	bool is_error;               /* the standard forbids it */
	size_t at;                   /* byte of the map */
	const char *words;
};

typedef void sourcemap_problem_fn(void *payload, const struct sourcemap_problem *problem);

/* Tells what is wrong with a map, stricter than those that read it.  `minified`: the file it is
 * of, TEXT_NONE: it is not at hand.  -1: it could not be read to its end, which was told. */
int sourcemap_check(struct text map, struct text minified, size_t memory_bytes,
		    sourcemap_problem_fn *fn, void *payload, struct err *err)
	__attribute__((warn_unused_result));

/* --- Read --------------------------------------------------------------------------------- */

enum sourcemap_scope_kind { SOURCEMAP_SCOPE_UNKNOWN, SOURCEMAP_SCOPE_ANONYMOUS, SOURCEMAP_SCOPE_NAMED };

/* Numbers of one to four bytes, one for each token. */
struct sourcemap_column {
	const uint8_t *bytes;        /* four more follow the last */
	uint32_t mask;
	uint8_t width;               /* 0: all are zero */
};

enum sourcemap_column_name {
	SOURCEMAP_COLUMN, SOURCEMAP_FILE, SOURCEMAP_ORIGINAL_LINE, SOURCEMAP_ORIGINAL_COLUMN,
	SOURCEMAP_NAME, SOURCEMAP_SCOPE,
	SOURCEMAP_COLUMNS            /* count */
};

struct sourcemap {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	struct debugid debug_id;     /* nil: the map tells none */
	bool is_hermes;              /* names of functions are the map's own */
	uint32_t token_count, line_count, file_count, name_count, scope_count;
	uint64_t string_bytes;
	struct sourcemap_column columns[SOURCEMAP_COLUMNS];
	const uint8_t *lines, *samples, *files, *string_ends, *strings;  /* inside bytes */
};

/* Header and section bounds only; ERR_MALFORMED, ERR_UNSUPPORTED for another version. */
int sourcemap_open(struct sourcemap *map, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

struct sourcemap_place {
	uint32_t line, column;       /* in the original file */
	uint32_t file;               /* SOURCEMAP_NONE: the token names none */
	struct text file_name;       /* with sourceRoot; may be empty.  TEXT_NONE without a file */
	struct text name;            /* the token's; may be empty.  TEXT_NONE: it has none */
	enum sourcemap_scope_kind scope_kind;
	struct text scope;           /* the function's name, when it is named; may be empty */
};

/* What stands at that place of the minified file, or begins before it on its line; false:
 * nothing, or nothing that came from a source. */
bool sourcemap_lookup(const struct sourcemap *map, uint32_t line, uint32_t column,
		      struct sourcemap_place *place);

/* Token i (< token_count), where it stands and where it leads: for listings.  False: to no
 * source. */
bool sourcemap_token(const struct sourcemap *map, uint32_t index, uint32_t *line, uint32_t *column,
		     struct sourcemap_place *place);

/* A file of the map, with its text when the map has it. */
struct sourcemap_source {
	struct text name;
	bool has_contents, is_ignored;       /* ignored: the map's ignoreList has it */
	struct text contents;                /* UTF-8 */
	const uint8_t *line_starts;
	uint32_t line_count;
};

/* File `index`, as places tell it; false: there is none. */
bool sourcemap_source(const struct sourcemap *map, uint32_t index, struct sourcemap_source *source);

/* Line `number` (from 0) without its end; false: there is none. */
bool sourcemap_line(const struct sourcemap_source *source, uint32_t number, struct text *line);

#endif
