/*
 * regions -- what is known of a process's memory: regions of bytes by address.
 *
 * Regions are borrowed.  unwind_memory_sort() brings them in order once; then every read is a
 * binary search and lies inside one region.  Plain memory; nothing here allocates.
 */
#ifndef UNWIND_REGIONS_H
#define UNWIND_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_region {
	uint64_t address;
	const uint8_t *bytes;
	size_t size;
};

struct unwind_memory {
	const struct unwind_region *regions;     /* by address, none inside another */
	size_t count;
	bool big_endian;
};

/* Sorts the regions by address.  Where they overlap, the one that begins first keeps its bytes
 * and the other loses its beginning; empty ones and those that end behind the address space
 * go.  Returns how many are left. */
size_t unwind_memory_sort(struct unwind_region *regions, size_t count);

/* The region that holds [address, address + size), or NULL. */
const struct unwind_region *unwind_memory_find(const struct unwind_memory *memory,
					       uint64_t address, uint64_t size);

/* A word of 1, 2, 4 or 8 bytes; false: not there, *value is untouched. */
bool unwind_memory_read(const struct unwind_memory *memory, uint64_t address, unsigned width,
			uint64_t *value);

#endif
