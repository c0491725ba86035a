/*
 * reader -- a bounded walk over untrusted bytes.
 *
 * Reads never leave the range and never fail loudly: past the end they give
 * zero and set `failed`, which stays set.  A parser reads a whole record and
 * asks once.  The name and position turn into the error text.  The small reads
 * are inline: debug files are read by the hundred million bytes.
 */
#ifndef BASE_READER_H
#define BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

struct err;

struct reader {
	const char *name;        /* ".debug_line", "DBI stream": for messages */
	const uint8_t *bytes;
	size_t size;
	size_t pos;              /* pos <= size, always */
	bool big_endian;
	bool failed;             /* sticky */
};

static inline struct reader reader_over(const char *name, const void *bytes, size_t size)
{
	return (struct reader){ .name = name, .bytes = bytes ? bytes : (const void *)"",
				.size = size };
}

static inline size_t reader_left(const struct reader *reader)
{
	return reader->size - reader->pos;
}

static inline bool reader_at_end(const struct reader *reader)
{
	return reader->failed || reader->pos == reader->size;
}

/* The next `count` bytes, or NULL (and failed) when they are not there. */
static inline const uint8_t *reader_take(struct reader *reader, uint64_t count)
{
	const uint8_t *at;

	if (__builtin_expect(reader->failed || count > reader->size - reader->pos, 0)) {
		reader->failed = true;
		return NULL;
	}
	at = reader->bytes + reader->pos;
	reader->pos += (size_t)count;
	return at;
}

static inline void reader_skip(struct reader *reader, uint64_t count)
{
	(void)reader_take(reader, count);
}

/* Go to an absolute position; past the end is a failure. */
static inline void reader_seek(struct reader *reader, uint64_t pos)
{
	if (pos > reader->size)
		reader->failed = true;
	else if (!reader->failed)
		reader->pos = (size_t)pos;
}

static inline uint8_t reader_u8(struct reader *reader)
{
	const uint8_t *at = reader_take(reader, 1);

	return at ? at[0] : 0;
}

static inline uint16_t reader_u16(struct reader *reader)
{
	const uint8_t *at = reader_take(reader, 2);
	uint16_t value;

	if (!at)
		return 0;
	memcpy(&value, at, sizeof(value));
	return reader->big_endian ? __builtin_bswap16(value) : value;
}

static inline uint32_t reader_u32(struct reader *reader)
{
	const uint8_t *at = reader_take(reader, 4);
	uint32_t value;

	if (!at)
		return 0;
	memcpy(&value, at, sizeof(value));
	return reader->big_endian ? __builtin_bswap32(value) : value;
}

static inline uint64_t reader_u64(struct reader *reader)
{
	const uint8_t *at = reader_take(reader, 8);
	uint64_t value;

	if (!at)
		return 0;
	memcpy(&value, at, sizeof(value));
	return reader->big_endian ? __builtin_bswap64(value) : value;
}

/* Unsigned of 1 to 8 bytes; any other width fails. */
uint64_t reader_unsigned(struct reader *reader, unsigned width);

uint64_t reader_uleb128_long(struct reader *reader);
int64_t  reader_sleb128(struct reader *reader);

/* Longer than 64 bits fails; redundant zero bytes at the end are accepted. */
static inline uint64_t reader_uleb128(struct reader *reader)
{
	if (__builtin_expect(!reader->failed && reader->pos < reader->size &&
			     reader->bytes[reader->pos] < 0x80, 1))
		return reader->bytes[reader->pos++];
	return reader_uleb128_long(reader);
}

/* Bytes up to a NUL, which is consumed; without one it fails and gives TEXT_NONE. */
struct text reader_string(struct reader *reader);

/* A part of the range as its own reader, at the reader's position, which moves past it;
 * failed if the part does not fit. */
struct reader reader_part(struct reader *reader, const char *name, uint64_t size);

/* [at, at+size) of the range as its own reader; the position does not move. */
struct reader reader_window(const struct reader *reader, const char *name,
			    uint64_t at, uint64_t size);

/* 0 when every read so far was inside the range; otherwise ERR_MALFORMED:
 * "NAME ends early, at byte POS of SIZE". */
int reader_check(const struct reader *reader, struct err *err)
	__attribute__((warn_unused_result));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the inline reads assume a little-endian host");

#endif
