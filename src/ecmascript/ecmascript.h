/*
 * ecmascript -- the functions of a JavaScript text: where each begins and ends, and what it is called.
 *
 * One pass of a scanner and a recursive-descent parser (ECMA-262, 16th edition, clauses 12 to 16 and
 * annex B) that builds no tree: memory grows with the functions found, not with the text, and time
 * is linear in the text.  Scripts and modules are told apart by what they hold.  What is called
 * what, and which errors do not matter, is doc/formats/ecmascript.md.
 *
 * A part that cannot be read costs the statement or class element it stands in, never the text:
 * what was found stays, is counted in `error_count`, and reading goes on behind it.
 *
 * May include base.
 */
#ifndef ECMASCRIPT_ECMASCRIPT_H
#define ECMASCRIPT_ECMASCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/text_places.h"

struct arena;
struct err;

/* A name is the concatenation of its parts, of which those that stand in the text as identifiers
 * have a place: a source map may know their original names. */
struct ecmascript_part {
	const char *bytes;               /* in the text, the arena, or constant */
	uint32_t size;
	uint32_t offset;                 /* ECMASCRIPT_NOWHERE: no identifier, its text is final */
	struct text_place position;      /* of `offset` */
};

#define ECMASCRIPT_NOWHERE UINT32_MAX

/* A function of any sort, or a class.  Scopes nest and never cross. */
struct ecmascript_scope {
	uint32_t start, end;             /* bytes [start, end) of the text */
	struct text_place starts_at, ends_at;
	uint32_t first_part, part_count; /* no parts: it has no name */
};

struct ecmascript_scopes {
	struct ecmascript_scope *scopes; /* in the order of their start */
	size_t count, capacity;
	struct ecmascript_part *parts;
	size_t part_count, part_capacity;
	size_t error_count;              /* parts of the text that could not be read */
	uint32_t error_offset;           /* of the first */
	struct text_place error_position;
	const char *error_words;         /* of the first: what was expected there; constant */
};

/* Fills `scopes`; texts of parts that do not stand in `text` as they are come from `arena`.  `text`
 * is UTF-8; other bytes do no harm.  -1: ERR_LIMIT (4 GB of text, the arena's ceiling),
 * ERR_NO_MEMORY; nothing is to be released then. */
int ecmascript_scopes_read(struct ecmascript_scopes *scopes, struct text text, struct arena *arena,
			   struct err *err) __attribute__((warn_unused_result));
void ecmascript_scopes_release(struct ecmascript_scopes *scopes);

#endif
