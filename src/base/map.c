/*
 * map.c -- see map.h.
 *
 * 1. capacity is 0 or a power of two, and at least a quarter of the slots are free.
 * 2. A removed slot keeps its place with the tombstone as its key's bytes, so that
 *    probes past it go on; tombstones go when the table is built anew.
 */
#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

#define MAP_FIRST_SLOTS 16u

static const char tombstone[1];

static bool is_live(const struct map_slot *slot)
{
	return slot->key.bytes && slot->key.bytes != tombstone;
}

void map_init(struct map *map)
{
	memset(map, 0, sizeof(*map));
}

void map_release(struct map *map)
{
	mem_give_back(map->slots);
	map_init(map);
}

/* The slot of that key, or NULL. */
static struct map_slot *find(const struct map *map, struct text key, uint64_t hash)
{
	size_t mask = map->capacity - 1;

	if (!map->capacity)
		return NULL;
	for (size_t at = (size_t)hash & mask; map->slots[at].key.bytes; at = (at + 1) & mask) {
		struct map_slot *slot = &map->slots[at];

		if (slot->hash == hash && is_live(slot) && text_equal(slot->key, key))
			return slot;
	}
	return NULL;
}

/* The first slot on the key's way that holds nothing; there always is one. */
static struct map_slot *vacant(struct map_slot *slots, size_t capacity, uint64_t hash)
{
	size_t at = (size_t)hash & (capacity - 1);

	while (is_live(&slots[at]))
		at = (at + 1) & (capacity - 1);
	return &slots[at];
}

static int rebuild(struct map *map)
{
	size_t capacity = MAP_FIRST_SLOTS;
	struct map_slot *slots;

	while (capacity / 2 < map->count + 1)
		capacity *= 2;
	slots = mem_get_array(capacity, sizeof(*slots));
	if (!slots)
		return -1;
	for (size_t i = 0; i < map->capacity; i++)
		if (is_live(&map->slots[i]))
			*vacant(slots, capacity, map->slots[i].hash) = map->slots[i];
	mem_give_back(map->slots);
	map->slots = slots;
	map->capacity = capacity;
	map->filled = map->count;
	return 0;
}

void *map_get(const struct map *map, struct text key)
{
	const struct map_slot *slot;

	if (!map->count)
		return NULL;
	slot = find(map, key, hash_fast(key.bytes, key.size));
	return slot ? slot->value : NULL;
}

int map_put(struct map *map, struct text key, void *value)
{
	uint64_t hash = hash_fast(key.bytes, key.size);
	struct map_slot *slot;

	if (!key.bytes)
		key = TEXT("");
	slot = find(map, key, hash);
	if (!slot) {
		if (map->filled + 1 > map->capacity - map->capacity / 4 && rebuild(map) < 0)
			return -1;
		slot = vacant(map->slots, map->capacity, hash);
		map->filled += !slot->key.bytes;
		map->count++;
	}
	*slot = (struct map_slot){ key, hash, value };
	return 0;
}

void *map_remove(struct map *map, struct text key)
{
	struct map_slot *slot = find(map, key, hash_fast(key.bytes, key.size));
	void *value;

	if (!slot)
		return NULL;
	value = slot->value;
	*slot = (struct map_slot){ { tombstone, 0 }, 0, NULL };
	map->count--;
	return value;
}

bool map_next(const struct map *map, size_t *at, struct text *key, void **value)
{
	for (; *at < map->capacity; (*at)++) {
		const struct map_slot *slot = &map->slots[*at];

		if (is_live(slot)) {
			*key = slot->key;
			*value = slot->value;
			(*at)++;
			return true;
		}
	}
	return false;
}
