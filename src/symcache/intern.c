/* intern.c -- names and records told apart by content, in big flat arrays. */
#include "symcache/intern.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define SLOTS_FIRST_ROOM ((size_t)1024)
#define CACHE_FIRST_ROOM ((size_t)4096)
#define CACHE_MOST      ((size_t)1 << 16)    /* 1 MiB */
#define CACHE_WAYS      4u                   /* as many share a cache line */

int budget_count(struct budget *budget, size_t bytes, struct err *err)
{
	size_t held = atomic_fetch_add(&budget->held_bytes, bytes);

	if (bytes <= budget->ceiling_bytes && held <= budget->ceiling_bytes - bytes)
		return 0;
	atomic_fetch_sub(&budget->held_bytes, bytes);
	return err_set(err, ERR_LIMIT, "the lookup file needs more than %zu bytes of memory",
		       budget->ceiling_bytes);
}

void budget_give_back(struct budget *budget, void *items, size_t capacity, size_t size)
{
	void **block = items;

	mem_give_back(*block);
	*block = NULL;
	atomic_fetch_sub(&budget->held_bytes, capacity * size);
}

int budget_reserve(struct budget *budget, void *items, size_t *capacity, size_t need, size_t size,
		struct err *err)
{
	size_t had = *capacity;

	if (need <= had)
		return 0;
	if (need >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "the lookup file has too many records");
	if (vec_reserve(items, capacity, need, size) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu records", need);
	return budget_count(budget, (*capacity - had) * size, err);
}

/* --- Slots --------------------------------------------------------------------------- */

typedef uint32_t hash_fn(const void *items, uint32_t number);

/* Doubles the table before it is more than half full; makes it anew once it was given back. */
static int slots_reserve(struct slots *slots, uint32_t count, hash_fn *hash, const void *items,
			   struct budget *budget, struct err *err)
{
	size_t capacity = slots->capacity ? slots->capacity * 2 : SLOTS_FIRST_ROOM;
	uint32_t *at;

	if ((size_t)count * 2 < slots->capacity)
		return 0;
	while (capacity <= (size_t)count * 2)
		capacity *= 2;
	if (budget_count(budget, (capacity - slots->capacity) * sizeof(*at), err) < 0)
		return -1;
	at = mem_get_array(capacity, sizeof(*at));
	if (!at)
		return err_set(err, ERR_NO_MEMORY, "no room for a table of %zu slots", capacity);
	for (uint32_t number = 0; number < count; number++) {
		size_t slot = hash(items, number) & (capacity - 1);

		while (at[slot])
			slot = (slot + 1) & (capacity - 1);
		at[slot] = number + 1;
	}
	mem_give_back(slots->at);
	slots->at = at;
	slots->capacity = capacity;
	return 0;
}

static void slots_release(struct slots *slots, struct budget *budget)
{
	budget_give_back(budget, &slots->at, slots->capacity, sizeof(*slots->at));
	slots->capacity = 0;
}

/* --- What was asked for last ----------------------------------------------------------- */

/* Room for about as many as there are; what was cached is looked up again. */
static int cache_reserve(struct intern_cache *cache, size_t count, struct budget *budget,
			    struct err *err)
{
	size_t capacity = cache->capacity ? cache->capacity * 4 : CACHE_FIRST_ROOM;
	struct intern_cache_slot *at;

	if (cache->capacity && (count < cache->capacity || cache->capacity >= CACHE_MOST))
		return 0;
	if (budget_count(budget, (capacity - cache->capacity) * sizeof(*at), err) < 0)
		return -1;
	at = mem_get_array(capacity, sizeof(*at));
	if (!at)
		return err_set(err, ERR_NO_MEMORY, "no room for a cache of %zu names", capacity);
	mem_give_back(cache->at);
	*cache = (struct intern_cache){ at, capacity };
	return 0;
}

static void cache_release(struct intern_cache *cache, struct budget *budget)
{
	budget_give_back(budget, &cache->at, cache->capacity, sizeof(*cache->at));
	cache->capacity = 0;
}

static struct intern_cache_slot *cache_ways(const struct intern_cache *cache, const char *bytes)
{
	uint64_t spread = (uint64_t)(uintptr_t)bytes * HASH_ODD_1;

