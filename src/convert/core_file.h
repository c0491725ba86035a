/*
 * core_file.h -- in cells: the bytes of a core file or a minidump, as it came or unpacked into the cell's output.
 *
 * Cores are stored packed (gzip, zstd, lz4, xz).  Most of a core may be zeros, which pack a
 * thousandfold: they become holes of the output, and what is left is bounded as in any packed
 * file.
 */
#ifndef CONVERT_CORE_FILE_H
#define CONVERT_CORE_FILE_H

#include "base/err.h"
#include "base/file.h"

struct cell;

/* What became of the packing. */
struct core_file {
	struct err damage;           /* a stream that ended early or is bad: what came before it counts */
};

/* Maps it.  ERR_UNSUPPORTED: a packing or a container that is not read, with a way out. */
int core_file_map(struct cell *cell, struct file_map *map, struct core_file *file, struct err *err)
	__attribute__((warn_unused_result));

#endif
