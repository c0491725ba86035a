/* fuzz_sources.c -- opens a source cache or a ppdb cache and asks it everything. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "ppdbcache/ppdbcache.h"
#include "sourcecache/sourcecache.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile uint64_t total;

static void see(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		total += (unsigned char)text.bytes[i];
}

static void see_source(const struct sourcecache *cache, struct text path)
{
	struct sourcecache_source source;
	struct text line;
	struct buf url;

	if (!sourcecache_find(cache, path, &source))
		return;
	see(source.contents);
	for (uint32_t number = 0; number < 12; number++)
		if (sourcecache_line(&source, number, &line))
			see(line);
	if (sourcecache_line(&source, source.line_count, &line))
		see(line);
	buf_init(&url, 4 * LIMIT_URL_BYTES);
	sourcecache_url(cache, &source, path, &url);
	if (url.failed || url.size > LIMIT_URL_BYTES)
		abort();
	see(buf_text(&url));
	buf_release(&url);
}

static void see_places(const struct ppdbcache *cache)
{
	struct ppdbcache_place place;
	uint32_t method, offset;

	for (uint32_t i = 0; i < cache->range_count && i < 64; i++) {
		ppdbcache_range(cache, i, &method, &offset, &place);
		see(place.file);
		if (ppdbcache_lookup(cache, method, offset, &place))
			see(place.file);
	}
	for (method = 0; method < 8; method++)
		if (ppdbcache_lookup(cache, method, method * 3, &place))
			see(place.file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const paths[] = { "", "/src/b.c", "C:\\src\\a.c", "C:/SRC/z", "x" };
	struct sourcecache sources;
	struct ppdbcache places;
	struct err err = ERR_INIT;

	if (sourcecache_open(&sources, bytes, size, &err) == 0)
		for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
			see_source(&sources, text_of(paths[i]));
	err_clear(&err);
	if (ppdbcache_open(&places, bytes, size, &err) == 0)
		see_places(&places);
	return 0;
}
