/*
 * symcache.c -- opening a lookup file and searching it in place.
 *
 * Opening proves that the sections lie inside the bytes; after that a record is safe to
 * read when its index is below its section's count, so the search goes without a reader.
 */
#include "symcache/symcache.h"

#include "base/arch.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/reader.h"
#include "symcache/layout.h"

#define LOOKUP_LAST_RANGES    16u           /* their locations are fetched early */
#define LOOKUP_LINE_LOCATIONS 4u            /* locations in one line of the processor's cache */
#define LOOKUP_LINE_RANGES    16u           /* and ranges */
#define LOOKUP_GUESS_RANGES   1024u         /* among so many the place is guessed */
#define LOOKUP_GUESS_MISS     32u           /* and seldom farther away than this */
#define LEB128_MAX_BYTES      5u

struct location {
	uint32_t file, line, function, inlined_into;
};

static inline uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline struct location load_location(const struct symcache *cache, uint32_t index)
{
	struct location location;

	memcpy(&location, cache->locations + (size_t)index * SYMC_LOCATION_BYTES,
	       sizeof(location));
	return location;
}

/* --- Opening ------------------------------------------------------------------------- */

static size_t file_record_bytes(const struct symcache *cache)
{
	return cache->version < SYMC_VERSION ? SYMC_OLD_FILE_BYTES : SYMC_FILE_BYTES;
}

static int check_preamble(struct symcache *cache, struct reader *reader, struct err *err)
{
	uint32_t magic = reader_u32(reader);

	cache->version = reader_u32(reader);
	if (reader_check(reader, err) < 0)
		return -1;
	if (magic == SYMC_MAGIC_SWAPPED)
		return err_set(err, ERR_MALFORMED, "symcache has the wrong endianness");
	if (magic != SYMC_MAGIC)
		return err_set(err, ERR_MALFORMED, "not a symcache: it starts with 0x%08x",
			       (unsigned)magic);
	if (cache->version < SYMC_OLDEST_VERSION || cache->version > SYMC_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "symcache version %u, we read %u to %u",
			       (unsigned)cache->version, SYMC_OLDEST_VERSION, SYMC_VERSION);
	return 0;
}

static void read_header(struct symcache *cache, struct reader *reader)
{
	const uint8_t *id = reader_take(reader, DEBUGID_RECORD_BYTES);

	if (id)
		cache->debug_id = debugid_load(id);
	cache->arch = arch_modern_code(reader_u32(reader));
	cache->file_count = reader_u32(reader);
	cache->function_count = reader_u32(reader);
	cache->location_count = reader_u32(reader);
	cache->range_count = reader_u32(reader);
	cache->string_bytes = reader_u32(reader);
	reader_skip(reader, SYMC_HEAD_RESERVED);
}

/* The next section; an empty one may lie past the end, so that its padding may be missing. */
static const uint8_t *take_section(struct reader *reader, uint32_t count, size_t record_bytes)
{
	if (count == 0)
		return reader->bytes;
	reader_seek(reader, symc_aligned(reader->pos));
	return reader_take(reader, (uint64_t)count * record_bytes);
}

