/* test_many -- many look-ups together give what each gives alone, and what a plain walk gives. */
#include "support/support.h"

#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache_layout.h"
#include "symcache/symcache.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define CACHES       6u
#define QUERIES      75u             /* no multiple of what goes together */
#define CACHE_BYTES  (256u * 1024)
#define ADDRESS_BITS 0x3ffu
#define STRING_BYTES 300u

/* --- Made-up caches ------------------------------------------------------------------ */

static uint64_t state;

static uint32_t chance(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

/* What the numbers in a made-up cache are like. */
enum nature {
	SOUND,                       /* indices inside, ranges rising, calls without a circle */
	HOSTILE,                     /* mostly inside, ranges in any order, circles */
	WILD,                        /* anything */
	NATURES
};

struct shape {
	uint32_t files, functions, calls, ranges;
};

static void put_u32(uint8_t **at, uint32_t value)
{
	memcpy(*at, &value, sizeof(value));
	*at += sizeof(value);
}

static uint32_t index_below(enum nature nature, uint32_t count)
{
	if (nature == WILD)
		return chance() * 2;
	if (chance() % 5 == 0)
		return SYMC_NONE;
	return count == 0 ? SYMC_NONE : chance() % (nature == HOSTILE ? count + count / 8 + 1 : count);
}

static void align(const uint8_t *start, uint8_t **at)
{
	*at = (uint8_t *)start + symc_aligned((uint64_t)(*at - start));
}

static void put_locations(uint8_t **at, const struct shape *shape, enum nature nature)
{
	for (uint32_t i = 0; i < shape->calls + shape->ranges; i++) {
		bool is_sentinel = i >= shape->calls && chance() % 8 == 0;
		uint32_t inner = nature != SOUND ? shape->calls + shape->ranges
						 : i < shape->calls ? i : shape->calls;

		put_u32(at, is_sentinel ? SYMC_NONE : index_below(nature, shape->files));
		put_u32(at, is_sentinel ? SYMC_NONE : chance() % 1000);
		put_u32(at, is_sentinel ? SYMC_NONE : index_below(nature, shape->functions));
		put_u32(at, is_sentinel ? SYMC_NONE : index_below(nature, inner));
	}
}

static size_t make_cache(uint8_t *bytes, const struct shape *shape, uint32_t version,
			 enum nature nature)
{
	uint32_t head[] = { SYMC_MAGIC, version };
	uint32_t counts[] = { 201, shape->files, shape->functions, shape->calls + shape->ranges,
			      shape->ranges, STRING_BYTES };
	uint32_t start = 0;
	uint8_t *at = bytes + sizeof(head) + 32;

	memset(bytes, 0, SYMC_HEAD_BYTES);
	memcpy(bytes, head, sizeof(head));
	memcpy(at, counts, sizeof(counts));
	at = bytes + SYMC_HEAD_BYTES;
	for (uint32_t i = 0; i < shape->files * symc_file_bytes(version) / 4; i++)
		put_u32(&at, index_below(nature, STRING_BYTES));
	align(bytes, &at);
	for (uint32_t i = 0; i < shape->functions * SYMC_FUNCTION_BYTES / 4; i++)
		put_u32(&at, index_below(nature, STRING_BYTES));
	align(bytes, &at);
	put_locations(&at, shape, nature);
	align(bytes, &at);
	for (uint32_t i = 0; i < shape->ranges; i++) {
		start += chance() % 5;
		put_u32(&at, nature == SOUND ? start : chance() & ADDRESS_BITS);
	}
	align(bytes, &at);
	for (uint32_t i = 0; i < STRING_BYTES; i++)
		*at++ = (uint8_t)(chance() % 40);
	return (size_t)(at - bytes);
}

static uint8_t *storage[CACHES];

/* One nature for all, but every version, and every size from nothing on. */
static void make_caches(struct symcache caches[CACHES], enum nature nature)
{
	struct err err = ERR_INIT;

	for (uint32_t i = 0; i < CACHES; i++) {
		uint32_t most = i == 0 ? 1 : 3u << (2 * i);
		struct shape shape = { chance() % most, chance() % most, chance() % most,
				       chance() % most };
		uint32_t version = SYMC_OLDEST_VERSION + chance() % 3;

		storage[i] = mem_get(CACHE_BYTES);
		ck_assert_ptr_nonnull(storage[i]);
		ck_assert_msg(symcache_open(&caches[i], storage[i],
					    make_cache(storage[i], &shape, version, nature),
					    &err) == 0, "%s", err.text);
	}
}

static void forget_caches(void)
{
	for (uint32_t i = 0; i < CACHES; i++)
		mem_give_back(storage[i]);
	ck_assert_int_eq(mem_live, 0);
}

/* --- A plain walk -------------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *records, size_t index, size_t words, size_t word)
{
	uint32_t value;

	memcpy(&value, records + (index * words + word) * 4, sizeof(value));
	return value;
}

/* The lines of the chain at an address of a sound cache; how many. */
static size_t walk(const struct symcache *cache, uint64_t address, uint32_t *lines)
{
	size_t found = SIZE_MAX, count = 0;
	uint32_t at;

	for (size_t i = 0; i < cache->range_count; i++)
		if (word_at(cache->ranges, i, 1, 0) <= address)
			found = i;
	if (found == SIZE_MAX || address > UINT32_MAX)
		return 0;
	at = cache->location_count - cache->range_count + (uint32_t)found;
	if (word_at(cache->locations, at, 4, 1) == SYMC_NONE)
		return 0;
	while (at < cache->location_count && count < LIMIT_INLINE_DEPTH) {
		lines[count++] = word_at(cache->locations, at, 4, 1);
		at = word_at(cache->locations, at, 4, 3);
	}
	return count;
}

START_TEST(together_they_find_what_a_walk_finds)
{
	static struct symcache_frame frames[QUERIES * LIMIT_INLINE_DEPTH];
	struct symcache_query queries[QUERIES];
	struct symcache caches[CACHES];
	uint32_t lines[LIMIT_INLINE_DEPTH];

	state = (uint64_t)_i + 1;
	make_caches(caches, SOUND);
	for (size_t i = 0; i < QUERIES; i++)
		queries[i] = (struct symcache_query){
			.cache = &caches[chance() % CACHES],
			.address = chance() % 50 ? chance() % 4000 : UINT64_C(1) << 32,
		};
	ck_assert_uint_eq(symcache_lookup_many(queries, QUERIES, frames, COUNT(frames)), QUERIES);
	for (size_t i = 0; i < QUERIES; i++) {
		size_t count = walk(queries[i].cache, queries[i].address, lines);

		ck_assert_uint_eq(queries[i].count, count);
		for (size_t k = 0; k < count; k++)
			ck_assert_uint_eq(frames[queries[i].first + k].line, lines[k]);
	}
	forget_caches();
}
END_TEST

/* --- Alone and together -------------------------------------------------------------- */

static void same_text(struct text a, struct text b)
{
	ck_assert_ptr_eq(a.bytes, b.bytes);
	ck_assert_uint_eq(a.size, b.size);
}

static void same_frames(const struct symcache_frame *a, const struct symcache_frame *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ck_assert(text_equal(a[i].function, b[i].function));
		ck_assert_uint_eq(a[i].entry, b[i].entry);
		ck_assert_uint_eq(a[i].language, b[i].language);
		ck_assert_uint_eq(a[i].line, b[i].line);
		ck_assert_int_eq(a[i].has_file, b[i].has_file);
		same_text(a[i].comp_dir, b[i].comp_dir);
		same_text(a[i].directory, b[i].directory);
		same_text(a[i].name, b[i].name);
	}
}

