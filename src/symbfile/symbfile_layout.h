/*
 * symbfile_layout -- the index of a symbfile as it lies in its file: little-endian, in this order, each
 * array aligned to 8 bytes.  doc/formats/symbfile.md.  Private to symbfile.
 */
#ifndef SYMBFILE_SYMBFILE_LAYOUT_H
#define SYMBFILE_SYMBFILE_LAYOUT_H

#include <stdint.h>

#define SYMBFILE_INDEX_MAGIC   0x3158444942465953ull     /* "SYFBIDX1" */
#define SYMBFILE_INDEX_VERSION 1u

struct symbfile_index_header {
	uint64_t magic;
	uint32_t version;
	uint32_t segments, nodes, ranges, lines, pads, calls;
	uint32_t zero;
	uint64_t string_bytes;
};
_Static_assert(sizeof(struct symbfile_index_header) == 48, "as documented");

/* A stack of calls: its innermost range, and what is around that. */
struct symbfile_index_node { uint32_t range, parent; };

struct symbfile_index_range {
	uint64_t address;
	uint32_t function, file, call_file;      /* offsets of strings, or SYMBFILE_NO_STRING */
	uint32_t call_line, depth, line_first, line_count, zero;
};
_Static_assert(sizeof(struct symbfile_index_range) == 40, "as documented");

struct symbfile_index_call { uint32_t function, file, line; };

#define SYMBFILE_ALIGNED(bytes) (((uint64_t)(bytes) + 7) & ~(uint64_t)7)

#endif
