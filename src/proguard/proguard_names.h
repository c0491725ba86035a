/*
 * proguard_names -- names kept once while a cache is written, and tables of numbers by numbers.  Private to
 * this component.
 */
#ifndef PROGUARD_PROGUARD_NAMES_H
#define PROGUARD_PROGUARD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;

/* Everything that is held while a cache is written, and its ceiling. */
struct proguard_memory { size_t held_bytes, ceiling_bytes; };
/* vec_reserve() below the ceiling; ERR_LIMIT, ERR_NO_MEMORY. */
int proguard_memory_grow(struct proguard_memory *memory, void *items, size_t *capacity, size_t need,
			 size_t size, struct err *err) __attribute__((warn_unused_result));

struct proguard_slot { uint32_t hash, value; };      /* value + 1; 0: free */

/* A hash table whose keys the caller compares. */
struct proguard_slots { struct proguard_slot *slots; size_t count, capacity; };
int proguard_slots_reserve(struct proguard_slots *table, struct proguard_memory *memory, struct err *err)
	__attribute__((warn_unused_result));
void proguard_slots_release(struct proguard_slots *table, struct proguard_memory *memory);

/*
 * Walks what may be equal: for (at = proguard_slots_first(table, hash); slot = &table->slots[at],
 * slot->value; at = proguard_slots_next(table, at)) ...; where it ends a new one belongs.
 */
static inline size_t proguard_slots_first(const struct proguard_slots *table, uint32_t hash)
{
	return hash & (table->capacity - 1);
}

static inline size_t proguard_slots_next(const struct proguard_slots *table, size_t at)
{
	return (at + 1) & (table->capacity - 1);
}

struct proguard_names {
	uint8_t *bytes;              /* the section as it is written */
	size_t size, capacity;
	struct proguard_slots slots;
};
/* The name's offset; equal names have one. */
int proguard_names_add(struct proguard_names *names, struct text name, struct proguard_memory *memory,
		       uint32_t *ref, struct err *err) __attribute__((warn_unused_result));
struct text proguard_names_text(const struct proguard_names *names, uint32_t ref);

#endif
