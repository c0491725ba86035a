/* sets.c -- names and records told apart by content, in big flat arrays. */
#include "symcache/sets.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define SLOTS_FIRST_ROOM ((size_t)1024)
#define MEMORY_FIRST_ROOM ((size_t)4096)
#define MEMORY_MOST      ((size_t)1 << 16)   /* 1 MiB */
#define MEMORY_WAYS      4u                  /* as many share a cache line */

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

/* Room for about as many as there are; what was remembered is learnt again. */
static int memory_reserve(struct memory *memory, size_t count, struct budget *budget,
			    struct err *err)
{
	size_t capacity = memory->capacity ? memory->capacity * 4 : MEMORY_FIRST_ROOM;
	struct recalled *at;

	if (memory->capacity && (count < memory->capacity || memory->capacity >= MEMORY_MOST))
		return 0;
	if (budget_count(budget, (capacity - memory->capacity) * sizeof(*at), err) < 0)
		return -1;
	at = mem_get_array(capacity, sizeof(*at));
	if (!at)
		return err_set(err, ERR_NO_MEMORY, "no room to remember %zu names", capacity);
	mem_give_back(memory->at);
	*memory = (struct memory){ at, capacity };
	return 0;
}

static void memory_release(struct memory *memory, struct budget *budget)
{
	budget_give_back(budget, &memory->at, memory->capacity, sizeof(*memory->at));
	memory->capacity = 0;
}

static struct recalled *memory_ways(const struct memory *memory, const char *bytes)
{
	uint64_t spread = (uint64_t)(uintptr_t)bytes * HASH_ODD_1;

	/* The middle of the product is alike for texts at like distances, its top is not. */
	return &memory->at[spread >> 48 & (memory->capacity - 1) & ~(size_t)(MEMORY_WAYS - 1)];
}

static bool memory_recall(const struct memory *memory, const char *bytes, uint32_t traits,
			  uint32_t *number)
{
	const struct recalled *ways;

	if (memory->capacity == 0 || traits == 0)
		return false;
	ways = memory_ways(memory, bytes);
	for (size_t i = 0; i < MEMORY_WAYS; i++)
		if (ways[i].bytes == bytes && ways[i].traits == traits) {
			*number = ways[i].number;
			return true;
		}
	return false;
}

/* The oldest goes. */
static void memory_keep(struct memory *memory, const char *bytes, uint32_t traits,
			uint32_t number)
{
	struct recalled *ways = memory_ways(memory, bytes);

	for (size_t i = MEMORY_WAYS - 1; i > 0; i--)
		ways[i] = ways[i - 1];
	ways[0] = (struct recalled){ bytes, traits, number };
}

/* --- Names --------------------------------------------------------------------------- */

static uint32_t name_hash(const void *items, uint32_t number)
{
	return ((const struct name *)items)[number].hash;
}

static bool same_name(const struct name *a, const struct name *b)
{
	if (a->hash != b->hash || a->size != b->size)
		return false;
	return a->bytes == b->bytes || a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0;
}

uint32_t names_find(const struct names *names, const struct name *name)
{
	size_t mask = names->slots.capacity - 1, slot = name->hash & mask;

	if (names->slots.capacity == 0)
		return UINT32_MAX;
	for (; names->slots.at[slot]; slot = (slot + 1) & mask)
		if (same_name(&names->items[names->slots.at[slot] - 1], name))
			return names->slots.at[slot] - 1;
	return UINT32_MAX;
}

int names_append(struct names *names, const struct name *name, uint32_t *number,
		 struct err *err)
{
	if (budget_reserve(names->budget, &names->items, &names->capacity, (size_t)names->count + 1,
			sizeof(*names->items), err) < 0)
		return -1;
	*number = names->count;
	names->items[names->count++] = *name;
	return 0;
}

int names_add_hashed(struct names *names, const struct name *name, uint32_t *number,
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
	if (names_append(names, name, number, err) < 0)
		return -1;
	names->slots.at[slot] = *number + 1;
	return 0;
}

struct name name_of(struct text text)
{
	return (struct name){ text.bytes, (uint32_t)text.size,
			      text.size ? (uint32_t)hash_fast(text.bytes, text.size) : 0 };
}

int names_add(struct names *names, struct text text, uint32_t *number, struct err *err)
{
	struct name name;

	if (text.size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a name of %zu bytes", text.size);
	if (memory_recall(&names->memory, text.bytes, (uint32_t)text.size, number))
		return 0;
	name = name_of(text);
	if (memory_reserve(&names->memory, 0, names->budget, err) < 0 ||
	    names_add_hashed(names, &name, number, err) < 0)
		return -1;
	memory_keep(&names->memory, text.bytes, (uint32_t)text.size, *number);
	return 0;
}

int names_add_copy(struct names *names, struct text text, struct arena *arena, uint32_t *number,
		   struct err *err)
{
	struct name name = name_of(text);
	uint32_t count = names->count;
	char *copy;

	if (names_add_hashed(names, &name, number, err) < 0)
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

void names_forget(struct names *names)
{
	memory_release(&names->memory, names->budget);
}

void names_finish(struct names *names)
{
	names_forget(names);
	slots_release(&names->slots, names->budget);
}

void names_release(struct names *names)
{
	names_finish(names);
	mem_give_back(names->items);
	*names = (struct names){ .budget = names->budget };
}

/* --- Records ------------------------------------------------------------------------- */

static uint32_t record_hash(const void *items, uint32_t number)
{
	const uint32_t *word = ((const struct record *)items)[number].word;

	return hash_words((uint64_t)word[1] << 32 | word[0], (uint64_t)word[3] << 32 | word[2]);
}

uint32_t records_find(const struct records *records, const struct record *record)
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

int records_append(struct records *records, const struct record *record, uint32_t *number,
		   struct err *err)
{
	if (budget_reserve(records->budget, &records->items, &records->capacity,
			(size_t)records->count + 1, sizeof(*records->items), err) < 0)
		return -1;
	*number = records->count;
	records->items[records->count++] = *record;
	return 0;
}

int records_add(struct records *records, const struct record *record, uint32_t *number,
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
	if (records_append(records, record, number, err) < 0)
		return -1;
	records->slots.at[slot] = *number + 1;
	return 0;
}

/* 0: such a name is not remembered. */
static uint32_t traits_of(struct text name, uint32_t language)
{
	return name.size < (1u << 24) && language < (1u << 8) ? (uint32_t)name.size << 8 | language
							      : 0;
}

bool records_recall(struct records *records, struct text name, uint32_t language,
		    uint32_t *number)
{
	return memory_recall(&records->memory, name.bytes, traits_of(name, language), number);
}

void records_expect(const struct records *records, struct text name)
{
	if (records->memory.capacity)
		__builtin_prefetch(memory_ways(&records->memory, name.bytes));
}

int records_remember(struct records *records, struct text name, uint32_t language,
		     uint32_t number, struct err *err)
{
	if (memory_reserve(&records->memory, records->count, records->budget, err) < 0)
		return -1;
	memory_keep(&records->memory, name.bytes, traits_of(name, language), number);
	return 0;
}

void records_forget(struct records *records)
{
	memory_release(&records->memory, records->budget);
}

void records_finish(struct records *records)
{
	records_forget(records);
	slots_release(&records->slots, records->budget);
}

void records_release(struct records *records)
{
	records_finish(records);
	mem_give_back(records->items);
	*records = (struct records){ .budget = records->budget };
}
