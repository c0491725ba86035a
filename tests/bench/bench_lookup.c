/*
 * bench_lookup -- random look-ups in a symcache, one thread.
 *
 *	bench_lookup FILE [COUNT [ROUNDS]]
 *
 * Addresses are spread evenly from the first range to the last and are made beforehand.
 * Prints look-ups per second of processor time: many asked together with pointers to names
 * only, and with every byte of the function's, the directories' and the file's names read;
 * one by one with pointers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache.h"

#define DEFAULT_COUNT  1000000u
#define DEFAULT_ROUNDS 5u
#define TOGETHER       64u

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

	for (size_t i = 0; i < text.size; i++)
		sum += (unsigned char)text.bytes[i];
	return sum;
}

static void tally_frames(struct tally *tally, const struct symcache_frame *frames, size_t count,
			 bool read_names)
{
	tally->found += count > 0;
	tally->frames += count;
	for (size_t i = 0; i < count; i++) {
		tally->sum += frames[i].line + frames[i].function.size + frames[i].name.size;
		if (read_names)
			tally->sum += sum_of(frames[i].function) + sum_of(frames[i].comp_dir) +
				      sum_of(frames[i].directory) + sum_of(frames[i].name);
	}
}

/* One after the other, or together as the service and `symgate lookup` do it. */
static void look_up(const struct symcache *cache, const uint32_t *addresses, size_t count,
		    bool together, bool read_names, struct tally *tally)
{
	static struct symcache_frame frames[TOGETHER * LIMIT_INLINE_DEPTH];
	struct symcache_query queries[TOGETHER];

	for (size_t i = 0; i < count; ) {
		size_t asked = together && count - i >= TOGETHER ? TOGETHER : 1;

		if (asked == 1) {
			tally_frames(tally, frames, symcache_lookup(cache, addresses[i++], frames,
								    LIMIT_INLINE_DEPTH), read_names);
			continue;
		}
		for (size_t k = 0; k < asked; k++)
			queries[k] = (struct symcache_query){ .cache = cache,
							      .address = addresses[i + k] };
		asked = symcache_lookup_many(queries, asked, frames,
					     TOGETHER * LIMIT_INLINE_DEPTH);
		for (size_t k = 0; k < asked; k++)
			tally_frames(tally, frames + queries[k].first, queries[k].count,
				     read_names);
		i += asked;
	}
}

static void run(const struct symcache *cache, const uint32_t *addresses, size_t count,
		bool together, bool read_names)
{
	struct tally tally = { 0 };
	clock_t before = clock();
	double seconds;

	look_up(cache, addresses, count, together, read_names, &tally);
	seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
	printf("%-12s %-14s %10.3f M/s  (%" PRIu64 " of %zu known, %.2f frames each, sum %"
	       PRIx64 ")\n", together ? "together" : "one by one",
	       read_names ? "names read" : "names pointed", (double)count / seconds / 1e6,
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
		run(&cache, addresses, count, true, false);
		run(&cache, addresses, count, true, true);
		run(&cache, addresses, count, false, false);
	}
	mem_give_back(addresses);
	file_unmap(&map);
	return 0;
}
