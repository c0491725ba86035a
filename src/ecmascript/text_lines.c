/* text_lines.c -- lines and columns of a text: places every few bytes, and counting from the last one. */
#include "ecmascript/ecmascript.h"

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

static struct ecmascript_position moved(struct ecmascript_position position, const char *bytes,
					size_t size)
{
	const char *end = bytes + size, *newline;

	while ((newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		position.line++;
		position.column = 0;
		bytes = newline + 1;
	}
	position.column += units_in(bytes, (size_t)(end - bytes));
	return position;
}

int ecmascript_lines_init(struct ecmascript_lines *lines, struct text text, struct arena *arena,
			  struct err *err)
{
	struct ecmascript_position position = { 0, 0 };
	size_t count = text.size / MARK_BYTES + 1;

	if (text.size >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a text of %zu bytes is too large", text.size);
	lines->text = text;
	lines->marks = arena_alloc_raw(arena, count, sizeof(*lines->marks));
	if (!lines->marks)
		return err_set(err, arena->is_full ? ERR_LIMIT : ERR_NO_MEMORY,
			       "no memory for the lines of %zu bytes", text.size);
	for (size_t i = 0; i < count; i++) {
		lines->marks[i] = position;
		if (i + 1 < count)
			position = moved(position, text.bytes + i * MARK_BYTES, MARK_BYTES);
	}
	return 0;
}

struct ecmascript_position ecmascript_lines_at(const struct ecmascript_lines *lines, uint32_t offset)
{
	size_t at = offset < lines->text.size ? offset : lines->text.size;
	size_t mark = at / MARK_BYTES;

	return moved(lines->marks[mark], lines->text.bytes + mark * MARK_BYTES, at % MARK_BYTES);
}
