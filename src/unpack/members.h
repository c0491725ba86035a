/*
 * members -- gzip files, of one member or several, and zlib streams that lie in memory whole.
 *
 * Private to unpack.  In half of the time zlib takes; what is not right is left to zlib, which
 * has the words for it.
 */
#ifndef UNPACK_MEMBERS_H
#define UNPACK_MEMBERS_H

#include "unpack/unpack.h"

/* The next piece; `read`: how much of the packed data it took so far. */
typedef int members_put_fn(void *payload, const uint8_t *bytes, size_t size, uint64_t read,
			   struct err *err);

/* 1: that was all of it, and right; 0: it is not, or packed another way; -1: put() failed, or
 * memory. */
int members_unpack(enum unpack_kind kind, struct text packed, members_put_fn *put, void *payload,
		   struct err *err) __attribute__((warn_unused_result));

#endif
