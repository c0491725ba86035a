/* fuzz_symcache.c -- opens a lookup file, searches it and lists it. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "symcache/symcache.h"

#define DUMP_CEILING_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile uint64_t total;

static uint64_t sum_of(struct text text)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct symcache_frame frames[LIMIT_INLINE_DEPTH];
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf out;

	if (symcache_open(&cache, bytes, size, &err) < 0)
		return 0;
	for (uint64_t address = 0; address < 0x100; address += 3) {
		size_t count = symcache_lookup(&cache, address, frames, LIMIT_INLINE_DEPTH);

		if (count > LIMIT_INLINE_DEPTH)
			abort();
		for (size_t i = 0; i < count; i++)
			total += sum_of(frames[i].function) + sum_of(frames[i].comp_dir) +
				 sum_of(frames[i].directory) + sum_of(frames[i].name);
	}
	buf_init(&out, DUMP_CEILING_BYTES);
	if (symcache_dump(&cache, &out, &err) < 0 && err.kind != ERR_LIMIT)
		abort();
	buf_release(&out);
	return 0;
}
