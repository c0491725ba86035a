/* reader.c -- see reader.h. */
#include "base/reader.h"

#include "base/err.h"

uint64_t reader_unsigned(struct reader *reader, unsigned width)
{
	const uint8_t *at;
	uint64_t value = 0;

	if (width < 1 || width > 8) {
		reader->failed = true;
		return 0;
	}
	at = reader_take(reader, width);
	if (!at)
		return 0;
	for (unsigned i = 0; i < width; i++)
		value = value << 8 | at[reader->big_endian ? i : width - 1 - i];
	return value;
}

uint64_t reader_uleb128_long(struct reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		uint64_t bits;

		byte = reader_u8(reader);
		bits = byte & 0x7f;
		if (shift > 63 ? bits != 0 : shift == 63 && bits > 1)
			reader->failed = true;
		else if (shift <= 63)
			value |= bits << shift;
		if (shift <= 63)
			shift += 7;
	} while ((byte & 0x80) && !reader->failed);
	return reader->failed ? 0 : value;
}

/* From bit 63 on every bit must repeat the sign, else the number has more than 64. */
int64_t reader_sleb128(struct reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		uint64_t bits;

		byte = reader_u8(reader);
		bits = byte & 0x7f;
		if (shift < 63) {
			value |= bits << shift;
			shift += 7;
		} else {
			if (shift == 63)
				value |= bits << 63;
			shift = 64;
			if (bits != (value >> 63 ? 0x7f : 0))
				reader->failed = true;
		}
	} while ((byte & 0x80) && !reader->failed);
	if (reader->failed)
		return 0;
	if (shift < 64 && (byte & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

struct text reader_string(struct reader *reader)
{
	const char *start;
	const char *end;

	if (reader->failed || reader->pos == reader->size) {
		reader->failed = true;
		return TEXT_NONE;
	}
	start = (const char *)reader->bytes + reader->pos;
	end = memchr(start, '\0', reader_left(reader));
	if (!end) {
		reader->failed = true;
		return TEXT_NONE;
	}
	reader->pos += (size_t)(end - start) + 1;
	return (struct text){ start, (size_t)(end - start) };
}

struct reader reader_part(struct reader *reader, const char *name, uint64_t size)
{
	const uint8_t *at = reader_take(reader, size);
	struct reader part = reader_over(name, at, at ? (size_t)size : 0);

	part.big_endian = reader->big_endian;
	part.failed = !at;
	return part;
}

struct reader reader_window(const struct reader *reader, const char *name,
			    uint64_t at, uint64_t size)
{
	bool fits = !reader->failed && at <= reader->size && size <= reader->size - at;
	struct reader window = reader_over(name, fits ? reader->bytes + at : NULL,
					   fits ? (size_t)size : 0);

	window.big_endian = reader->big_endian;
	window.failed = !fits;
	return window;
}

int reader_check(const struct reader *reader, struct err *err)
{
	if (!reader->failed)
		return 0;
	return err_set(err, ERR_MALFORMED, "%s ends early, at byte %zu of %zu",
		       reader->name, reader->pos, reader->size);
}
