/* text_places.c -- places of every few bytes, and counting from the last one. */
#include "base/text_places.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"

#define MARK_BYTES 256u

#define WORD_BYTES sizeof(uint64_t)
#define HIGH_BITS  UINT64_C(0x8080808080808080)

static bool is_ascii(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return (word & HIGH_BITS) == 0;
}

/* A character outside of the BMP is two units: its first byte counts twice, later bytes do not. */
static uint32_t units_in(const char *bytes, size_t size)
{
	uint32_t units = 0;
	size_t i = 0;

	while (i < size) {
		if (size - i >= WORD_BYTES && is_ascii(bytes + i)) {
			units += (uint32_t)WORD_BYTES;
			i += WORD_BYTES;
		} else {
			uint8_t byte = (uint8_t)bytes[i++];

			units += (uint32_t)((byte & 0xC0) != 0x80) + (uint32_t)(byte >= 0xF0);
		}
	}
	return units;
}

static struct text_place moved(struct text_place place, const char *bytes, size_t size)
{
	const char *end = bytes + size, *newline;

	while (bytes < end && (newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		place.line++;
		place.column = 0;
		bytes = newline + 1;
	}
	place.column += units_in(bytes, (size_t)(end - bytes));
	return place;
}

int text_places_init(struct text_places *places, struct text text, struct arena *arena, struct err *err)
{
	struct text_place place = { 0, 0 };
	size_t count = text.size / MARK_BYTES + 1;

	places->text = text;
	places->marks = arena_alloc_raw(arena, count, sizeof(*places->marks));
	if (!places->marks)
		return err_set(err, arena->is_full ? ERR_LIMIT : ERR_NO_MEMORY,
			       "no memory for the lines of %zu bytes", text.size);
	for (size_t i = 0; i < count; i++) {
		places->marks[i] = place;
		if (i + 1 < count)
			place = moved(place, text.bytes + i * MARK_BYTES, MARK_BYTES);
	}
	return 0;
}

struct text_place text_places_of(const struct text_places *places, size_t offset)
{
	size_t at = offset < places->text.size ? offset : places->text.size;
	size_t mark = at / MARK_BYTES;

	return moved(places->marks[mark], places->text.bytes + mark * MARK_BYTES, at % MARK_BYTES);
}
