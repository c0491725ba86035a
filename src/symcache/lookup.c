/*
 * lookup.c -- searching a lookup file in place, many addresses at once.
 *
 * Nearly all of a look-up is waiting for memory, each time for a place known only when the
 * last wait is over: halving the ranges, the location found, the locations it is inlined
 * into, their functions, the functions' names.  So a group of look-ups goes through these
 * steps side by side: while one waits the others do too, and all of them wait only once.
 *
 * The file is untrusted: ranges need not rise, every index is checked, chains may be cyclic.
 */
#include "symcache/symcache.h"

#include "base/arch.h"
#include "base/limits.h"
#include "base/load.h"
#include "symcache/symcache_layout.h"

#define GROUP_LOOKUPS    16u   /* as many waits as a processor's core keeps open, and some */
#define LEB128_MAX_BYTES 5u

struct lookup_location {
	uint32_t file, line, function, inlined_into;
};

/* One look-up of a group. */
struct seek {
	const struct symcache *cache;
	uint32_t address;
	/* the run of ranges the answer is one of */
	size_t first, count;
	uint32_t location;           /* the next one of the chain to read */
	size_t step_count;
	/* Rows of a power of two bytes would all want the same few lines of the cache. */
	struct lookup_location steps[LIMIT_INLINE_DEPTH + 4];
};

static inline const uint8_t *location_at(const struct symcache *cache, uint32_t index)
{
	return cache->locations + (size_t)index * SYMC_LOCATION_BYTES;
}

static inline const uint8_t *function_at(const struct symcache *cache, uint32_t index)
{
	return cache->functions + (size_t)index * SYMC_FUNCTION_BYTES;
}

static inline const uint8_t *file_at(const struct symcache *cache, uint32_t index)
{
	return cache->files + (size_t)index * symc_file_bytes(cache->version);
}

uint32_t symcache_range_address(const struct symcache *cache, uint32_t index)
{
	return load_u32(cache->ranges + (size_t)index * SYMC_RANGE_BYTES);
}

/* --- Strings ------------------------------------------------------------------------- */

static struct text old_string(const struct symcache *cache, uint32_t ref)
{
	uint32_t left = cache->string_bytes - ref;
	uint32_t size;

	if (left < sizeof(size))
		return TEXT_NONE;
	size = load_u32(cache->strings + ref);
	if (size > left - sizeof(size))
		return TEXT_NONE;
	return (struct text){ (const char *)cache->strings + ref + sizeof(size), size };
}

static struct text long_string(const struct symcache *cache, uint32_t ref)
{
	const uint8_t *at = cache->strings + ref;
	uint32_t left = cache->string_bytes - ref, head = 0, shift = 0;
	uint64_t size = 0;

	if (cache->version == SYMC_OLDEST_VERSION)
		return old_string(cache, ref);
	do {
		if (head == left || head == LEB128_MAX_BYTES)
			return TEXT_NONE;
		size |= (uint64_t)(at[head] & 0x7f) << shift;
		shift += 7;
	} while (at[head++] & 0x80);
	if (size > left - head)
		return TEXT_NONE;
	return (struct text){ (const char *)at + head, (size_t)size };
}

/* TEXT_NONE when there is none, or the reference leads out of the table.  Most names have a
 * length of one byte. */
static inline struct text string_at(const struct symcache *cache, uint32_t ref)
{
	const uint8_t *at = cache->strings + ref;

	if (ref >= cache->string_bytes)
		return TEXT_NONE;
	if (at[0] & 0x80 || cache->version == SYMC_OLDEST_VERSION)
		return long_string(cache, ref);
	if (at[0] >= cache->string_bytes - ref)
		return TEXT_NONE;
	return (struct text){ (const char *)at + 1, at[0] };
}

/* --- The range ----------------------------------------------------------------------- */

