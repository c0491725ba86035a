/*
 * map -- a hash table from byte keys to pointers.
 *
 * Open addressing; keys are borrowed and must outlive the map.  Grows by doubling
 * through mem_get.  One thread at a time.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct map_slot {
	struct text key;         /* bytes NULL: free; a removed slot keeps a tombstone */
	uint64_t hash;
	void *value;
};

struct map {
	struct map_slot *slots;
	size_t capacity;             /* a power of two, or 0 */
	size_t count;
	size_t filled;           /* count + tombstones */
};

void  map_init(struct map *map);
void  map_release(struct map *map);
void *map_get(const struct map *map, struct text key);          /* NULL when absent */
/* Adds or replaces; -1 out of memory (nothing changed). */
int   map_put(struct map *map, struct text key, void *value) __attribute__((warn_unused_result));
void *map_remove(struct map *map, struct text key);             /* the value, or NULL */
/* Walks the slots: start with at = 0; false at the end. */
bool  map_next(const struct map *map, size_t *at, struct text *key, void **value);

#endif
