/* minidump_text.c -- strings of a dump as UTF-8. */
#include "minidump/minidump_parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"

#define REPLACEMENT 0xfffdu
#define UTF8_BYTES_PER_UNIT 3u               /* a pair of units makes four bytes */

static bool is_high_surrogate(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
static bool is_low_surrogate(uint32_t unit)  { return unit >= 0xdc00 && unit < 0xe000; }

/* The next character; half a pair becomes U+FFFD. */
static uint32_t take_character(struct reader *units)
{
	uint32_t unit = reader_u16(units), low;

	if (is_high_surrogate(unit) && reader_left(units) >= 2) {
		low = reader_u16(units);
		if (is_low_surrogate(low))
			return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		units->pos -= 2;
	}
	return is_high_surrogate(unit) || is_low_surrogate(unit) ? REPLACEMENT : unit;
}

static struct text convert(struct minidump *dump, struct reader units)
{
	size_t capacity = units.size / 2 * UTF8_BYTES_PER_UNIT, used = 0;
	char *bytes;

	if (units.size > LIMIT_NAME_BYTES || capacity > dump->text_bytes_left) {
		minidump_lose(dump, "a text of %zu bytes: more than is converted", units.size);
		return TEXT_NONE;
	}
	bytes = arena_alloc_raw(dump->arena, capacity + 1, 1);
	if (!bytes)
		return TEXT_NONE;
	dump->text_bytes_left -= capacity;
	while (reader_left(&units) >= 2)
		used += utf8_put(take_character(&units), bytes + used);
	bytes[used] = '\0';
	return (struct text){ bytes, used };
}

struct text minidump_string(struct minidump *dump, uint64_t rva)
{
	struct reader head = minidump_part(dump, "string", rva, sizeof(uint32_t));
	uint32_t size = reader_u32(&head);
	struct reader units = minidump_part(dump, "string", rva + sizeof(uint32_t), size);

	if (head.failed || units.failed || size % 2 != 0)
		return TEXT_NONE;
	return convert(dump, units);
}

struct text minidump_utf8_string(struct minidump *dump, uint32_t rva)
{
	struct reader head = minidump_part(dump, "string", rva, sizeof(uint32_t));
	uint32_t size = reader_u32(&head);
	struct reader bytes = minidump_part(dump, "string", (uint64_t)rva + sizeof(uint32_t), size);

	if (head.failed || bytes.failed)
		return TEXT_NONE;
	return (struct text){ (const char *)bytes.bytes, bytes.size };
}

struct text minidump_utf16_field(struct minidump *dump, struct reader *reader, uint32_t units)
{
	struct reader field = reader_part(reader, "text", (uint64_t)units * 2);
	struct reader counted = field;

	if (field.failed)
		return TEXT_NONE;
	while (reader_left(&counted) >= 2 && reader_u16(&counted) != 0)
		field.pos = counted.pos;
	field.size = field.pos;
	field.pos = 0;
	return field.size ? convert(dump, field) : TEXT_NONE;
}

struct text minidump_c_string(struct reader *reader)
{
	const char *bytes = (const char *)reader->bytes + reader->pos;
	size_t left = reader_left(reader), size;
	const char *end;

	if (reader->failed || left == 0)
		return TEXT_NONE;
	end = memchr(bytes, '\0', left);
	size = end ? (size_t)(end - bytes) : left;
	reader_skip(reader, end ? size + 1 : size);
	return (struct text){ bytes, size };
}