/* Looks at nothing but the first range; false: nothing is known there. */
static bool begin_seek(struct seek *seek, const struct symcache *cache, uint64_t address)
{
	if (address > UINT32_MAX || cache->range_count == 0 ||
	    load_u32(cache->ranges) > (uint32_t)address)
		return false;
	seek->cache = cache;
	seek->address = (uint32_t)address;
	seek->first = 0;
	seek->count = cache->range_count;
	seek->step_count = 0;
	return true;
}

/* Leaves one half of the run, the upper one if it starts at or below the address; a run of one
 * stays as it is.  There is no branch, which would be guessed wrong every second time; so
 * that a look-up by itself waits less, both places the next step may look at are asked for. */
static inline void halve(struct seek *seek)
{
	size_t half = seek->count / 2, next = seek->first + (seek->count - half) / 2;
	uint32_t start = load_u32(seek->cache->ranges + (seek->first + half) * SYMC_RANGE_BYTES);

	__builtin_prefetch(seek->cache->ranges + next * SYMC_RANGE_BYTES);
	__builtin_prefetch(seek->cache->ranges + (next + half) * SYMC_RANGE_BYTES);
	seek->first += -(size_t)(start <= seek->address) & half;
	seek->count -= half;
}

/* The last range starting at or below each address, and from it the location; where ranges do
 * not rise, any one of them. */
static void find_ranges(struct seek *seeks, size_t count)
{
	size_t longest = 0;

	for (size_t i = 0; i < count; i++)
		if (seeks[i].count > longest)
			longest = seeks[i].count;
	for (; longest > 1; longest -= longest / 2)
		for (size_t i = 0; i < count; i++)
			halve(&seeks[i]);
	for (size_t i = 0; i < count; i++) {
		const struct symcache *cache = seeks[i].cache;

		seeks[i].location = cache->location_count - cache->range_count +
				    (uint32_t)seeks[i].first;
		__builtin_prefetch(location_at(cache, seeks[i].location));
	}
}

/* --- The chain ----------------------------------------------------------------------- */

static bool is_sentinel(const struct lookup_location *location)
{
	return (location->file & location->line & location->function &
		location->inlined_into) == SYMC_NONE;
}

/* Reads the next location and asks for what it leads to; false at the chain's end. */
static inline bool step(struct seek *seek)
{
	const struct symcache *cache = seek->cache;
	struct lookup_location *location = &seek->steps[seek->step_count];

	memcpy(location, location_at(cache, seek->location), sizeof(*location));
	if (seek->step_count == 0 && is_sentinel(location))
		return false;
	seek->step_count++;
	if (location->file < cache->file_count)
		__builtin_prefetch(file_at(cache, location->file));
	if (location->function < cache->function_count)
		__builtin_prefetch(function_at(cache, location->function));
	if (location->inlined_into >= cache->location_count ||
	    seek->step_count == LIMIT_INLINE_DEPTH)
		return false;
	seek->location = location->inlined_into;
	__builtin_prefetch(location_at(cache, seek->location));
	return true;
}

static void walk_chains(struct seek *seeks, size_t count)
{
	struct seek *open[GROUP_LOOKUPS];
	size_t left = count;

	for (size_t i = 0; i < count; i++)
		open[i] = &seeks[i];
	while (left > 0) {
		size_t kept = 0;

		for (size_t i = 0; i < left; i++) {
			open[kept] = open[i];
			kept += step(open[i]);
		}
		left = kept;
	}
}

/* The first bytes of a name, which hold its length. */
static inline void prefetch_string(const struct symcache *cache, uint32_t ref)
{
	if (ref < cache->string_bytes)
		__builtin_prefetch(cache->strings + ref);
}

static void prefetch_names(const struct seek *seek)
{
	const struct symcache *cache = seek->cache;

	for (size_t i = 0; i < seek->step_count; i++) {
		const struct lookup_location *location = &seek->steps[i];

		if (location->function < cache->function_count)
			prefetch_string(cache, load_u32(function_at(cache, location->function)));
		if (location->file < cache->file_count)
			prefetch_string(cache, load_u32(file_at(cache, location->file) + 8));
	}
}