int symcache_open(struct symcache *cache, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("symcache", bytes, size);

	*cache = (struct symcache){ .bytes = bytes, .size = size };
	if (check_preamble(cache, &reader, err) < 0)
		return -1;
	read_header(cache, &reader);
	cache->files = take_section(&reader, cache->file_count, file_record_bytes(cache));
	cache->functions = take_section(&reader, cache->function_count, SYMC_FUNCTION_BYTES);
	cache->locations = take_section(&reader, cache->location_count, SYMC_LOCATION_BYTES);
	cache->ranges = take_section(&reader, cache->range_count, SYMC_RANGE_BYTES);
	cache->strings = take_section(&reader, cache->string_bytes, 1);
	if (reader_check(&reader, err) < 0)
		return -1;
	if (cache->location_count < cache->range_count)
		return err_set(err, ERR_MALFORMED,
			       "symcache has %u ranges but only %u source locations",
			       (unsigned)cache->range_count, (unsigned)cache->location_count);
	return 0;
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

/* --- Searching ----------------------------------------------------------------------- */

static inline uint32_t range_at(const struct symcache *cache, size_t index)
{
	return load_u32(cache->ranges + index * SYMC_RANGE_BYTES);
}

/* A run of ranges the answer is one of; the first of them starts at or below the address. */
struct run {
	size_t first, count;
};

static inline struct run halve(const struct symcache *cache, struct run run, uint32_t address)
{
	size_t half = run.count / 2;
	size_t up = -(size_t)(range_at(cache, run.first + half) <= address) & half;

	return (struct run){ run.first + up, run.count - half };
}

static inline void prefetch_location(const struct symcache *cache, size_t range)
{
	size_t index = (size_t)cache->location_count - cache->range_count + range;

	__builtin_prefetch(cache->locations + index * SYMC_LOCATION_BYTES);
}

/*
 * The run around the place where the address would be if the ranges of this run were all of
 * one length.  That is seldom far off, and saves waiting for memory five times.  The ranges
 * of a hostile file need not rise: then the answer is any one of the run.
 */
static struct run guess_run(const struct symcache *cache, struct run run, uint32_t address)
{
	size_t behind = run.first + run.count, low, high;
	uint32_t from = range_at(cache, run.first), to;

	if (behind >= cache->range_count)
		behind = cache->range_count - 1;
	to = range_at(cache, behind);
	if (from > address || address >= to)
		return run;
	low = run.first + (size_t)((uint64_t)(address - from) * (behind - run.first) /
				   (to - from));
	prefetch_location(cache, low);
	high = low + LOOKUP_GUESS_MISS < behind ? low + LOOKUP_GUESS_MISS : behind;
	low = low > run.first + LOOKUP_GUESS_MISS ? low - LOOKUP_GUESS_MISS : run.first;
	for (size_t i = low; i < high; i += LOOKUP_LINE_RANGES)
		__builtin_prefetch(cache->ranges + i * SYMC_RANGE_BYTES);
	if (range_at(cache, low) > address)
		return (struct run){ run.first, low - run.first };
	if (range_at(cache, high) <= address)
		return (struct run){ high, run.first + run.count - high };
	return (struct run){ low, high - low };
}

/*
 * The last range starting at or below the address; the caller has seen that the first does.
 * What the first halves look at stays in the processor's caches.  Behind them both places a
 * step may look at next are asked for early, and so are the locations of the last few ranges
 * in question: the waiting for memory is most of a look-up.
 */
static size_t find_range(const struct symcache *cache, uint32_t address)
{
	struct run run = { 0, cache->range_count };

	while (run.count > LOOKUP_GUESS_RANGES)
		run = halve(cache, run, address);
	if (run.count > 2 * LOOKUP_GUESS_MISS)
		run = guess_run(cache, run, address);
	while (run.count > LOOKUP_LAST_RANGES) {
		size_t half = run.count / 2, next = run.first + (run.count - half) / 2;

		__builtin_prefetch(cache->ranges + next * SYMC_RANGE_BYTES);
		__builtin_prefetch(cache->ranges + (next + half) * SYMC_RANGE_BYTES);
		run = halve(cache, run, address);
	}
	for (size_t i = 0; i < run.count; i += LOOKUP_LINE_LOCATIONS)
		prefetch_location(cache, run.first + i);
	while (run.count > 1)
		run = halve(cache, run, address);
	return run.first;
}

static bool is_sentinel(const struct location *location)
{
	return (location->file & location->line & location->function &
		location->inlined_into) == SYMC_NONE;
}

/* Asks for the first bytes of a function's name, which hold its length. */
static inline void prefetch_name(const struct symcache *cache, uint32_t function)
{
	uint32_t ref;

	if (function >= cache->function_count)
		return;
	ref = load_u32(cache->functions + (size_t)function * SYMC_FUNCTION_BYTES);
	if (ref < cache->string_bytes)
		__builtin_prefetch(cache->strings + ref);
}

/* First step over the chain: notes file and function numbers in the frames and asks the
 * processor for what they lead to, which is read in a second step.  The caller's location is
 * asked for before the name is looked for: they are far apart in the file. */
static size_t collect_chain(const struct symcache *cache, struct location location,
			    struct symcache_frame *frames, size_t room)
{
	size_t count = 0;

	while (count < room) {
		struct symcache_frame *frame = &frames[count++];
		bool inlined = location.inlined_into < cache->location_count;

		frame->entry = location.function;
		frame->language = location.file;
		frame->line = location.line;
		if (inlined)
			__builtin_prefetch(cache->locations + (size_t)location.inlined_into *
								      SYMC_LOCATION_BYTES);
		if (location.file < cache->file_count)
			__builtin_prefetch(cache->files +
					   (size_t)location.file * file_record_bytes(cache));
		prefetch_name(cache, location.function);
		if (!inlined)
			break;
		location = load_location(cache, location.inlined_into);
	}
	return count;
}

static void resolve_function(const struct symcache *cache, struct symcache_frame *frame)
{
	uint32_t index = frame->entry, language;
	const uint8_t *record;

	frame->function = TEXT("?");
	frame->entry = SYMCACHE_NO_ENTRY;
	frame->language = LANGUAGE_UNKNOWN;
	if (index >= cache->function_count)
		return;
	record = cache->functions + (size_t)index * SYMC_FUNCTION_BYTES;
	frame->function = string_at(cache, load_u32(record));
	if (!frame->function.bytes)
		frame->function = TEXT("?");
	frame->entry = load_u32(record + 8);
	language = load_u32(record + 12);
	frame->language = language < LANGUAGES ? language : LANGUAGE_UNKNOWN;
}

static void resolve_file(const struct symcache *cache, struct symcache_frame *frame)
{
	uint32_t index = frame->language;
	const uint8_t *record;

	frame->comp_dir = frame->directory = frame->name = TEXT_NONE;
	frame->has_file = index < cache->file_count;
	if (!frame->has_file)
		return;
	record = cache->files + (size_t)index * file_record_bytes(cache);
	frame->comp_dir = string_at(cache, load_u32(record));
	frame->directory = string_at(cache, load_u32(record + 4));
	frame->name = string_at(cache, load_u32(record + 8));
}

size_t symcache_lookup(const struct symcache *cache, uint64_t address,
		       struct symcache_frame *frames, size_t room)
{
	struct location location;
	size_t range, count;

	if (address > UINT32_MAX || cache->range_count == 0 ||
	    load_u32(cache->ranges) > (uint32_t)address)
		return 0;
	range = find_range(cache, (uint32_t)address);
	location = load_location(cache, (uint32_t)(cache->location_count - cache->range_count +
						   range));
	if (is_sentinel(&location))
		return 0;
	count = collect_chain(cache, location, frames,
			      room < LIMIT_INLINE_DEPTH ? room : LIMIT_INLINE_DEPTH);
	for (size_t i = 0; i < count; i++) {
		resolve_file(cache, &frames[i]);
		resolve_function(cache, &frames[i]);
	}
	return count;
}

uint32_t symcache_range_address(const struct symcache *cache, uint32_t index)
{
	return load_u32(cache->ranges + (size_t)index * SYMC_RANGE_BYTES);
}
