/*
 * jsbundle -- what an artifact bundle holds, by URL and by debug id, without its contents.
 *
 * Written once in a cell, from a source bundle; then mapped and searched in place.  The file is
 * untrusted: every index is checked.
 */
#ifndef JSFILE_JSBUNDLE_H
#define JSFILE_JSBUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"
#include "object/object.h"

struct err;
struct jsfile_options;

struct jsbundle {
	const uint8_t *entries, *by_url, *by_id;     /* borrowed */
	uint32_t entry_count, url_count, id_count;
	struct text strings;
};

/* Where its contents lie in the bundle, as both have it byte by byte; without checksum: nowhere that the
 * index knows. */
struct jsbundle_contents {
	uint64_t at, packed_bytes, size;
	uint32_t crc, packing;       /* of the unpacked contents; enum unpack_kind */
};

struct jsbundle_entry {
	uint32_t number;             /* its name for jsbundle_take() */
	enum object_source_type type;
	struct text url;             /* TEXT_NONE: none */
	struct text source_map;      /* what a header says of it; TEXT_NONE: none does */
	struct debugid debug_id;     /* nil: none */
	struct jsbundle_contents contents;
};

/* Bounds of the sections only.  ERR_MALFORMED; ERR_UNSUPPORTED for another version. */
int jsbundle_open(struct jsbundle *bundle, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));
/* The entry of exactly that URL, whatever its type; of that debug id and type.  Of two the later in the
 * bundle.  False: there is none. */
bool jsbundle_find_url(const struct jsbundle *bundle, struct text url, struct jsbundle_entry *entry);
bool jsbundle_find_id(const struct jsbundle *bundle, const struct debugid *id,
		      enum object_source_type type, struct jsbundle_entry *entry);
/* Entry `index`, in the bundle's order; false: there is none, or it makes no sense. */
bool jsbundle_entry_at(const struct jsbundle *bundle, uint32_t index, struct jsbundle_entry *entry);

/* The index of an opened source bundle, into the file `fd` (empty).  `memory_bytes` is the ceiling of the
 * writer's own memory. */
int jsbundle_write(const struct object *object, size_t memory_bytes, int fd, struct err *err)
	__attribute__((warn_unused_result));

/* One entry as a jsfile, into the file `fd` (empty); `header`, `ignores_*` and `is_strict` of the options
 * follow from the entry.  ERR_NOT_FOUND: there is no such entry; ERR_MALFORMED: it cannot be had;
 * ERR_LIMIT: it has more than `bytes_max`. */
int jsbundle_take(const struct object *object, uint32_t number, uint64_t bytes_max, size_t memory_bytes,
		  int fd, struct err *err) __attribute__((warn_unused_result));
/* The same by the index alone, `bytes` being those of the bundle: 1; 0: it does not say where the file is, or
 * something else is there, and nothing is written; -1. */
int jsbundle_take_indexed(const struct jsbundle *bundle, struct text bytes, uint32_t number,
			  uint64_t bytes_max, size_t memory_bytes, int fd, struct err *err)
	__attribute__((warn_unused_result));

#endif
