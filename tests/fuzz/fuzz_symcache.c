/* fuzz_symcache.c -- opens a lookup file, searches it and lists it. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "symcache/symcache.h"

#define DUMP_CEILING_BYTES ((size_t)1 << 20)
#define ADDRESSES          86u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile uint64_t total;

static uint64_t sum_of(struct text text)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

static void take_frames(const struct symcache_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		total += sum_of(frames[i].function) + sum_of(frames[i].comp_dir) +
			 sum_of(frames[i].directory) + sum_of(frames[i].name);
}

/* Each address by itself and all together; the chains must be equally long. */
static void look_up(const struct symcache *cache)
{
	static struct symcache_frame together[ADDRESSES * LIMIT_INLINE_DEPTH];
	struct symcache_frame frames[LIMIT_INLINE_DEPTH];
	struct symcache_query queries[ADDRESSES];

	for (uint64_t i = 0; i < ADDRESSES; i++)
		queries[i] = (struct symcache_query){ .cache = cache, .address = i * 3 };
	if (symcache_lookup_many(queries, ADDRESSES, together,
				 ADDRESSES * LIMIT_INLINE_DEPTH) != ADDRESSES)
		abort();
	for (size_t i = 0; i < ADDRESSES; i++) {
		size_t count = symcache_lookup(cache, i * 3, frames, LIMIT_INLINE_DEPTH);

		if (count > LIMIT_INLINE_DEPTH || count != queries[i].count)
			abort();
		take_frames(frames, count);
		take_frames(together + queries[i].first, count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf out;

	if (symcache_open(&cache, bytes, size, &err) < 0)
		return 0;
	look_up(&cache);
	buf_init(&out, DUMP_CEILING_BYTES);
	if (symcache_dump(&cache, &out, &err) < 0 && err.kind != ERR_LIMIT)
		abort();
	buf_release(&out);
	return 0;
}
