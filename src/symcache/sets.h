/*
 * sets -- growing arrays without duplicates, for the writer.
 *
 * An item is found again by its content and named by its number.  The hash table beside
 * each array holds 32-bit numbers only.  All memory is counted against one ceiling that
 * the threads share.
 */
#ifndef SYMCACHE_SETS_H
#define SYMCACHE_SETS_H

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

/* Counts memory got elsewhere. */
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


/* The names asked for last, by where the object holds them: most are never hashed. */
struct recalled {
	const char *bytes;
	uint32_t traits;         /* of the name; 0: nothing is remembered here */
	uint32_t number;
};

struct memory {
	struct recalled *at;
	size_t capacity;             /* a power of two, or 0 */
};

struct name {
	const char *bytes;       /* borrowed from the object */
	uint32_t size, hash;
};

struct names {
	struct budget *budget;
	struct name *items;
	size_t capacity;
	uint32_t count;
	struct slots slots;
	struct memory memory;
};

struct name name_of(struct text text);
/* Any text, empty too; its number. */
int names_add(struct names *names, struct text text, uint32_t *number, struct err *err)
	__attribute__((warn_unused_result));
/* The same for a name whose hash is known; does not look at the remembered ones. */
int names_add_hashed(struct names *names, const struct name *name, uint32_t *number,
		     struct err *err) __attribute__((warn_unused_result));
/* The number of one that is there, or UINT32_MAX; several threads may ask at once. */
uint32_t names_find(const struct names *names, const struct name *name);
/* Without looking for it. */
int names_append(struct names *names, const struct name *name, uint32_t *number, struct err *err)
	__attribute__((warn_unused_result));
/* The same for a text that will not last: a new one is copied into the arena. */
int names_add_copy(struct names *names, struct text text, struct arena *arena, uint32_t *number,
		   struct err *err) __attribute__((warn_unused_result));
/* Gives back what finds names by their place in the object. */
void names_forget(struct names *names);
/* Gives back what only adding needs; adding more makes it anew. */
void names_finish(struct names *names);
void names_release(struct names *names);

/* --- Records of four numbers: files, functions ---------------------------------------- */

struct record {
	uint32_t word[4];
};

struct records {
	struct budget *budget;
	struct record *items;
	size_t capacity;
	uint32_t count;
	struct slots slots;
	struct memory memory;
};

int records_add(struct records *records, const struct record *record, uint32_t *number,
		struct err *err) __attribute__((warn_unused_result));
/* As names_find(). */
uint32_t records_find(const struct records *records, const struct record *record);
/* Without looking for it: there is none like it. */
int records_append(struct records *records, const struct record *record, uint32_t *number,
		   struct err *err) __attribute__((warn_unused_result));
/* The record of an inlined function follows from its name, as the object holds it, and its
 * language.  Is it remembered? */
bool records_recall(struct records *records, struct text name, uint32_t language,
		    uint32_t *number);
/* It will be asked for: where it is remembered is fetched meanwhile. */
void records_expect(const struct records *records, struct text name);
int records_remember(struct records *records, struct text name, uint32_t language,
		     uint32_t number, struct err *err) __attribute__((warn_unused_result));
void records_forget(struct records *records);
/* Gives back what only adding needs; adding more makes it anew. */
void records_finish(struct records *records);
void records_release(struct records *records);

#endif
