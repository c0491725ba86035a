/*
 * sourcecache.c -- opening a source cache and searching it in place.
 *
 * Opening proves that the sections lie inside the bytes; what a record refers to is checked
 * when it is used.
 */
#include "sourcecache/sourcecache.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/line_starts.h"
#include "base/load.h"
#include "base/reader.h"
#include "base/search.h"
#include "sourcecache/sourcecache_layout.h"

static void read_header(struct sourcecache *cache, struct reader *reader, uint64_t *files_at)
{
	const uint8_t *id = reader_take(reader, DEBUGID_RECORD_BYTES);
	uint32_t flags = reader_u32(reader);

	if (id)
		cache->debug_id = debugid_load(id);
	cache->slashes_are_one = flags & SRCC_SLASHES_ARE_ONE;
	cache->links_any_path = flags & SRCC_LINKS_ANY_PATH;
	cache->file_count = reader_u32(reader);
	cache->link_count = reader_u32(reader);
	reader_skip(reader, 4);
	*files_at = reader_u64(reader);
	cache->string_bytes = reader_u64(reader);
	reader_skip(reader, 8);
}

int sourcecache_open(struct sourcecache *cache, const void *bytes, size_t size, struct err *err)
{
	struct reader reader = reader_over("source cache", bytes, size);
	uint32_t magic = reader_u32(&reader), version = reader_u32(&reader);
	uint64_t files_at;

	*cache = (struct sourcecache){ .bytes = bytes, .size = size };
	if (reader_check(&reader, err) < 0)
		return -1;
	if (magic != SRCC_MAGIC)
		return err_set(err, ERR_MALFORMED, "not a source cache: it starts with 0x%08x",
			       (unsigned)magic);
	if (version != SRCC_VERSION)
		return err_set(err, ERR_UNSUPPORTED, "source cache version %u, we read %u",
			       (unsigned)version, SRCC_VERSION);
	read_header(cache, &reader, &files_at);
	reader_seek(&reader, files_at);
	cache->files = reader_take(&reader, (uint64_t)cache->file_count * SRCC_FILE_BYTES);
	cache->links = reader_take(&reader, (uint64_t)cache->link_count * SRCC_LINK_BYTES);
	cache->strings = reader_take(&reader, cache->string_bytes);
	return reader_check(&reader, err);
}

/* TEXT_NONE when the reference leads out of the table. */
static struct text string_at(const struct sourcecache *cache, const uint8_t *reference)
{
	uint32_t at = load_u32(reference), size = load_u32(reference + 4);

	if (at > cache->string_bytes || size > cache->string_bytes - at)
		return TEXT_NONE;
	return (struct text){ (const char *)cache->strings + at, size };
}

/* --- Links ------------------------------------------------------------------------------- */

static bool starts_with_ignoring_case(struct text path, struct text lower)
{
	if (path.size < lower.size)
		return false;
	for (size_t i = 0; i < lower.size; i++)
		if (ascii_lower(path.bytes[i]) != lower.bytes[i])
			return false;
	return true;
}

/* Exact patterns stand first, then prefixes, the longest before others: the first one counts. */
static uint32_t find_link(const struct sourcecache *cache, struct text path)
{
	for (uint32_t i = 0; i < cache->link_count; i++) {
		const uint8_t *link = cache->links + (size_t)i * SRCC_LINK_BYTES;
		struct text pattern = string_at(cache, link);
		bool is_prefix = load_u32(link + 16) != 0;

		if (pattern.bytes && (is_prefix || path.size == pattern.size) &&
		    starts_with_ignoring_case(path, pattern))
			return i;
	}
	return SOURCECACHE_NO_LINK;
}

/* The rest of the path, with '/', in place of every '*'. */
static void add_expanded(struct text url, struct text rest, struct buf *out)
{
	for (size_t i = 0; i < url.size && out->size <= LIMIT_URL_BYTES; i++) {
		if (url.bytes[i] != '*') {
			buf_add_char(out, url.bytes[i]);
			continue;
		}
		for (size_t j = 0; j < rest.size && out->size <= LIMIT_URL_BYTES; j++)
			buf_add_char(out, rest.bytes[j] == '\\' ? '/' : rest.bytes[j]);
	}
}

