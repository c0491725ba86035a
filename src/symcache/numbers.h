/*
 * numbers -- names, files and functions of all parts, numbered anew as the file will hold
 * them: in the order they are first asked for, each once.
 *
 * Names and functions of the first part are the beginning of those of all, where they lie: what
 * one thread has told apart is not told apart again, nor held twice (merge.h).
 */
#ifndef SYMCACHE_NUMBERS_H
#define SYMCACHE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symcache/cover.h"
#include "symcache/layout.h"
#include "symcache/merge.h"
#include "symcache/part.h"

struct err;

/* The new numbers of one part's records: number + 1, 0 when it has none yet.  The first part's
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

struct numbers {
	struct budget *budget;
	const struct part *parts;
	size_t part_count;
	const struct cover_symbols *symbols;
	enum undecoration undecoration;  /* of the names of symbols */
	struct merged *merged;       /* one per part */
	struct renumbering *renumberings;      /* likewise */
	uint32_t *symbol_functions, *symbol_files;       /* number + 1 */
	struct names names;          /* of the first part, then what the rest adds */
	uint32_t *refs;              /* where each stands in the string table, or SYMC_NONE */
	struct names symbol_names;   /* told apart among themselves only: few are functions' too */
	uint32_t *symbol_name_numbers;         /* of each of those: among the names */
	struct records functions;    /* with numbers of names */
	size_t ref_capacity, symbol_name_capacity, function_capacity;        /* the last: of their new numbers */
	/* what the file holds */
	struct listed name_list, function_list;
	uint64_t string_bytes;
	struct records files;        /* as in the file, but for a tail that is always the same */
};

/* Takes names and functions out of the first part. */
int numbers_init(struct numbers *numbers, struct part *parts, size_t part_count,
		 const struct cover_symbols *symbols, enum undecoration undecoration,
		 unsigned threads, struct budget *budget, struct err *err)
	__attribute__((warn_unused_result));
/* After a failed init too. */
void numbers_release(struct numbers *numbers);
/* Gives back what only numbering needs. */
void numbers_finish(struct numbers *numbers);

/* Number what has no number yet.  A file may be SYMC_NONE. */
int numbers_add_file(struct numbers *numbers, uint32_t part, uint32_t file, struct err *err)
	__attribute__((warn_unused_result));
int numbers_add_function(struct numbers *numbers, uint32_t part, uint32_t function,
			 struct err *err) __attribute__((warn_unused_result));
int numbers_add_symbol(struct numbers *numbers, uint32_t symbol, struct err *err)
	__attribute__((warn_unused_result));
/* The file the symbol table names for a symbol, if it does. */
int numbers_add_symbol_file(struct numbers *numbers, uint32_t symbol, struct err *err)
	__attribute__((warn_unused_result));

static inline bool numbers_has_file(const struct numbers *numbers, uint32_t part, uint32_t file)
{
	return file == SYMC_NONE || numbers->renumberings[part].files[file];
}

/* The numbers of what was added. */
static inline uint32_t numbers_file(const struct numbers *numbers, uint32_t part, uint32_t file)
{
	return file == SYMC_NONE ? SYMC_NONE : numbers->renumberings[part].files[file] - 1;
}

static inline uint32_t numbers_function(const struct numbers *numbers, uint32_t part,
					uint32_t function)
{
	return numbers->renumberings[part].functions[function] - 1;
}

/* A function of the file, by its number there. */
static inline struct record numbers_function_record(const struct numbers *numbers,
						    uint32_t number)
{
	struct record record = numbers->functions.items[numbers->function_list.items[number]];

	record.word[FUNCTION_NAME] = numbers->refs[record.word[FUNCTION_NAME]];
	return record;
}

static inline uint32_t numbers_symbol(const struct numbers *numbers, uint32_t symbol)
{
	return numbers->symbol_functions[symbol] - 1;
}

/* 0 - 1 is SYMC_NONE: most symbols have no file. */
static inline uint32_t numbers_symbol_file(const struct numbers *numbers, uint32_t symbol)
{
	return numbers->symbol_files[symbol] - 1;
}

#endif
