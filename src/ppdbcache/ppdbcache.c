/*
 * ppdbcache.c -- opening a lookup file for managed code and searching it in place.
 *
 * Opening proves that the sections lie inside the bytes; after that a record is safe to read
 * when its index is below its section's count.
 */
#include "ppdbcache/ppdbcache.h"

#include "base/arch.h"
#include "base/err.h"
#include "base/load.h"
#include "base/reader.h"
#include "base/search.h"
#include "ppdbcache/ppdbcache_layout.h"

static int check_preamble(struct reader *reader, struct err *err)
{
	uint32_t magic = reader_u32(reader), version = reader_u32(reader);

	if (reader_check(reader, err) < 0)
		return -1;
	if (magic == PDBC_MAGIC_SWAPPED)
		return err_set(err, ERR_MALFORMED, "ppdb cache has the wrong endianness");
	if (magic != PDBC_MAGIC)
		return err_set(err, ERR_MALFORMED, "not a ppdb cache: it starts with 0x%08x",
			       (unsigned)magic);
	if (version != PDBC_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "ppdb cache version %u, we read %u",
			       (unsigned)version, PDBC_VERSION);
	return 0;
}

/* The next section; an empty one may lie past the end, so that its padding may be missing. */
static const uint8_t *take_section(struct reader *reader, uint32_t count, size_t record_bytes)
{
	if (count == 0)
		return reader->bytes;
	reader_seek(reader, pdbc_aligned(reader->pos));
	return reader_take(reader, (uint64_t)count * record_bytes);
}

int ppdbcache_open(struct ppdbcache *cache, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("ppdb cache", bytes, size);
	const uint8_t *id;

	*cache = (struct ppdbcache){ .bytes = bytes, .size = size };
	if (check_preamble(&reader, err) < 0)
		return -1;
	id = reader_take(&reader, DEBUGID_RECORD_BYTES);
	if (id)
		cache->debug_id = debugid_load(id);
	cache->file_count = reader_u32(&reader);
	cache->range_count = reader_u32(&reader);
	cache->string_bytes = reader_u32(&reader);
	reader_skip(&reader, PDBC_HEAD_RESERVED);
	cache->files = take_section(&reader, cache->file_count, PDBC_FILE_BYTES);
	cache->locations = take_section(&reader, cache->range_count, PDBC_LOCATION_BYTES);
	cache->ranges = take_section(&reader, cache->range_count, PDBC_RANGE_BYTES);
	cache->strings = take_section(&reader, cache->string_bytes, 1);
	return reader_check(&reader, err);
}

/* TEXT_NONE when the reference leads out of the table. */
static struct text string_at(const struct ppdbcache *cache, uint32_t ref)
{
	struct reader reader = reader_over("strings", cache->strings, cache->string_bytes);
	uint64_t size;
	const uint8_t *bytes;

	reader_seek(&reader, ref);
	size = reader_uleb128(&reader);
	bytes = reader_take(&reader, size);
	return bytes ? (struct text){ (const char *)bytes, (size_t)size } : TEXT_NONE;
}

void ppdbcache_range(const struct ppdbcache *cache, uint32_t index, uint32_t *method,
		     uint32_t *offset, struct ppdbcache_place *place)
{
	const uint8_t *range = cache->ranges + (size_t)index * PDBC_RANGE_BYTES;
	const uint8_t *location = cache->locations + (size_t)index * PDBC_LOCATION_BYTES;
	uint32_t file = load_u32(location + 4), language;

	*method = load_u32(range);
	*offset = load_u32(range + 4);
	*place = (struct ppdbcache_place){ .file = TEXT_NONE, .line = load_u32(location) };
	if (file >= cache->file_count)
		return;
	place->file = string_at(cache, load_u32(cache->files + (size_t)file * PDBC_FILE_BYTES));
	language = load_u32(cache->files + (size_t)file * PDBC_FILE_BYTES + 4);
	place->language = language < LANGUAGES ? language : LANGUAGE_UNKNOWN;
}

/* Does it begin at or before the place? */
static bool begins_before(const uint8_t *range, uint32_t method, uint32_t offset)
{
	uint32_t here = load_u32(range);

	return here < method || (here == method && load_u32(range + 4) <= offset);
}

/* How many ranges begin at or before the place. */
static uint32_t count_before(const struct ppdbcache *cache, uint32_t method, uint32_t offset)
{
	uint32_t at;

	SEARCH_PARTITION_POINT(at, 0, cache->range_count,
			       begins_before(cache->ranges + (size_t)at * PDBC_RANGE_BYTES, method,
					     offset));
	return at;
}

bool ppdbcache_lookup(const struct ppdbcache *cache, uint32_t method, uint32_t offset,
		      struct ppdbcache_place *place)
{
	uint32_t count = count_before(cache, method, offset);
	uint32_t found_method, found_offset;

	if (count == 0)
		return false;
	ppdbcache_range(cache, count - 1, &found_method, &found_offset, place);
	return found_method == method;
}
