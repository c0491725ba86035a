/*
 * load -- numbers of fixed width from bytes that were proved to be there: little-endian, at any address.
 */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include <stdint.h>
#include <string.h>

static inline uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint64_t load_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the loads assume a little-endian host");

#endif
