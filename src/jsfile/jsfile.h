/*
 * jsfile -- a file of a JavaScript release as we keep it: its text, where its lines begin, and where
 * its source map is (doc/formats/jsfile.md).
 *
 * Written once in a cell, from a minified file, a source map or an original source; then mapped and read
 * in place.  Opening reads the head; every place it names is checked there, every line when it is asked
 * for.  jsbundle.h has the index of an artifact bundle.
 *
 * May include: base, unpack, object.h.
 */
#ifndef JSFILE_JSFILE_H
#define JSFILE_JSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/hash.h"
#include "base/text.h"

struct err;

enum jsfile_map {                    /* what a file says of its source map */
	JSFILE_MAP_NONE,             /* nothing */
	JSFILE_MAP_AT,               /* where it is: `reference`, which may be empty */
	JSFILE_MAP_INSIDE,           /* it is in the file itself: `inside` */
};

/* All texts lie in the bytes. */
struct jsfile {
	struct text text;                    /* UTF-8, as it came */
	const uint8_t *line_starts;
	uint32_t line_count;
	enum jsfile_map map;
	struct text reference, inside;
	struct debugid debug_id;             /* of a comment in it; nil: none */
	uint8_t sha256[HASH_SHA256_BYTES];   /* of the text */
};

/* ERR_MALFORMED; ERR_UNSUPPORTED for another version. */
int jsfile_open(struct jsfile *file, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

/* Line `number` (from 1) without its end ("\n" or "\r\n"); false: there is none. */
bool jsfile_line(const struct jsfile *file, uint32_t number, struct text *line);

struct jsfile_options {
	/* What a header says of the map, before all comments; TEXT_NONE: none does. */
	struct text header;
	bool ignores_references, ignores_debug_id;   /* of comments */
	bool is_strict;              /* a data: URL that is none costs the file, not the reference */
	size_t memory_bytes;         /* ceiling of the writer's own memory */
};

/* Writes into the file `fd` (empty).  ERR_MALFORMED when it is no UTF-8, ERR_LIMIT when it is too large. */
int jsfile_write(struct text text, const struct jsfile_options *options, int fd, struct err *err)
	__attribute__((warn_unused_result));

/* The last comment that names a source map, as it stands, cut at '?' and '#'; and the last that names a
 * debug id.  False: there is none (of a debug id: or it is none). */
bool jsfile_find_reference(struct text text, struct text *reference);
bool jsfile_find_debug_id(struct text text, struct debugid *id);

#endif