/* With so little room some calls answer one query only, and none of a chain is lost. */
static const size_t capacities[] = {
	LIMIT_INLINE_DEPTH, LIMIT_INLINE_DEPTH + 1, 3 * LIMIT_INLINE_DEPTH,
	QUERIES * LIMIT_INLINE_DEPTH,
};

static void compare(struct symcache_query *queries, size_t capacity)
{
	static struct symcache_frame together[QUERIES * LIMIT_INLINE_DEPTH];
	static struct symcache_frame alone[LIMIT_INLINE_DEPTH];

	for (size_t done = 0; done < QUERIES; ) {
		size_t used = 0;
		size_t now = symcache_lookup_many(queries + done, QUERIES - done, together, capacity);

		ck_assert_uint_gt(now, 0);
		for (size_t end = done + now; done < end; done++) {
			const struct symcache_query *query = &queries[done];
			size_t count = symcache_lookup(query->cache, query->address, alone,
						       LIMIT_INLINE_DEPTH);

			ck_assert_uint_eq(query->count, count);
			ck_assert_uint_eq(query->first, used);
			same_frames(together + query->first, alone, count);
			used += count;
		}
		ck_assert_uint_le(used, capacity);
	}
}

START_TEST(together_is_the_same_as_alone)
{
	struct symcache_query queries[QUERIES];
	struct symcache caches[CACHES];
	enum nature nature = (enum nature)((unsigned)_i % NATURES);

	state = (uint64_t)_i + 77;
	make_caches(caches, nature);
	for (size_t i = 0; i < QUERIES; i++)
		queries[i] = (struct symcache_query){
			.cache = &caches[chance() % CACHES],
			.address = chance() % 9 ? chance() & ADDRESS_BITS
						: (uint64_t)chance() << (chance() % 8),
		};
	for (size_t i = 0; i < COUNT(capacities); i++)
		compare(queries, capacities[i]);
	forget_caches();
}
END_TEST

START_TEST(without_capacity_nothing_is_answered_that_has_frames)
{
	struct symcache_frame frames[1];
	struct symcache_query queries[2];
	struct symcache caches[CACHES];
	uint32_t lines[LIMIT_INLINE_DEPTH];
	uint64_t known = 0;

	state = 5;
	make_caches(caches, SOUND);
	while (walk(&caches[CACHES - 1], known, lines) == 0 && known < 4000)
		known++;
	ck_assert_uint_lt(known, 4000);
	queries[0] = (struct symcache_query){ .cache = &caches[CACHES - 1],
					      .address = UINT64_MAX };
	queries[1] = (struct symcache_query){ .cache = &caches[CACHES - 1], .address = known };
	ck_assert_uint_eq(symcache_lookup_many(queries, 2, frames, 0), 1);
	ck_assert_uint_eq(queries[0].count, 0);
	ck_assert_uint_eq(symcache_lookup_many(queries, 0, frames, 0), 0);
	forget_caches();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symcache many");
	TCase *tcase = tcase_create("many");

	tcase_add_loop_test(tcase, together_they_find_what_a_walk_finds, 0, 60);
	tcase_add_loop_test(tcase, together_is_the_same_as_alone, 0, 90);
	tcase_add_test(tcase, without_capacity_nothing_is_answered_that_has_frames);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}
