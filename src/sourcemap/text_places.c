/* text_places.c -- from bytes of a text to lines and columns, in steps of at most 256 bytes. */
#include "sourcemap/sourcemap_internal.h"

#include "base/arena.h"
#include "base/err.h"

#define STEP_BYTES 256u

/* Columns count UTF-16 units: one for each character, two for those of four bytes. */
static struct text_place walk(struct text_place place, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '\n') {
			place.line++;
			place.column = 0;
		} else {
			place.column += (c & 0xc0) != 0x80;
			place.column += c >= 0xf0;
		}
	}
	return place;
}

int text_places_init(struct text_places *places, struct text text, struct arena *arena,
		     struct err *err)
{
	size_t count = text.size / STEP_BYTES + 1;
	struct text_place place = { 0, 0 };

	places->text = text;
	places->every = arena_alloc_raw(arena, count, sizeof(*places->every));
	if (!places->every)
		return map_json_no_memory(arena, err);
	for (size_t i = 0; i < count; i++) {
		places->every[i] = place;
		if (i + 1 < count)
			place = walk(place, text.bytes + i * STEP_BYTES, STEP_BYTES);
	}
	return 0;
}

struct text_place text_places_of(const struct text_places *places, size_t at)
{
	size_t step, start;

	if (at > places->text.size)
		at = places->text.size;
	step = at / STEP_BYTES;
	start = step * STEP_BYTES;
	return at == start ? places->every[step]
			   : walk(places->every[step], places->text.bytes + start, at - start);
}
