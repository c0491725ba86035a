/*
 * cfi_out -- text on its way into a file, piece after piece.
 *
 * Private to cfi.  A failure stays: writers go on and ask once.  The pieces are inline: a large
 * program has millions of rows.
 *
 * May include: base.
 */
#ifndef CFI_CFI_OUT_H
#define CFI_CFI_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

#define CFI_OUT_BYTES ((size_t)256 << 10)
#define CFI_OUT_ROOM  ((size_t)8 << 10)      /* that is there after cfi_out_make_room() */

struct cfi_out {
	int fd;
	char *bytes;
	size_t used;
	uint64_t written;
	bool failed;
	struct err err;
};

int cfi_out_open(struct cfi_out *out, int fd, struct err *err) __attribute__((warn_unused_result));
/* Writes what is left; -1 when anything failed. */
int cfi_out_finish(struct cfi_out *out, struct err *err) __attribute__((warn_unused_result));
void cfi_out_close(struct cfi_out *out);

void cfi_out_flush(struct cfi_out *out);
/* Of any size. */
void cfi_out_add(struct cfi_out *out, struct text text);

/* What follows needs it: CFI_OUT_ROOM at most, for all that is added until the next call. */
static inline void cfi_out_make_room(struct cfi_out *out)
{
	if (out->used > CFI_OUT_BYTES - CFI_OUT_ROOM)
		cfi_out_flush(out);
}

static inline void cfi_out_bytes(struct cfi_out *out, const char *bytes, size_t size)
{
	memcpy(out->bytes + out->used, bytes, size);
	out->used += size;
}

#define CFI_OUT_LITERAL(out, literal) cfi_out_bytes(out, literal, sizeof(literal) - 1)

static inline void cfi_out_text(struct cfi_out *out, struct text text)
{
	cfi_out_bytes(out, text.bytes, text.size);
}

/* Eight digits, the first the most significant, as the bytes of a word. */
static inline uint64_t cfi_out_hex_digits(uint32_t value)
{
	uint64_t each = __builtin_bswap32(value);
	uint64_t letters;

	each = (each | each << 16) & UINT64_C(0x0000ffff0000ffff);
	each = (each | each << 8) & UINT64_C(0x00ff00ff00ff00ff);
	each = (each >> 4 & UINT64_C(0x000f000f000f000f)) |
	       (each & UINT64_C(0x000f000f000f000f)) << 8;
	letters = (each + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	return each + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
}

static inline void cfi_out_hex(struct cfi_out *out, uint64_t value)
{
	unsigned digits = (67u - (unsigned)__builtin_clzll(value | 1)) / 4;
	uint64_t first, second, shifted = value << (64 - 4 * digits);

	first = cfi_out_hex_digits((uint32_t)(shifted >> 32));
	memcpy(out->bytes + out->used, &first, sizeof(first));
	if (__builtin_expect(digits > 8, 0)) {
		second = cfi_out_hex_digits((uint32_t)shifted);
		memcpy(out->bytes + out->used + 8, &second, sizeof(second));
	}
	out->used += digits;
}

static inline void cfi_out_decimal(struct cfi_out *out, int64_t value)
{
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digits[20];
	size_t count = 0;

	if (value < 0)
		CFI_OUT_LITERAL(out, "-");
	do {
		digits[count++] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	while (count)
		out->bytes[out->used++] = digits[--count];
}

/* " NAME: .cfa OFFSET + ^" */
static inline void cfi_out_saved(struct cfi_out *out, struct text name, int64_t offset)
{
	CFI_OUT_LITERAL(out, " ");
	cfi_out_text(out, name);
	CFI_OUT_LITERAL(out, ": .cfa ");
	cfi_out_decimal(out, offset);
	CFI_OUT_LITERAL(out, " + ^");
}

/* " .cfa: NAME OFFSET +" */
static inline void cfi_out_frame(struct cfi_out *out, struct text name, int64_t offset)
{
	CFI_OUT_LITERAL(out, " .cfa: ");
	cfi_out_text(out, name);
	CFI_OUT_LITERAL(out, " ");
	cfi_out_decimal(out, offset);
	CFI_OUT_LITERAL(out, " +");
}

/* "STACK CFI INIT START SIZE" and "STACK CFI ADDRESS" */
static inline void cfi_out_init(struct cfi_out *out, uint64_t start, uint64_t size)
{
	cfi_out_make_room(out);
	CFI_OUT_LITERAL(out, "STACK CFI INIT ");
	cfi_out_hex(out, start);
	CFI_OUT_LITERAL(out, " ");
	cfi_out_hex(out, size);
}

static inline void cfi_out_row(struct cfi_out *out, uint64_t address)
{
	cfi_out_make_room(out);
	CFI_OUT_LITERAL(out, "STACK CFI ");
	cfi_out_hex(out, address);
}

static inline void cfi_out_end_line(struct cfi_out *out)
{
	out->bytes[out->used++] = '\n';
}

#endif
