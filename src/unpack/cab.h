/*
 * cab -- Microsoft cabinets of one file.
 *
 * Private to unpack.  libmspack does the work over our own reading, writing and memory.
 */
#ifndef UNPACK_CAB_H
#define UNPACK_CAB_H

#include <stdint.h>

#include "base/text.h"

struct err;

int cab_unpack(struct text cabinet, int out_fd, uint64_t ceiling_bytes, struct err *err)
	__attribute__((warn_unused_result));

#endif
