/* regions.c -- see regions.h. */
#include "unwind/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "unwind/unwind.h"

static int by_address(const void *a, const void *b)
{
	const struct unwind_region *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->size > right->size) - (left->size < right->size);
}

size_t unwind_memory_sort(struct unwind_region *regions, size_t count)
{
	uint64_t end = 0;            /* of those kept */
	size_t kept = 0;

	if (count > 1)
		qsort(regions, count, sizeof(*regions), by_address);
	for (size_t i = 0; i < count; i++) {
		struct unwind_region region = regions[i];
		uint64_t overlap = region.address < end ? end - region.address : 0;

		if (region.size > UINT64_MAX - region.address || overlap >= region.size)
			continue;
		region.address += overlap;
		region.bytes += overlap;
		region.size -= (size_t)overlap;
		end = region.address + region.size;
		regions[kept++] = region;
	}
	return kept;
}

const struct unwind_region *unwind_memory_find(const struct unwind_memory *memory,
					       uint64_t address, uint64_t size)
{
	const struct unwind_region *region;
	size_t at;

	SEARCH_PARTITION_POINT(at, (size_t)0, memory->count,
			       memory->regions[at].address <= address);
	if (at == 0)
		return NULL;
	region = &memory->regions[at - 1];
	address -= region->address;
	return address <= region->size && size <= region->size - address ? region : NULL;
}

bool unwind_memory_read(const struct unwind_memory *memory, uint64_t address, unsigned width,
			uint64_t *value)
{
	const struct unwind_region *region = unwind_memory_find(memory, address, width);
	const uint8_t *bytes;
	uint64_t word = 0;

	if (!region || width > sizeof(word))
		return false;
	bytes = region->bytes + (address - region->address);
	if (memory->big_endian)
		for (unsigned i = 0; i < width; i++)
			word = word << 8 | bytes[i];
	else
		memcpy(&word, bytes, width);
	*value = word;
	return true;
}

uint32_t unwind_module_at(const struct unwind_modules *modules, uint64_t address)
{
	const struct unwind_module *module;
	size_t at;

	SEARCH_PARTITION_POINT(at, (size_t)0, modules->count,
			       modules->items[at].address <= address);
	if (at == 0)
		return UNWIND_NO_MODULE;
	module = &modules->items[at - 1];
	return address - module->address < module->size ? (uint32_t)(at - 1) : UNWIND_NO_MODULE;
}
