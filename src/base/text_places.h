/*
 * text_places -- where bytes of one text stand, for any number of questions: lines end with a line feed alone,
 * columns are UTF-16 units, both count from 0, as in source maps.  The text must outlive it; it may be any bytes.
 */
#ifndef BASE_TEXT_PLACES_H
#define BASE_TEXT_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

struct text_place { uint32_t line, column; };

struct text_places {
	struct text text;
	struct text_place *marks;    /* of every so many bytes, from the arena */
};

/* ERR_LIMIT: the arena's; ERR_NO_MEMORY. */
int text_places_init(struct text_places *places, struct text text, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));
/* An offset beyond the end counts as the end; inside a character, as behind it. */
struct text_place text_places_of(const struct text_places *places, size_t offset);

#endif
