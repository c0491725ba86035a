/*
 * bench_lookup -- random look-ups in a symcache, one thread.
 *
 *	bench_lookup FILE [COUNT [ROUNDS]]
 *
 * Addresses are spread evenly from the first range to the last and are made beforehand.
 * Prints look-ups per second of processor time: many asked together with pointers to names
 * only; with every byte of the function's, the directories' and the file's names read; and as
 * answers need them, with each frame's whole path built and its function's name read.  Then the
 * first and the last of these one by one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache.h"

#define DEFAULT_COUNT  1000000u
#define DEFAULT_ROUNDS 5u
#define TOGETHER       64u
#define PATH_BYTES     ((size_t)64 << 10)

enum reading { POINTERS, NAMES, ANSWERS };

static const char *const readings[] = {
	[POINTERS] = "names pointed", [NAMES] = "names read", [ANSWERS] = "paths built",
};

struct tally {
	uint64_t found, frames, sum;
};

static uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* xorshift: the same addresses in every run. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint32_t *make_addresses(const struct symcache *cache, size_t count)
{
	uint32_t first = load_u32(cache->ranges);
	uint32_t last = load_u32(cache->ranges + ((size_t)cache->range_count - 1) * 4);
	uint64_t state = UINT64_C(88172645463325252);
	uint32_t *addresses = mem_get_array(count, sizeof(*addresses));

	for (size_t i = 0; addresses && i < count; i++)
		addresses[i] = first + (uint32_t)(next_random(&state) %
						  ((uint64_t)last - first + 1));
	return addresses;
}

static uint64_t sum_of(struct text text)
{
	uint64_t sum = 0;

	/* Eight at a time: to add them up shall not take longer than to read them. */
	while (text.size >= sizeof(sum)) {
		uint64_t word;

		memcpy(&word, text.bytes, sizeof(word));
		sum += word;
		text.bytes += sizeof(word);
		text.size -= sizeof(word);
	}
	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

static void tally_frames(struct tally *tally, const struct symcache_frame *frames, size_t count,
			 enum reading reading, struct buf *path)
{
	tally->found += count > 0;
	tally->frames += count;
	for (size_t i = 0; i < count; i++) {
		tally->sum += frames[i].line + frames[i].function.size + frames[i].name.size;
		if (reading == ANSWERS) {
			buf_clear(path);
			symcache_frame_path(&frames[i], path);
			tally->sum += sum_of(frames[i].function) + sum_of(buf_text(path));
		}
		if (reading == NAMES)
			tally->sum += sum_of(frames[i].function) + sum_of(frames[i].comp_dir) +
				      sum_of(frames[i].directory) + sum_of(frames[i].name);
	}
}

/* One after the other, or together as the service and `symgate lookup` do it. */
static void look_up(const struct symcache *cache, const uint32_t *addresses, size_t count,
		    bool together, enum reading reading, struct tally *tally)
{
	struct buf path;
	static struct symcache_frame frames[TOGETHER * LIMIT_INLINE_DEPTH];
	struct symcache_query queries[TOGETHER];

	buf_init(&path, PATH_BYTES);
	for (size_t i = 0; i < count; ) {
		size_t asked = together && count - i >= TOGETHER ? TOGETHER : 1;

		if (asked == 1) {
			tally_frames(tally, frames, symcache_lookup(cache, addresses[i++], frames,
								    LIMIT_INLINE_DEPTH), reading, &path);
			continue;
		}
		for (size_t k = 0; k < asked; k++)
			queries[k] = (struct symcache_query){ .cache = cache,
							      .address = addresses[i + k] };
		asked = symcache_lookup_many(queries, asked, frames,
					     TOGETHER * LIMIT_INLINE_DEPTH);
		for (size_t k = 0; k < asked; k++)
			tally_frames(tally, frames + queries[k].first, queries[k].count,
				     reading, &path);
		i += asked;
	}
	buf_release(&path);
}

static void run(const struct symcache *cache, const uint32_t *addresses, size_t count,
		bool together, enum reading reading)
{
	struct tally tally = { 0 };
	clock_t before = clock();
	double seconds;

	look_up(cache, addresses, count, together, reading, &tally);
	seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
	printf("%-12s %-14s %10.3f M/s  (%" PRIu64 " of %zu known, %.2f frames each, sum %"
	       PRIx64 ")\n", together ? "together" : "one by one",
	       readings[reading], (double)count / seconds / 1e6,
	       tally.found, count,
	       tally.found ? (double)tally.frames / (double)tally.found : 0.0, tally.sum);
}

int main(int argc, char **argv)
{
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : DEFAULT_COUNT;
	size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : DEFAULT_ROUNDS;
	struct symcache cache;
	struct file_map map;
	struct err err = ERR_INIT;
	uint32_t *addresses;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_lookup FILE [COUNT [ROUNDS]]\n");
		return 2;
	}
	if (file_map_path(&map, argv[1], &err) < 0 ||
	    symcache_open(&cache, map.bytes, map.size, &err) < 0) {
		fprintf(stderr, "bench_lookup: %s\n", err.text);
		return 1;
	}
	printf("%u ranges, %u locations, %u functions, %zu bytes\n", (unsigned)cache.range_count,
	       (unsigned)cache.location_count, (unsigned)cache.function_count, cache.size);
	addresses = cache.range_count ? make_addresses(&cache, count) : NULL;
	if (!addresses) {
		fprintf(stderr, "bench_lookup: no ranges, or no memory\n");
		return 1;
	}
	for (size_t i = 0; i < rounds; i++) {
		run(&cache, addresses, count, true, POINTERS);
		run(&cache, addresses, count, true, NAMES);
		run(&cache, addresses, count, true, ANSWERS);
		run(&cache, addresses, count, false, POINTERS);
		run(&cache, addresses, count, false, ANSWERS);
	}
	mem_give_back(addresses);
	file_unmap(&map);
	return 0;
}
