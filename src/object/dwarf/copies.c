/* copies.c -- copies of names whose unit is in memory only while it is read. */
#include "object/dwarf/dwarf_internal.h"

#define FIRST_COPIES      64u

struct copy {
	uint64_t key;            /* offset + 1; 0: free */
	struct text text;
};

static struct copy *find_copy(struct copy *slots, size_t capacity, uint64_t offset)
{
	size_t slot = (size_t)(offset * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);

	while (slots[slot].key && slots[slot].key != offset + 1)
		slot = (slot + 1) & (capacity - 1);
	return &slots[slot];
}

static bool grow_copies(struct copies *copies)
{
	size_t capacity = copies->capacity ? copies->capacity * 2 : FIRST_COPIES;
	struct copy *slots;

	if (copies->count * 2 < copies->capacity)
		return true;
	slots = arena_alloc(copies->scratch, capacity, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < copies->capacity; i++)
		if (copies->slots[i].key)
			*find_copy(slots, capacity, copies->slots[i].key - 1) = copies->slots[i];
	copies->slots = slots;
	copies->capacity = capacity;
	return true;
}

/* One copy of each place, however often it is asked for. */
struct text copies_keep(struct copies *copies, struct text text, uint64_t offset)
{
	struct copy *copy;
	char *bytes;

	if (!text.size)
		return text.bytes ? TEXT("") : text;
	if (!grow_copies(copies)) {
		copies->ran_out = true;
		return TEXT_NONE;
	}
	copy = find_copy(copies->slots, copies->capacity, offset);
	if (copy->key)
		return copy->text;
	bytes = arena_strndup(copies->lasting, text.bytes, text.size);
	if (!bytes) {
		copies->ran_out = true;
		return TEXT_NONE;
	}
	*copy = (struct copy){ offset + 1, { bytes, text.size } };
	copies->count++;
	return copy->text;
}
