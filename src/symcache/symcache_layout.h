/*
 * symcache_layout -- the SYMC file, byte by byte, as reader and writer both need it.
 *
 * A 80-byte head, then five sections, each starting at a multiple of 8: files, functions,
 * source locations, ranges, strings.  All numbers little endian.
 */
#ifndef SYMCACHE_SYMCACHE_LAYOUT_H
#define SYMCACHE_SYMCACHE_LAYOUT_H

#include <stdint.h>

#define SYMC_MAGIC            0x434d5953u   /* "SYMC" */
#define SYMC_MAGIC_SWAPPED    0x53594d43u
#define SYMC_VERSION          9u
#define SYMC_OLDEST_VERSION   7u            /* strings with a 4-byte length */
#define SYMC_HEAD_BYTES       80u           /* magic, version, header */
#define SYMC_HEAD_RESERVED    16u
#define SYMC_ALIGNMENT        8u
#define SYMC_FILE_BYTES       24u
#define SYMC_OLD_FILE_BYTES   12u           /* versions 7 and 8 */
#define SYMC_FUNCTION_BYTES   16u
#define SYMC_LOCATION_BYTES   16u
#define SYMC_RANGE_BYTES      4u
#define SYMC_NONE             UINT32_MAX    /* no string, file, function, location */

static inline uint64_t symc_aligned(uint64_t at)
{
	return (at + SYMC_ALIGNMENT - 1) & ~(uint64_t)(SYMC_ALIGNMENT - 1);
}

/* Of one file's record. */
static inline uint32_t symc_file_bytes(uint32_t version)
{
	return version < SYMC_VERSION ? SYMC_OLD_FILE_BYTES : SYMC_FILE_BYTES;
}

#endif
