/*
 * breakpad -- what one pass over a symbol file finds, and the reading of one unit of it.
 *
 * Private to object/breakpad.  A unit is a run of FUNC records of about a megabyte; it ends
 * where the lines of its last FUNC end.
 */
#ifndef OBJECT_BREAKPAD_BREAKPAD_H
#define OBJECT_BREAKPAD_BREAKPAD_H

#include "object/breakpad/records.h"
#include "object/object.h"

#define BREAKPAD_UNIT_BYTES ((size_t)1 << 20)

struct breakpad_unit {
	const char *start, *end;
};

/* Numbered texts: FILE or INLINE_ORIGIN.  Sorted by number, the last of equal ones kept. */
struct breakpad_name {
	const char *bytes;
	uint32_t size, number;
};

struct breakpad_names {
	struct breakpad_name *names;
	size_t count, capacity;
	bool plain;                  /* numbered 0, 1, 2, ... */
};

struct breakpad {
	const char *start, *end;
	struct breakpad_unit *units;
	size_t unit_count;
	struct breakpad_names files, origins;
	struct object_file_name *file_names;     /* of files, split */
	struct object_symbol *publics;           /* ascending, one per address */
	size_t public_count, public_capacity;
	size_t unit_capacity;
	struct work_budget *work;                /* the object's */
	bool prepared;
};

/* The index of that number, or OBJECT_NO_FILE. */
uint32_t breakpad_search_name(const struct breakpad_names *names, uint32_t number);

static inline uint32_t breakpad_find_name(const struct breakpad_names *names, uint32_t number)
{
	if (names->plain)
		return number < names->count ? number : OBJECT_NO_FILE;
	return breakpad_search_name(names, number);
}

static inline struct text breakpad_text(const struct breakpad_name *name)
{
	return (struct text){ name->bytes, name->size };
}

/* Room for `need` items of `size` bytes where there are `count`; what grew lies in the arena
 * twice.  `what` they are, for the message. */
int breakpad_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t need,
		  size_t size, const char *what, struct err *err)
	__attribute__((warn_unused_result));

/* survey.c: units, names and publics. */
int breakpad_survey(struct breakpad *breakpad, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* breakpad_unit.c */
int breakpad_read_unit(const struct breakpad *breakpad, size_t unit, struct arena *scratch,
		       const struct object_sink *sink, struct err *err)
	__attribute__((warn_unused_result));

/* inlines.c: INLINE records of one function to nested inlinees. */
struct breakpad_inline {
	uint64_t address, end;
	uint32_t depth;
	uint32_t call_file;                      /* an index, not the file's number */
	uint32_t call_line;
	struct text origin;                      /* TEXT_NONE: no such INLINE_ORIGIN */
	uint32_t order;                          /* in the file: of equals the first wins */
};

/* Of depths below LIMIT_INLINE_DEPTH; the result lies in scratch. */
int breakpad_nest(const struct object_range *function, const struct breakpad_inline *records,
		  size_t count, struct arena *scratch, struct object_inlinee **inlinees,
		  size_t *inlinee_count, struct err *err)
	__attribute__((warn_unused_result));

#endif