/* --- Frames -------------------------------------------------------------------------- */

static void resolve_function(const struct symcache *cache, uint32_t index,
			     struct symcache_frame *frame)
{
	const uint8_t *record;
	uint32_t language;

	frame->function = TEXT("?");
	frame->entry = SYMCACHE_NO_ENTRY;
	frame->language = LANGUAGE_UNKNOWN;
	if (index >= cache->function_count)
		return;
	record = function_at(cache, index);
	frame->function = string_at(cache, load_u32(record));
	if (!frame->function.bytes)
		frame->function = TEXT("?");
	else if (!frame->function.size)
		frame->function = TEXT("??");
	frame->entry = load_u32(record + 8);
	language = load_u32(record + 12);
	frame->language = language < LANGUAGES ? language : LANGUAGE_UNKNOWN;
}

static void resolve_file(const struct symcache *cache, uint32_t index,
			 struct symcache_frame *frame)
{
	const uint8_t *record;

	frame->comp_dir = frame->directory = frame->name = TEXT_NONE;
	frame->has_file = index < cache->file_count;
	if (!frame->has_file)
		return;
	record = file_at(cache, index);
	frame->comp_dir = string_at(cache, load_u32(record));
	frame->directory = string_at(cache, load_u32(record + 4));
	frame->name = string_at(cache, load_u32(record + 8));
}

static void resolve_steps(const struct seek *seek, struct symcache_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		frames[i].line = seek->steps[i].line;
		resolve_file(seek->cache, seek->steps[i].file, &frames[i]);
		resolve_function(seek->cache, seek->steps[i].function, &frames[i]);
	}
}

/* --- Look-ups ------------------------------------------------------------------------ */

static void run_seeks(struct seek *seeks, size_t count)
{
	find_ranges(seeks, count);
	walk_chains(seeks, count);
	for (size_t i = 0; i < count; i++)
		prefetch_names(&seeks[i]);
}

/* As symcache_lookup_many(), for at most GROUP_LOOKUPS; *used grows by the frames made. */
static size_t lookup_group(struct symcache_query *queries, size_t query_count,
			   struct symcache_frame *frames, size_t capacity, size_t *used)
{
	struct seek seeks[GROUP_LOOKUPS];
	size_t place[GROUP_LOOKUPS], count = 0;

	for (size_t i = 0; i < query_count; i++) {
		place[i] = count;
		count += begin_seek(&seeks[count], queries[i].cache, queries[i].address);
		place[i] = count > place[i] ? place[i] : GROUP_LOOKUPS;
	}
	run_seeks(seeks, count);
	for (size_t i = 0; i < query_count; i++) {
		size_t steps = place[i] < GROUP_LOOKUPS ? seeks[place[i]].step_count : 0;

		if (steps > capacity - *used)
			return i;
		queries[i].first = *used;
		queries[i].count = steps;
		if (steps > 0)
			resolve_steps(&seeks[place[i]], frames + *used, steps);
		*used += steps;
	}
	return query_count;
}

size_t symcache_lookup_many(struct symcache_query *queries, size_t query_count,
			    struct symcache_frame *frames, size_t capacity)
{
	size_t done = 0, used = 0;

	while (done < query_count) {
		size_t left = query_count - done;
		size_t asked = left < GROUP_LOOKUPS ? left : GROUP_LOOKUPS;
		size_t answered = lookup_group(queries + done, asked, frames, capacity, &used);

		done += answered;
		if (answered < asked)
			break;
	}
	return done;
}

size_t symcache_lookup(const struct symcache *cache, uint64_t address,
		       struct symcache_frame *frames, size_t capacity)
{
	struct seek seek;
	size_t count;

	if (!begin_seek(&seek, cache, address))
		return 0;
	run_seeks(&seek, 1);
	count = seek.step_count < capacity ? seek.step_count : capacity;
	resolve_steps(&seek, frames, count);
	return count;
}
