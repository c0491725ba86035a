/*
 * symbfile_index -- a symbfile (or a part of one) made ready for look-ups: mapped and searched in place.
 *
 * The layout is doc/formats/symbfile.md, "The index".  The file is as untrusted as what it was made of:
 * every number in it is checked where it is used.
 *
 * May include: base.
 */
#ifndef SYMBFILE_SYMBFILE_INDEX_H
#define SYMBFILE_SYMBFILE_INDEX_H

#include "symbfile/symbfile.h"

#define SYMBFILE_NO_STRING UINT32_MAX
#define SYMBFILE_NO_NODE   UINT32_MAX

struct symbfile_index {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	uint32_t segment_count, node_count, range_count, line_count, pad_count, call_count;
	uint64_t string_bytes;
	const uint8_t *segments, *segment_nodes, *nodes, *ranges, *lines, *pads, *pad_calls, *calls, *strings;
};

/* ERR_MALFORMED; ERR_UNSUPPORTED: of another version. */
int symbfile_index_open(struct symbfile_index *index, const void *bytes, size_t size, struct err *err)
	__attribute__((warn_unused_result));

struct symbfile_frame {
	struct text function;
	struct text file;            /* TEXT_NONE: unknown */
	uint32_t line;               /* 0: unknown */
	uint64_t entry;              /* where the function's range begins; of the outermost frame alone */
	bool has_entry;
};

/*
 * The calls at an address by the ranges of all parts together, the innermost first; of two ranges of one
 * depth that of the earlier part counts, and in one part the one that begins later.  At most `capacity`
 * frames, LIMIT_SYMBFILE_LEVELS at most; 0: nothing is known there.
 */
size_t symbfile_lookup(const struct symbfile_index *parts, size_t part_count, uint64_t address,
		       struct symbfile_frame *frames, size_t capacity);
/* The same by the return pad of exactly that address, of the first part that has one. */
size_t symbfile_lookup_pad(const struct symbfile_index *parts, size_t part_count, uint64_t address,
			   struct symbfile_frame *frames, size_t capacity);

/* Makes the index of a symbfile into the file `fd` (empty).  ERR_LIMIT: it needs more than memory_bytes, or
 * its ranges overlap in more ways than code can. */
struct symbfile_index_report { struct symbfile_report read; uint64_t segments, bytes; };
int symbfile_index_write(const void *bytes, size_t size, size_t memory_bytes, int fd,
			 struct symbfile_index_report *report, struct err *err)
	__attribute__((warn_unused_result));

#endif
