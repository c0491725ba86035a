/*
 * sourcecache_layout -- the source cache file, byte by byte, as reader and writer both need it.
 *
 * Head, contents, files, links, strings.  All numbers little endian.  Contents: each file's
 * bytes, then, at the next multiple of 4, where its lines begin.
 */
#ifndef SOURCECACHE_SOURCECACHE_LAYOUT_H
#define SOURCECACHE_SOURCECACHE_LAYOUT_H

#include <stdint.h>

#define SRCC_MAGIC      0x43435253u  /* "SRCC" */
#define SRCC_VERSION    1u
#define SRCC_HEAD_BYTES 80u
#define SRCC_ALIGNMENT  8u           /* of the sections */
#define SRCC_FILE_BYTES 40u
#define SRCC_LINK_BYTES 24u
#define SRCC_LINE_BYTES 4u
#define SRCC_NONE       UINT32_MAX

enum srcc_flags { SRCC_SLASHES_ARE_ONE = 1, SRCC_LINKS_ANY_PATH = 2 };

/* What the file record says about its contents. */
enum srcc_state {
	SRCC_LINKED = 0,             /* not here: the links say where */
	SRCC_INSIDE = 1,
	SRCC_UNREADABLE = 2,         /* here, but of no use */
};

static inline uint64_t srcc_aligned(uint64_t at, uint64_t alignment)
{
	return (at + alignment - 1) & ~(alignment - 1);
}

#endif
