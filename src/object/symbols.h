/*
 * symbols -- the symbol table of a container, sorted, one name per address.
 *
 * Private to object.  A record does not hold the name but where it stands (table and index),
 * so that a million symbols cost 16 MB and no string is touched before it is asked for.
 *
 * Among several symbols at one address the one with the greatest size is kept; among those
 * of equal size the one of the earlier table, and within a table the last: locals stand
 * first, so a global beats a local.  That is what llvm-symbolizer answers (tests/object/test_symbols.c
 * compares).
 *
 * May include: base.
 */
#ifndef OBJECT_SYMBOLS_H
#define OBJECT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;

#define SYMBOLS_TABLE_SHIFT 29u                          /* place = table << 29 | index */
#define SYMBOLS_TABLES      8u
#define SYMBOLS_INDEX_MAX   (((uint32_t)1 << SYMBOLS_TABLE_SHIFT) - 1)

struct symbol_record {
	uint64_t address;            /* relative to the load address */
	uint32_t size;               /* cut to 32 bits; 0: unknown */
	uint32_t place;
};

struct symbols {
	struct symbol_record *records;
	size_t count, capacity;
	uint32_t *starts;            /* of bucket b: first record with address >> shift >= b */
	size_t bucket_count;
	unsigned shift;
};

/* Room for that many records, once. */
int  symbols_reserve(struct symbols *symbols, size_t capacity, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

static inline void symbols_add(struct symbols *symbols, uint64_t address, uint64_t size,
			       uint32_t table, uint32_t index)
{
	if (symbols->count == symbols->capacity || index > SYMBOLS_INDEX_MAX)
		return;
	symbols->records[symbols->count++] = (struct symbol_record){
		.address = address,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.place = table << SYMBOLS_TABLE_SHIFT | index,
	};
}

static inline uint32_t symbol_table(const struct symbol_record *record)
{
	return record->place >> SYMBOLS_TABLE_SHIFT;
}

static inline uint32_t symbol_index(const struct symbol_record *record)
{
	return record->place & SYMBOLS_INDEX_MAX;
}

/* Sorts, keeps one per address, makes symbols_at() quick. */
int  symbols_settle(struct symbols *symbols, struct arena *arena, struct err *err)
	__attribute__((warn_unused_result));

/* The symbol at exactly this address, or NULL. */
const struct symbol_record *symbols_at(const struct symbols *symbols, uint64_t address);

/* The widest [*start, *end) around the address that one symbol covers, or none (NULL). */
const struct symbol_record *symbols_around(const struct symbols *symbols, uint64_t address,
					   uint64_t *start, uint64_t *end);

#endif
