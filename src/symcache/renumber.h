/*
 * renumber -- gives names, files and functions of all shards their index in the file: in the
 * order in which they are first referred to, each once.
 *
 * The first shard's pools of names and functions are extended in place, so that its entries are
 * neither interned again nor copied (merge.h).
 */
#ifndef SYMCACHE_RENUMBER_H
#define SYMCACHE_RENUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symcache/overlap.h"
#include "symcache/symcache_layout.h"
#include "symcache/merge.h"
#include "symcache/shard.h"

struct err;

/* The new numbers of one shard's records: number + 1, 0 when it has none yet.  The first shard's
 * functions are all functions. */
struct renumbering {
	uint32_t *files, *functions;
};

/* What of an array the file holds, in its order. */
struct listed {
	uint32_t *items;
	size_t capacity;
	uint32_t count;
};

struct renumber {
	struct budget *budget;
	const struct shard *shards;
	size_t shard_count;
	const struct overlap_symbols *symbols;
	enum undecoration undecoration;  /* of the names of symbols */
	struct merged *merged;       /* one per shard */
	struct renumbering *renumberings;      /* likewise */
	uint32_t *symbol_functions, *symbol_files;       /* number + 1 */
	struct name_pool names;      /* of the first shard, then what the rest adds */
	uint32_t *refs;              /* where each stands in the string table, or SYMC_NONE */
	struct name_pool symbol_names; /* a pool of their own: few are functions' names too */
	uint32_t *symbol_name_numbers;         /* of each of those: among the names */
	struct record_pool functions; /* with numbers of names */
	size_t ref_capacity, symbol_name_capacity, function_capacity;        /* the last: of their new numbers */
	/* what the file holds */
	struct listed name_list, function_list;
	uint64_t string_bytes;
	struct record_pool files;    /* as in the file, but for a tail that is always the same */
};

/* Moves names and functions out of the first shard. */
int renumber_init(struct renumber *renumber, struct shard *shards, size_t shard_count,
		  const struct overlap_symbols *symbols, enum undecoration undecoration,
		  unsigned threads, struct budget *budget, struct err *err)
	__attribute__((warn_unused_result));
/* After a failed init too. */
void renumber_release(struct renumber *renumber);
/* Frees what only numbering needs. */
void renumber_finish(struct renumber *renumber);

/* Number what has no number yet.  A file may be SYMC_NONE. */
int renumber_add_file(struct renumber *renumber, uint32_t shard, uint32_t file, struct err *err)
	__attribute__((warn_unused_result));
int renumber_add_function(struct renumber *renumber, uint32_t shard, uint32_t function,
			  struct err *err) __attribute__((warn_unused_result));
int renumber_add_symbol(struct renumber *renumber, uint32_t symbol, struct err *err)
	__attribute__((warn_unused_result));
/* The file the symbol table names for a symbol, if it does. */
int renumber_add_symbol_file(struct renumber *renumber, uint32_t symbol, struct err *err)
	__attribute__((warn_unused_result));

static inline bool renumber_has_file(const struct renumber *renumber, uint32_t shard, uint32_t file)
{
	return file == SYMC_NONE || renumber->renumberings[shard].files[file];
}

/* The numbers of what was added. */
static inline uint32_t renumber_file(const struct renumber *renumber, uint32_t shard, uint32_t file)
{
	return file == SYMC_NONE ? SYMC_NONE : renumber->renumberings[shard].files[file] - 1;
}

static inline uint32_t renumber_function(const struct renumber *renumber, uint32_t shard,
					 uint32_t function)
{
	return renumber->renumberings[shard].functions[function] - 1;
}

/* A function of the file, by its number there. */
static inline struct interned_record renumber_function_record(const struct renumber *renumber,
							      uint32_t number)
{
	struct interned_record record = renumber->functions.items[renumber->function_list.items[number]];

	record.word[FUNCTION_NAME] = renumber->refs[record.word[FUNCTION_NAME]];
	return record;
}

static inline uint32_t renumber_symbol(const struct renumber *renumber, uint32_t symbol)
{
	return renumber->symbol_functions[symbol] - 1;
}

/* 0 - 1 is SYMC_NONE: most symbols have no file. */
static inline uint32_t renumber_symbol_file(const struct renumber *renumber, uint32_t symbol)
{
	return renumber->symbol_files[symbol] - 1;
}

#endif
