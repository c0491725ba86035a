/*
 * intern -- names and records interned by the writer: equal ones are stored once and
 * referred to by their index in the pool's array.
 *
 * The hash table beside each array holds 32-bit indices only.  All memory is counted against
 * one ceiling that the writer's threads share.
 */
#ifndef SYMCACHE_INTERN_H
#define SYMCACHE_INTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct arena;
struct err;

#define HASH_ODD_1 UINT64_C(0x9e3779b97f4a7c15)   /* odd numbers with well-spread bits */
#define HASH_ODD_2 UINT64_C(0xd6e8feb86659fd93)

/* What all growing arrays of one writer may hold together. */
struct budget {
	atomic_size_t held_bytes;
	size_t ceiling_bytes;
};

/* As vec_reserve(), counted; ERR_LIMIT over the ceiling, ERR_NO_MEMORY without memory. */
int budget_reserve(struct budget *budget, void *items, size_t *capacity, size_t need, size_t size,
		struct err *err) __attribute__((warn_unused_result));

/* Counts memory that was allocated elsewhere. */
int budget_count(struct budget *budget, size_t bytes, struct err *err)
	__attribute__((warn_unused_result));

/* Gives an array back, with the `capacity` for items of `size` bytes it was counted for; *items
 * is NULL afterwards. */
void budget_give_back(struct budget *budget, void *items, size_t capacity, size_t size);

struct slots {
	uint32_t *at;            /* number + 1; 0: free */
	size_t capacity;             /* a power of two, or 0 */
};

static inline uint32_t hash_words(uint64_t low, uint64_t high)
{
	uint64_t both = low * HASH_ODD_1;

	high *= HASH_ODD_2;
	both = (both ^ (high >> 29) ^ high) * HASH_ODD_1;
	return (uint32_t)(both >> 32);
}

/* --- Names --------------------------------------------------------------------------- */

/* A cache in front of the hash table, keyed by the address of a name's bytes in the object: the
 * same bytes are asked for again and again, and then are neither hashed nor compared. */
struct intern_cache_slot {
	const char *bytes;
	uint32_t traits;         /* size or language, what else must match; 0: the slot is free */
	uint32_t number;
};

struct intern_cache {
	struct intern_cache_slot *at;
	size_t capacity;             /* a power of two, or 0 */
};

struct interned_name {
	const char *bytes;       /* borrowed from the object */
	uint32_t size, hash;
};

struct name_pool {
	struct budget *budget;
	struct interned_name *items;
	size_t capacity;
	uint32_t count;
	struct slots slots;
	struct intern_cache cache;
};

struct interned_name interned_name_of(struct text text);
/* Interns a text, which may be empty; *number is its index. */
int name_pool_add(struct name_pool *names, struct text text, uint32_t *number, struct err *err)
	__attribute__((warn_unused_result));
/* The same for a name whose hash is known; does not ask the cache. */
int name_pool_add_hashed(struct name_pool *names, const struct interned_name *name,
			 uint32_t *number,
			 struct err *err) __attribute__((warn_unused_result));
/* The index of an interned name, or UINT32_MAX; several threads may call it at once. */
uint32_t name_pool_find(const struct name_pool *names, const struct interned_name *name);
/* Appends without looking for an equal one. */
int name_pool_append(struct name_pool *names, const struct interned_name *name, uint32_t *number,
		     struct err *err)
	__attribute__((warn_unused_result));
/* As name_pool_add() for a text that is overwritten later: a new one is copied into the arena. */
int name_pool_add_copy(struct name_pool *names, struct text text, struct arena *arena,
		       uint32_t *number,
		       struct err *err) __attribute__((warn_unused_result));
/* Frees the cache. */
void name_pool_drop_cache(struct name_pool *names);
/* Frees the cache and the hash table, which adding more would build again. */
void name_pool_finish(struct name_pool *names);
void name_pool_release(struct name_pool *names);

/* --- Records of four numbers: files, functions ---------------------------------------- */

struct interned_record {
	uint32_t word[4];
};

struct record_pool {
	struct budget *budget;
	struct interned_record *items;
	size_t capacity;
	uint32_t count;
	struct slots slots;
	struct intern_cache cache;
};

int record_pool_add(struct record_pool *records, const struct interned_record *record,
		    uint32_t *number,
		    struct err *err) __attribute__((warn_unused_result));
/* As name_pool_find(). */
uint32_t record_pool_find(const struct record_pool *records, const struct interned_record *record);
/* Appends without a look-up: the caller guarantees that no equal one is there. */
int record_pool_append(struct record_pool *records, const struct interned_record *record,
		       uint32_t *number,
		       struct err *err) __attribute__((warn_unused_result));
/* The index of an inlined function's record, cached under the address of its name in the object
 * and its language; false: not in the cache. */
bool record_pool_cached(struct record_pool *records, struct text name, uint32_t language,
			uint32_t *number);
/* Prefetches the cache slot of a name that will be asked for. */
void record_pool_prefetch(const struct record_pool *records, struct text name);
int record_pool_cache(struct record_pool *records, struct text name, uint32_t language,
		      uint32_t number, struct err *err) __attribute__((warn_unused_result));
void record_pool_drop_cache(struct record_pool *records);
/* As name_pool_finish(). */
void record_pool_finish(struct record_pool *records);
void record_pool_release(struct record_pool *records);

#endif
