/*
 * ppdbcache -- the lookup file for managed code: the published PortablePdbCache layout
 * of the library symbolic, version 1.
 *
 * Written once from an object with managed code, then mapped and searched in place: opening
 * reads the header only, a look-up is one binary search.  The file is untrusted: every index
 * is checked.
 *
 * May include: base, object.h.
 */
#ifndef PPDBCACHE_PPDBCACHE_H
#define PPDBCACHE_PPDBCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"
#include "object/object.h"

struct err;

struct ppdbcache {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	struct debugid debug_id;
	uint32_t file_count, range_count, string_bytes;
	const uint8_t *files, *locations, *ranges, *strings;     /* inside bytes */
};

struct ppdbcache_place {
	struct text file;            /* as the document is called; TEXT_NONE: unknown */
	uint32_t language;
	uint32_t line;
};

/* Header and section bounds only; ERR_MALFORMED, ERR_UNSUPPORTED for another version. */
int ppdbcache_open(struct ppdbcache *cache, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* The last place of the method at or before the IL offset; false: none. */
bool ppdbcache_lookup(const struct ppdbcache *cache, uint32_t method, uint32_t offset,
		      struct ppdbcache_place *place);

/* Range i (< range_count) and where it leads: for listings. */
void ppdbcache_range(const struct ppdbcache *cache, uint32_t index, uint32_t *method,
		     uint32_t *offset, struct ppdbcache_place *place);

struct ppdbcache_report {
	struct object_managed_report managed;
	size_t files, ranges, bytes;
};

/* Writes what an opened object says into the file `fd` (empty).  Its memory is at most
 * memory_bytes. */
int ppdbcache_write(const struct object *object, size_t memory_bytes, int fd,
		    struct ppdbcache_report *report, struct err *err)
	__attribute__((warn_unused_result));

#endif
