/*
 * ppdbcache_layout -- the PDBC file, byte by byte, as reader and writer both need it.
 *
 * A head of 68 bytes, then four sections, each starting at a multiple of 8: files, source
 * locations, ranges, strings.  All numbers little endian.
 */
#ifndef PPDBCACHE_PPDBCACHE_LAYOUT_H
#define PPDBCACHE_PPDBCACHE_LAYOUT_H

#include <stdint.h>

#define PDBC_MAGIC         0x43424450u   /* "PDBC" */
#define PDBC_MAGIC_SWAPPED 0x50444243u
#define PDBC_VERSION       1u
#define PDBC_HEAD_BYTES    68u
#define PDBC_HEAD_RESERVED 16u
#define PDBC_ALIGNMENT     8u
#define PDBC_FILE_BYTES    8u            /* name, language */
#define PDBC_LOCATION_BYTES 8u           /* line, file; one for each range */
#define PDBC_RANGE_BYTES   8u            /* method, IL offset; ascending */
#define PDBC_NONE          UINT32_MAX

static inline uint64_t pdbc_aligned(uint64_t at)
{
	return (at + PDBC_ALIGNMENT - 1) & ~(uint64_t)(PDBC_ALIGNMENT - 1);
}

#endif