	/* The middle of the product is alike for texts at like distances, its top is not. */
	return &cache->at[spread >> 48 & (cache->capacity - 1) & ~(size_t)(CACHE_WAYS - 1)];
}

static bool cache_find(const struct intern_cache *cache, const char *bytes, uint32_t traits,
		       uint32_t *number)
{
	const struct intern_cache_slot *ways;

	if (cache->capacity == 0 || traits == 0)
		return false;
	ways = cache_ways(cache, bytes);
	for (size_t i = 0; i < CACHE_WAYS; i++)
		if (ways[i].bytes == bytes && ways[i].traits == traits) {
			*number = ways[i].number;
			return true;
		}
	return false;
}

/* The oldest goes. */
static void cache_store(struct intern_cache *cache, const char *bytes, uint32_t traits,
			uint32_t number)
{
	struct intern_cache_slot *ways = cache_ways(cache, bytes);

	for (size_t i = CACHE_WAYS - 1; i > 0; i--)
		ways[i] = ways[i - 1];
	ways[0] = (struct intern_cache_slot){ bytes, traits, number };
}

/* --- Names --------------------------------------------------------------------------- */

static uint32_t name_hash(const void *items, uint32_t number)
{
	return ((const struct interned_name *)items)[number].hash;
}

static bool same_name(const struct interned_name *a, const struct interned_name *b)
{
	if (a->hash != b->hash || a->size != b->size)
		return false;
	return a->bytes == b->bytes || a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0;
}

uint32_t name_pool_find(const struct name_pool *names, const struct interned_name *name)
{
	size_t mask = names->slots.capacity - 1, slot = name->hash & mask;

	if (names->slots.capacity == 0)
		return UINT32_MAX;
	for (; names->slots.at[slot]; slot = (slot + 1) & mask)
		if (same_name(&names->items[names->slots.at[slot] - 1], name))
			return names->slots.at[slot] - 1;
	return UINT32_MAX;
}

int name_pool_append(struct name_pool *names, const struct interned_name *name, uint32_t *number,
		     struct err *err)
{
	if (budget_reserve(names->budget, &names->items, &names->capacity, (size_t)names->count + 1,
			sizeof(*names->items), err) < 0)
		return -1;
	*number = names->count;
	names->items[names->count++] = *name;
	return 0;
}

int name_pool_add_hashed(struct name_pool *names, const struct interned_name *name,
			 uint32_t *number,
			 struct err *err)
{
	size_t mask, slot;

