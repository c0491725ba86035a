/* symbols.c -- a radix sort, one pass that keeps the best of equals, and a bucket index. */
#include "object/symbols.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/search.h"

#define RADIX_BITS        11u
#define RADIX_BUCKETS     ((size_t)1 << RADIX_BITS)
#define RECORDS_PER_BUCKET 4u

int symbols_reserve(struct symbols *symbols, size_t capacity, struct arena *arena, struct err *err)
{
	*symbols = (struct symbols){ .capacity = capacity };
	if (capacity == 0)
		return 0;
	symbols->records = arena_alloc_raw(arena, capacity, sizeof(*symbols->records));
	if (!symbols->records)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu symbols", capacity);
	return 0;
}

static bool is_sorted(const struct symbols *symbols, uint64_t *greatest)
{
	bool sorted = true;

	*greatest = 0;
	for (size_t i = 0; i < symbols->count; i++) {
		if (symbols->records[i].address < *greatest)
			sorted = false;
		else
			*greatest = symbols->records[i].address;
	}
	return sorted;
}

static void radix_pass(const struct symbol_record *from, struct symbol_record *to, size_t count,
		       unsigned shift)
{
	size_t starts[RADIX_BUCKETS] = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		starts[from[i].address >> shift & (RADIX_BUCKETS - 1)]++;
	for (size_t b = 0; b < RADIX_BUCKETS; b++) {
		size_t here = starts[b];

		starts[b] = at;
		at += here;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[from[i].address >> shift & (RADIX_BUCKETS - 1)]++] = from[i];
}

/* Stable: equal addresses stay in the order they were added. */
static int sort_by_address(struct symbols *symbols, uint64_t greatest, struct err *err)
{
	struct symbol_record *other = mem_get_array(symbols->count, sizeof(*other));
	struct symbol_record *from = symbols->records, *to = other;

	if (!other)
		return err_set(err, ERR_NO_MEMORY, "no memory to sort %zu symbols",
			       symbols->count);
	for (unsigned shift = 0; shift < 64 && greatest >> shift; shift += RADIX_BITS) {
		struct symbol_record *swap = from;

		radix_pass(from, to, symbols->count, shift);
		from = to;
		to = swap;
	}
	if (from != symbols->records)
		memcpy(symbols->records, from, symbols->count * sizeof(*from));
	mem_give_back(other);
	return 0;
}

static bool is_better(const struct symbol_record *a, const struct symbol_record *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	if (symbol_table(a) != symbol_table(b))
		return symbol_table(a) < symbol_table(b);
	return symbol_index(a) > symbol_index(b);
}

static void keep_one_per_address(struct symbols *symbols)
{
	struct symbol_record *records = symbols->records;
	size_t kept = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		if (kept == 0 || records[kept - 1].address != records[i].address)
			records[kept++] = records[i];
		else if (is_better(&records[i], &records[kept - 1]))
			records[kept - 1] = records[i];
	}
	symbols->count = kept;
}

static int index_buckets(struct symbols *symbols, uint64_t greatest, struct arena *arena,
			 struct err *err)
{
	/* Two at least: no address is shifted by more than 63. */
	size_t buckets = symbols->count / RECORDS_PER_BUCKET + 2, at = 0;
	unsigned shift = 0;

	while (greatest >> shift >= buckets)
		shift++;
	buckets = (size_t)(greatest >> shift) + 1;
	symbols->starts = arena_alloc_raw(arena, buckets + 1, sizeof(*symbols->starts));
	if (!symbols->starts)
		return err_set(err, ERR_NO_MEMORY, "no memory to index %zu symbols",
			       symbols->count);
	for (size_t b = 0; b < buckets; b++) {
		while (at < symbols->count && symbols->records[at].address >> shift < b)
			at++;
		symbols->starts[b] = (uint32_t)at;
	}
	symbols->starts[buckets] = (uint32_t)symbols->count;
	symbols->bucket_count = buckets;
	symbols->shift = shift;
	return 0;
}

int symbols_settle(struct symbols *symbols, struct arena *arena, struct err *err)
{
	uint64_t greatest;

	if (symbols->count == 0)
		return 0;
	if (symbols->count > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 2^32 symbols");
	if (!is_sorted(symbols, &greatest) && sort_by_address(symbols, greatest, err) < 0)
		return -1;
	keep_one_per_address(symbols);
	return index_buckets(symbols, greatest, arena, err);
}

const struct symbol_record *symbols_at(const struct symbols *symbols, uint64_t address)
{
	uint64_t bucket = address >> symbols->shift;
	size_t at;

	if (bucket >= symbols->bucket_count)
		return NULL;
	SEARCH_PARTITION_POINT(at, symbols->starts[bucket], symbols->starts[bucket + 1],
			       symbols->records[at].address < address);
	return at < symbols->count && symbols->records[at].address == address ?
	       &symbols->records[at] : NULL;
}

/* The first record beyond the address. */
static size_t first_after(const struct symbols *symbols, uint64_t address)
{
	uint64_t bucket = address >> symbols->shift;
	size_t at;

	if (bucket >= symbols->bucket_count)
		return symbols->count;
	SEARCH_PARTITION_POINT(at, symbols->starts[bucket], symbols->starts[bucket + 1],
			       symbols->records[at].address <= address);
	return at;
}

const struct symbol_record *symbols_around(const struct symbols *symbols, uint64_t address,
					   uint64_t *start, uint64_t *end)
{
	size_t next = first_after(symbols, address);
	const struct symbol_record *record = next ? &symbols->records[next - 1] : NULL;
	uint64_t record_end;

	*start = 0;
	*end = next < symbols->count ? symbols->records[next].address : UINT64_MAX;
	if (!record)
		return NULL;
	record_end = record->size ? record->address + record->size : *end;
	if (record_end <= address) {
		*start = record_end;
		return NULL;
	}
	*start = record->address;
	if (record_end < *end)
		*end = record_end;
	return record;
}
