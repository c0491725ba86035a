/*
 * symcache.c -- opening a lookup file.
 *
 * Opening proves that the sections lie inside the bytes; after that a record is safe to
 * read when its index is below its section's count, so the search goes without a reader.
 */
#include "symcache/symcache.h"

#include "base/arch.h"
#include "base/err.h"
#include "base/reader.h"
#include "symcache/symcache_layout.h"

/* --- Opening ------------------------------------------------------------------------- */

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
	cache->files = take_section(&reader, cache->file_count,
				    symc_file_bytes(cache->version));
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