	if (slots_reserve(&names->slots, names->count, name_hash, names->items,
			    names->budget, err) < 0)
		return -1;
	mask = names->slots.capacity - 1;
	for (slot = name->hash & mask; names->slots.at[slot]; slot = (slot + 1) & mask) {
		if (same_name(&names->items[names->slots.at[slot] - 1], name)) {
			*number = names->slots.at[slot] - 1;
			return 0;
		}
	}
	if (name_pool_append(names, name, number, err) < 0)
		return -1;
	names->slots.at[slot] = *number + 1;
	return 0;
}

struct interned_name interned_name_of(struct text text)
{
	return (struct interned_name){ text.bytes, (uint32_t)text.size,
			      text.size ? (uint32_t)hash_fast(text.bytes, text.size) : 0 };
}

int name_pool_add(struct name_pool *names, struct text text, uint32_t *number, struct err *err)
{
	struct interned_name name;

	if (text.size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a name of %zu bytes", text.size);
	if (cache_find(&names->cache, text.bytes, (uint32_t)text.size, number))
		return 0;
	name = interned_name_of(text);
	if (cache_reserve(&names->cache, 0, names->budget, err) < 0 ||
	    name_pool_add_hashed(names, &name, number, err) < 0)
		return -1;
	cache_store(&names->cache, text.bytes, (uint32_t)text.size, *number);
	return 0;
}

int name_pool_add_copy(struct name_pool *names, struct text text, struct arena *arena,
		       uint32_t *number,
		       struct err *err)
{
	struct interned_name name = interned_name_of(text);
	uint32_t count = names->count;
	char *copy;

	if (name_pool_add_hashed(names, &name, number, err) < 0)
		return -1;
	if (names->count == count)
		return 0;
	copy = budget_count(names->budget, text.size, err) < 0
	       ? NULL : arena_strndup(arena, text.bytes ? text.bytes : "", text.size);
	names->items[*number].bytes = copy;
	if (copy || err->kind)
		return copy ? 0 : -1;
	return err_set(err, ERR_NO_MEMORY, "no room for a list of variables");
}

void name_pool_drop_cache(struct name_pool *names)
{
	cache_release(&names->cache, names->budget);
}

void name_pool_finish(struct name_pool *names)
{
	name_pool_drop_cache(names);
	slots_release(&names->slots, names->budget);
}

void name_pool_release(struct name_pool *names)
{
	name_pool_finish(names);
	mem_give_back(names->items);
	*names = (struct name_pool){ .budget = names->budget };
}

/* --- Records ------------------------------------------------------------------------- */

static uint32_t record_hash(const void *items, uint32_t number)
{
	const uint32_t *word = ((const struct interned_record *)items)[number].word;

	return hash_words((uint64_t)word[1] << 32 | word[0], (uint64_t)word[3] << 32 | word[2]);
}

uint32_t record_pool_find(const struct record_pool *records, const struct interned_record *record)
{
	size_t mask = records->slots.capacity - 1, slot = record_hash(record, 0) & mask;

	if (records->slots.capacity == 0)
		return UINT32_MAX;
	for (; records->slots.at[slot]; slot = (slot + 1) & mask)
		if (memcmp(&records->items[records->slots.at[slot] - 1], record,
			   sizeof(*record)) == 0)
			return records->slots.at[slot] - 1;
	return UINT32_MAX;
}

int record_pool_append(struct record_pool *records, const struct interned_record *record,
		       uint32_t *number,
		       struct err *err)
{
	if (budget_reserve(records->budget, &records->items, &records->capacity,
			(size_t)records->count + 1, sizeof(*records->items), err) < 0)
		return -1;
	*number = records->count;
	records->items[records->count++] = *record;
	return 0;
}

int record_pool_add(struct record_pool *records, const struct interned_record *record,
		    uint32_t *number,
		    struct err *err)
{
	size_t mask, slot;

	if (slots_reserve(&records->slots, records->count, record_hash, records->items,
			    records->budget, err) < 0)
		return -1;
	mask = records->slots.capacity - 1;
	slot = record_hash(record, 0) & mask;
	for (; records->slots.at[slot]; slot = (slot + 1) & mask) {
		*number = records->slots.at[slot] - 1;
		if (memcmp(&records->items[*number], record, sizeof(*record)) == 0)
			return 0;
	}
	if (record_pool_append(records, record, number, err) < 0)
		return -1;
	records->slots.at[slot] = *number + 1;
	return 0;
}

/* 0: such a name is not cached. */
static uint32_t traits_of(struct text name, uint32_t language)
{
	return name.size < (1u << 24) && language < (1u << 8) ? (uint32_t)name.size << 8 | language
							      : 0;
}

bool record_pool_cached(struct record_pool *records, struct text name, uint32_t language,
			uint32_t *number)
{
	return cache_find(&records->cache, name.bytes, traits_of(name, language), number);
}

void record_pool_prefetch(const struct record_pool *records, struct text name)
{
	if (records->cache.capacity)
		__builtin_prefetch(cache_ways(&records->cache, name.bytes));
}

int record_pool_cache(struct record_pool *records, struct text name, uint32_t language,
		      uint32_t number, struct err *err)
{
	if (cache_reserve(&records->cache, records->count, records->budget, err) < 0)
		return -1;
	cache_store(&records->cache, name.bytes, traits_of(name, language), number);
	return 0;
}

void record_pool_drop_cache(struct record_pool *records)
{
	cache_release(&records->cache, records->budget);
}

void record_pool_finish(struct record_pool *records)
{
	record_pool_drop_cache(records);
	slots_release(&records->slots, records->budget);
}

void record_pool_release(struct record_pool *records)
{
	record_pool_finish(records);
	mem_give_back(records->items);
	*records = (struct record_pool){ .budget = records->budget };
}
