/*
 * msf -- the multi-stream file a PDB lives in (MSF 7.0): pages, and streams scattered over
 * them.
 *
 * A stream is read in place wherever its pages follow each other.  What lies across pages
 * that do not is put together in memory the caller names; whole streams are put together
 * only when asked for.  Every page belongs to one stream at most, so no list of pages can
 * make a small file large: the streams together are no longer than the file.
 *
 * Private to object/pdb.
 *
 * May include: base, unpack.
 */
#ifndef OBJECT_PDB_MSF_H
#define OBJECT_PDB_MSF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reader.h"

struct arena;
struct err;
struct unpack_memory;

#define MSF_NO_STREAM 0xffffu

struct msf_place {
	uint32_t size;               /* of the stream */
	uint32_t list;               /* of its pages: position in the directory */
};

struct msf {
	struct reader whole;
	uint32_t page_bytes, page_shift, page_count;
	struct text directory;       /* put together */
	struct msf_place *places;
	uint32_t stream_count;
};

struct msf_stream {
	const struct msf *msf;
	const char *name;            /* "DBI stream": for messages */
	uint32_t number, size;
	struct reader pages;         /* their numbers, 32 bits each */
	const uint8_t *flat;         /* all of it, where its pages follow each other; else NULL */
};

bool msf_is_one(const uint8_t *head, size_t size);       /* 7.0 or 2.00 */

/* ERR_UNSUPPORTED for 2.00. */
int msf_open(struct msf *msf, const void *bytes, size_t size, struct arena *arena,
	     struct err *err) __attribute__((warn_unused_result));

/* An absent stream is an empty one; pages outside the file are ERR_MALFORMED. */
int msf_stream_open(const struct msf *msf, uint32_t number, const char *name,
		    struct msf_stream *stream, struct err *err)
	__attribute__((warn_unused_result));

/* All of it as a reader; put together in the arena, or in the component, if it has to be. */
int msf_stream_in_arena(const struct msf_stream *stream, struct arena *arena,
			struct reader *reader, struct err *err)
	__attribute__((warn_unused_result));
int msf_stream_in_capacity(const struct msf_stream *stream, struct unpack_memory *capacity,
		       struct reader *reader, struct err *err)
	__attribute__((warn_unused_result));

/* [offset, offset + size) in place, or NULL when it is not in one piece or not there. */
const uint8_t *msf_stream_piece(const struct msf_stream *stream, uint32_t offset, uint32_t size);
/* Copies; false when some of it is not there. */
bool msf_stream_copy(const struct msf_stream *stream, uint32_t offset, uint32_t size, void *out);

#endif
