/* proguard_names.c -- see proguard_names.h. */
#include "proguard/proguard_names.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define SLOTS_FIRST ((size_t)1024)
#define LENGTH_BYTES_MAX 5u

int proguard_memory_grow(struct proguard_memory *memory, void *items, size_t *capacity, size_t need,
			 size_t size, struct err *err)
{
	size_t before = *capacity;

	if (need <= before)
		return 0;
	if (need > UINT32_MAX || (need - before) * size > memory->ceiling_bytes - memory->held_bytes)
		return err_set(err, ERR_LIMIT, "the mapping needs more than %zu bytes of memory",
			       memory->ceiling_bytes);
	if (vec_reserve(items, capacity, need, size) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a mapping");
	memory->held_bytes += (need - before) * size;
	return 0;
}

/* --- Tables --------------------------------------------------------------------------------- */

static void put(struct proguard_slots *table, struct proguard_slot slot)
{
	size_t at = proguard_slots_first(table, slot.hash);

	while (table->slots[at].value)
		at = proguard_slots_next(table, at);
	table->slots[at] = slot;
}

int proguard_slots_reserve(struct proguard_slots *table, struct proguard_memory *memory, struct err *err)
{
	struct proguard_slots larger = { .count = table->count,
		.capacity = table->capacity ? table->capacity * 2 : SLOTS_FIRST };
	size_t bytes = larger.capacity * sizeof(*larger.slots);

	if (table->count < table->capacity - table->capacity / 4)
		return 0;
	if (bytes > memory->ceiling_bytes - memory->held_bytes)
		return err_set(err, ERR_LIMIT, "the mapping needs more than %zu bytes of memory",
			       memory->ceiling_bytes);
	larger.slots = mem_get_array(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return err_set(err, ERR_NO_MEMORY, "no memory for the names of a mapping");
	for (size_t i = 0; i < table->capacity; i++)
		if (table->slots[i].value)
			put(&larger, table->slots[i]);
	proguard_slots_release(table, memory);
	memory->held_bytes += bytes;
	*table = larger;
	return 0;
}

void proguard_slots_release(struct proguard_slots *table, struct proguard_memory *memory)
{
	memory->held_bytes -= table->capacity * sizeof(*table->slots);
	mem_give_back(table->slots);
	*table = (struct proguard_slots){ 0 };
}

/* --- Names ---------------------------------------------------------------------------------- */

struct text proguard_names_text(const struct proguard_names *names, uint32_t ref)
{
	const uint8_t *at = names->bytes + ref;
	size_t size = 0;
	unsigned shift = 0;

	for (; *at & 0x80; at++, shift += 7)
		size |= (size_t)(*at & 0x7f) << shift;
	size |= (size_t)*at++ << shift;
	return (struct text){ (const char *)at, size };
}

static int append(struct proguard_names *names, struct text name, struct proguard_memory *memory,
		  struct err *err)
{
	size_t size = name.size;

	if (size > UINT32_MAX - names->size - LENGTH_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "the names of the mapping are longer than 4 GiB");
	if (proguard_memory_grow(memory, &names->bytes, &names->capacity,
				 names->size + size + LENGTH_BYTES_MAX, 1, err) < 0)
		return -1;
	for (; size >= 0x80; size >>= 7)
		names->bytes[names->size++] = (uint8_t)(size | 0x80);
	names->bytes[names->size++] = (uint8_t)size;
	if (name.size)
		memcpy(names->bytes + names->size, name.bytes, name.size);
	names->size += name.size;
	return 0;
}

int proguard_names_add(struct proguard_names *names, struct text name, struct proguard_memory *memory,
		       uint32_t *ref, struct err *err)
{
	uint32_t hash = (uint32_t)hash_fast(name.bytes, name.size);
	struct proguard_slot *slot;
	size_t at;

	if (proguard_slots_reserve(&names->slots, memory, err) < 0)
		return -1;
	for (at = proguard_slots_first(&names->slots, hash); names->slots.slots[at].value;
	     at = proguard_slots_next(&names->slots, at)) {
		slot = &names->slots.slots[at];
		if (slot->hash == hash && text_equal(proguard_names_text(names, slot->value - 1), name)) {
			*ref = slot->value - 1;
			return 0;
		}
	}
	*ref = (uint32_t)names->size;
	if (append(names, name, memory, err) < 0)
		return -1;
	names->slots.slots[at] = (struct proguard_slot){ hash, *ref + 1 };
	names->slots.count++;
	return 0;
}
