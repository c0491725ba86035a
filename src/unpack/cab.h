/*
 * cab -- Microsoft cabinets: the one file, or one of several.
 *
 * Private to unpack.  libmspack does the work over our own reading, writing and memory.
 */
#ifndef UNPACK_CAB_H
#define UNPACK_CAB_H

#include <stdint.h>

#include "base/text.h"

struct buf;
struct err;

struct cab_member {
	size_t index;                /* beyond the last: nothing is written */
	size_t count;                /* out: files of the cabinet */
	struct buf *name;            /* gets the file's */
};

/* `member` NULL: the only file there is. */
int cab_unpack(struct text cabinet, struct cab_member *member, int out_fd, uint64_t ceiling_bytes, struct err *err)
	__attribute__((warn_unused_result));

#endif
