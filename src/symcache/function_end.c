/* function_end.c -- how far a function reaches: its ranges, and those of what it has inlined. */
#include "symcache/symcache.h"

#include <string.h>

#include "base/limits.h"
#include "base/search.h"
#include "symcache/symcache_layout.h"

struct end_location { uint32_t file, line, function, inlined_into; };

static struct end_location location_at(const struct symcache *cache, uint32_t index)
{
	struct end_location location;

	memcpy(&location, cache->locations + (size_t)index * SYMC_LOCATION_BYTES, sizeof(location));
	return location;
}

/* The entry of the function that everything in this range was inlined into. */
static uint32_t entry_of(const struct symcache *cache, size_t range)
{
	struct end_location location = location_at(cache, cache->location_count - cache->range_count + (uint32_t)range);
	uint32_t entry;

	for (unsigned depth = 0; depth < LIMIT_INLINE_DEPTH && location.inlined_into < cache->location_count; depth++)
		location = location_at(cache, location.inlined_into);
	if (location.function >= cache->function_count)
		return SYMCACHE_NO_ENTRY;
	memcpy(&entry, cache->functions + (size_t)location.function * SYMC_FUNCTION_BYTES + 8, sizeof(entry));
	return entry;
}

/* Its ranges are neighbours: steps that double pass over them, halves find the last one. */
uint32_t symcache_function_end(const struct symcache *cache, uint32_t entry)
{
	size_t first, inside, outside, step = 1, end;

	SEARCH_PARTITION_POINT(first, 0, cache->range_count, symcache_range_address(cache, (uint32_t)first) < entry);
	if (first == cache->range_count || symcache_range_address(cache, (uint32_t)first) != entry ||
	    entry_of(cache, first) != entry)
		return 0;
	for (inside = first; inside + step < cache->range_count && entry_of(cache, inside + step) == entry; step *= 2)
		inside += step;
	outside = inside + step < cache->range_count ? inside + step : cache->range_count;
	SEARCH_PARTITION_POINT(end, inside, outside, entry_of(cache, end) == entry);
	return end < cache->range_count ? symcache_range_address(cache, (uint32_t)end) : 0;
}
