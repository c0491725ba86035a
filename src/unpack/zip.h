/*
 * zip -- the directory of a zip archive, and where the packed bytes of an entry lie.
 *
 * Bytes before the archive are fine, whether its offsets count them or not.  Sizes are what
 * the directory says: whoever unpacks holds the contents against them.  Names are only names
 * here, nothing is ever written to a path.
 */
#ifndef UNPACK_ZIP_H
#define UNPACK_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

struct zip_entry {
	struct text name;            /* borrowed from the bytes */
	uint64_t packed_size, size, header_at;
	uint32_t crc;
	uint16_t method, flags;
};

struct zip {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	uint64_t shift;              /* added to every offset in the archive */
	struct zip_entry *entries;   /* by name, ascending; of equal ones the later is last */
	size_t count;
};

int zip_open(struct zip *zip, const void *bytes, size_t size, struct arena *arena,
	     struct err *err) __attribute__((warn_unused_result));

/* The last entry of that name, or NULL. */
const struct zip_entry *zip_find(const struct zip *zip, struct text name);

/* Where its packed bytes are, and how they are packed (enum unpack_kind).  ERR_MALFORMED,
 * ERR_UNSUPPORTED: encrypted, or a method we do not know. */
int zip_packed(const struct zip *zip, const struct zip_entry *entry, struct text *packed,
	       unsigned *packing, struct err *err) __attribute__((warn_unused_result));

#endif