void sourcecache_url(const struct sourcecache *cache, const struct sourcecache_source *source,
		     struct text path, struct buf *url)
{
	size_t before = url->size;

	if (source->link < cache->link_count) {
		const uint8_t *link = cache->links + (size_t)source->link * SRCC_LINK_BYTES;
		struct text pattern = string_at(cache, link), target = string_at(cache, link + 8);

		if (pattern.bytes && pattern.size <= path.size)
			add_expanded(target, (struct text){ path.bytes + pattern.size,
							    path.size - pattern.size }, url);
	} else if (source->url.size <= LIMIT_URL_BYTES) {
		buf_add_text(url, source->url);
	}
	if (url->size - before > LIMIT_URL_BYTES)
		url->size = before;
}

/* --- Files ------------------------------------------------------------------------------- */

static inline char plain(const struct sourcecache *cache, char c)
{
	return c == '\\' && cache->slashes_are_one ? '/' : c;
}

static int compare_path(const struct sourcecache *cache, struct text path, struct text stored)
{
	size_t common = path.size < stored.size ? path.size : stored.size;

	for (size_t i = 0; i < common; i++) {
		int order = (unsigned char)plain(cache, path.bytes[i]) -
			    (unsigned char)stored.bytes[i];

		if (order)
			return order;
	}
	return (path.size > stored.size) - (path.size < stored.size);
}

static const uint8_t *file_at(const struct sourcecache *cache, uint32_t index)
{
	return cache->files + (size_t)index * SRCC_FILE_BYTES;
}

static struct text path_at(const struct sourcecache *cache, uint32_t index)
{
	return string_at(cache, file_at(cache, index));
}

static const uint8_t *find_file(const struct sourcecache *cache, struct text path)
{
	uint32_t at;
	int order;

	SEARCH_PARTITION_POINT(at, 0, cache->file_count,
			       compare_path(cache, path, path_at(cache, at)) > 0);
	order = at < cache->file_count ? compare_path(cache, path, path_at(cache, at)) : -1;
	return order == 0 ? file_at(cache, at) : NULL;
}

/* Contents and line starts, when both lie inside the file. */
static void read_contents(const struct sourcecache *cache, const uint8_t *file,
			  struct sourcecache_source *source)
{
	uint64_t at = load_u64(file + 16);
	uint32_t size = load_u32(file + 24), lines = load_u32(file + 28);
	struct reader reader = reader_over("contents", cache->bytes, cache->size);
	const uint8_t *bytes, *starts;

	reader_seek(&reader, at);
	bytes = reader_take(&reader, size);
	reader_seek(&reader, srcc_aligned(reader.pos, SRCC_LINE_BYTES));
	starts = reader_take(&reader, (uint64_t)lines * SRCC_LINE_BYTES);
	if (reader.failed)
		return;
	source->contents = (struct text){ (const char *)bytes, size };
	source->line_starts = starts;
	source->line_count = lines;
}

bool sourcecache_find(const struct sourcecache *cache, struct text path,
		      struct sourcecache_source *source)
{
	const uint8_t *file = find_file(cache, path);
	uint32_t state;

	*source = (struct sourcecache_source){ .link = SOURCECACHE_NO_LINK };
	if (!file) {
		if (cache->links_any_path)
			source->link = find_link(cache, path);
		return source->link != SOURCECACHE_NO_LINK;
	}
	source->url = string_at(cache, file + 8);
	state = load_u32(file + 32);
	source->is_inside = state != SRCC_LINKED;
	if (state == SRCC_INSIDE)
		read_contents(cache, file, source);
	else if (state == SRCC_LINKED && !source->url.size)
		source->link = find_link(cache, path);
	return true;
}

/* A carriage return is no part of a line's end where no line feed follows it. */
bool sourcecache_line(const struct sourcecache_source *source, uint32_t number, struct text *line)
{
	const struct line_starts lines = { source->contents, source->line_starts, source->line_count };

	if (number < 1 || !line_starts_slice(&lines, number - 1, line))
		return false;
	if (line->size && line->bytes[line->size - 1] == '\n') {
		line->size--;
		if (line->size && line->bytes[line->size - 1] == '\r')
			line->size--;
	}
	return true;
}
