/*
 * sha1 -- SHA-1 (FIPS 180-4), for the names that are defined by it (UUIDs of version 5), and for
 * nothing that has to withstand anybody.  Private to base: others use hash.h.
 */
#ifndef BASE_SHA1_H
#define BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20u

/* Of both, one after the other. */
void sha1(const void *first, size_t first_size, const void *second, size_t second_size,
	  uint8_t out[SHA1_BYTES]);

#endif
