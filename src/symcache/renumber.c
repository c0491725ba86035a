/* renumber.c -- see renumber.h. */
#include "symcache/renumber.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "symcache/undecorate.h"

#define LANGUAGE_OF_SYMBOLS UINT32_MAX       /* as the format's other writers have it */

/* --- Names --------------------------------------------------------------------------- */

static size_t length_bytes(uint32_t size)
{
	size_t bytes = 1;

	for (; size >= 0x80; size >>= 7)
		bytes++;
	return bytes;
}

static int list(struct renumber *renumber, struct listed *list, uint32_t item, struct err *err)
{
	if (budget_reserve(renumber->budget, &list->items, &list->capacity, (size_t)list->count + 1,
			sizeof(*list->items), err) < 0)
		return -1;
	list->items[list->count++] = item;
	return 0;
}

/* The string reference of a name; one that has none yet is the next in the string table. */
static int name_ref(struct renumber *renumber, uint32_t name, uint32_t *ref, struct err *err)
{
	uint32_t size = renumber->names.items[name].size;

	*ref = renumber->refs[name];
	if (*ref != SYMC_NONE)
		return 0;
	if (renumber->string_bytes >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 4 GiB of names");
	if (list(renumber, &renumber->name_list, name, err) < 0)
		return -1;
	*ref = renumber->refs[name] = (uint32_t)renumber->string_bytes;
	renumber->string_bytes += length_bytes(size) + size;
	return 0;
}

/* `before`: how many there were.  Tables grow in steps; what is behind them is not touched. */
static int note_name(struct renumber *renumber, uint32_t name, uint32_t before, struct err *err)
{
	if (budget_reserve(renumber->budget, &renumber->refs, &renumber->ref_capacity,
			renumber->names.count, sizeof(*renumber->refs), err) < 0)
		return -1;
	if (name == before)
		renumber->refs[name] = SYMC_NONE;
	return 0;
}

/* With one shard this spares all names a table. */
static int add_symbol_name(struct renumber *renumber, struct text text, uint32_t *number,
			   struct err *err)
{
	struct name_pool *names = &renumber->symbol_names;
	const struct interned_name name = interned_name_of(text);
	uint32_t count = names->count, before = renumber->names.count, known;

	if (name_pool_add_hashed(names, &name, &known, err) < 0 ||
	    budget_reserve(renumber->budget, &renumber->symbol_name_numbers, &renumber->symbol_name_capacity,
			names->count, sizeof(*renumber->symbol_name_numbers), err) < 0)
		return -1;
	if (known == count) {
		if (name_pool_append(&renumber->names, &name, number, err) < 0)
			return -1;
		renumber->symbol_name_numbers[known] = *number;
	}
	*number = renumber->symbol_name_numbers[known];
	return note_name(renumber, *number, before, err);
}

/* The number among all names of one of a shard's. */
static uint32_t name_of_shard(const struct renumber *renumber, uint32_t shard, uint32_t name)
{
	return shard == 0 ? name : renumber->merged[shard].names[name];
}

static int string_ref(struct renumber *renumber, uint32_t shard, uint32_t name, uint32_t *ref,
		      struct err *err)
{
	return name_ref(renumber, name_of_shard(renumber, shard, name), ref, err);
}

/* SYMC_NONE for an empty one, if it may be left out. */
static int optional_ref(struct renumber *renumber, uint32_t shard, uint32_t name, uint32_t *ref,
			struct err *err)
{
	*ref = SYMC_NONE;
	if (renumber->names.items[name_of_shard(renumber, shard, name)].size == 0)
		return 0;
	return string_ref(renumber, shard, name, ref, err);
}

/* --- Files and functions ------------------------------------------------------------- */

int renumber_add_file(struct renumber *renumber, uint32_t shard, uint32_t file, struct err *err)
{
	const struct interned_record *from;
	struct interned_record record = { .word = { 0 } };
	uint32_t *known, number;

	if (renumber_has_file(renumber, shard, file))
		return 0;
	known = &renumber->renumberings[shard].files[file];
	from = &renumber->shards[shard].files.items[file];
	if (optional_ref(renumber, shard, from->word[FILE_COMP_DIR], &record.word[FILE_COMP_DIR],
			 err) < 0 ||
	    optional_ref(renumber, shard, from->word[FILE_DIRECTORY],
			 &record.word[FILE_DIRECTORY], err) < 0 ||
	    string_ref(renumber, shard, from->word[FILE_NAME], &record.word[FILE_NAME], err) < 0 ||
	    record_pool_add(&renumber->files, &record, &number, err) < 0)
		return -1;
	*known = number + 1;
	return 0;
}

/* The number + 1 of a function, by its place among all. */
static int number_function(struct renumber *renumber, uint32_t function, uint32_t *known,
			   struct err *err)
{
	uint32_t *number = &renumber->renumberings[0].functions[function], ref;

	if (*number == 0) {
		if (name_ref(renumber, renumber->functions.items[function].word[FUNCTION_NAME], &ref,
			     err) < 0 ||
		    list(renumber, &renumber->function_list, function, err) < 0)
			return -1;
		*number = renumber->function_list.count;
	}
	*known = *number;
	return 0;
}

/* Of a function found among all, or put behind them: `before`, how many there were. */
static int number_added(struct renumber *renumber, uint32_t function, uint32_t before,
			uint32_t *known, struct err *err)
{
	uint32_t **all = &renumber->renumberings[0].functions;

	if (budget_reserve(renumber->budget, all, &renumber->function_capacity, renumber->functions.count,
			sizeof(**all), err) < 0)
		return -1;
	if (function == before)
		(*all)[function] = 0;
	return number_function(renumber, function, known, err);
}

int renumber_add_function(struct renumber *renumber, uint32_t shard, uint32_t function,
			 struct err *err)
{
	uint32_t *known = &renumber->renumberings[shard].functions[function];

	if (*known)
		return 0;
	return number_function(renumber, shard == 0 ? function
						  : renumber->merged[shard].functions[function],
			       known, err);
}

/* --- Symbols ------------------------------------------------------------------------- */

/* There is one at an address, and none is like a function of a shard. */
int renumber_add_symbol(struct renumber *renumber, uint32_t symbol, struct err *err)
{
	const struct overlap_symbol *item = &renumber->symbols->items[symbol];
	struct text text = { item->name, item->name_bytes };
	struct interned_record record = { .word = { [FUNCTION_COMP_DIR] = SYMC_NONE,
					   [FUNCTION_ENTRY] = item->address,
					   [FUNCTION_LANGUAGE] = LANGUAGE_OF_SYMBOLS } };
	uint32_t before = renumber->functions.count, number;

	if (renumber->symbol_functions[symbol])
		return 0;
	text = undecorate(text, renumber->undecoration);
	if (add_symbol_name(renumber, text, &record.word[FUNCTION_NAME], err) < 0 ||
	    record_pool_append(&renumber->functions, &record, &number, err) < 0)
		return -1;
	return number_added(renumber, number, before, &renumber->symbol_functions[symbol],
			    err);
}

int renumber_add_symbol_file(struct renumber *renumber, uint32_t symbol, struct err *err)
{
	const struct overlap_symbol *item = &renumber->symbols->items[symbol];
	struct interned_record record = { .word = { [FILE_COMP_DIR] = SYMC_NONE,
					   [FILE_DIRECTORY] = SYMC_NONE } };
	uint32_t name, number;

	if (item->file_bytes == 0 || renumber->symbol_files[symbol])
		return 0;
	if (add_symbol_name(renumber, (struct text){ item->file, item->file_bytes }, &name,
			    err) < 0 ||
	    name_ref(renumber, name, &record.word[FILE_NAME], err) < 0 ||
	    record_pool_add(&renumber->files, &record, &number, err) < 0)
		return -1;
	renumber->symbol_files[symbol] = number + 1;
	return 0;
}

/* --- Together ------------------------------------------------------------------------ */

static uint32_t *make_table(struct renumber *renumber, size_t count, struct err *err)
{
	uint32_t *table;

	if (budget_count(renumber->budget, (count + 1) * sizeof(*table), err) < 0)
		return NULL;
	table = mem_get_array(count + 1, sizeof(*table));
	if (!table)
		err_set(err, ERR_NO_MEMORY, "no room for %zu numbers", count);
	return table;
}

static int make_renumberings(struct renumber *renumber, struct err *err)
{
	renumber->symbol_functions = make_table(renumber, renumber->symbols->count, err);
	if (!renumber->symbol_functions)
		return -1;
	renumber->symbol_files = make_table(renumber, renumber->symbols->count, err);
	if (!renumber->symbol_files)
		return -1;
	renumber->renumberings = mem_get_array(renumber->shard_count + 1,
					      sizeof(*renumber->renumberings));
	if (!renumber->renumberings)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu shards", renumber->shard_count);
	for (size_t i = 0; i < renumber->shard_count; i++) {
		const struct shard *shard = &renumber->shards[i];
		size_t functions = i == 0 ? renumber->functions.count : shard->functions.count;
		struct renumbering *to = &renumber->renumberings[i];

		to->files = make_table(renumber, shard->files.count, err);
		to->functions = to->files ? make_table(renumber, functions, err) : NULL;
		if (!to->functions)
			return -1;
	}
	renumber->function_capacity = (size_t)renumber->functions.count + 1;
	return 0;
}

static int make_refs(struct renumber *renumber, struct err *err)
{
	size_t count = renumber->names.count;

	renumber->refs = make_table(renumber, count, err);
	if (!renumber->refs)
		return -1;
	memset(renumber->refs, 0xff, count * sizeof(*renumber->refs));     /* SYMC_NONE */
	renumber->ref_capacity = count + 1;
	return 0;
}

int renumber_init(struct renumber *renumber, struct shard *shards, size_t shard_count,
		 const struct overlap_symbols *symbols, enum undecoration undecoration,
		 unsigned threads, struct budget *budget, struct err *err)
{
	*renumber = (struct renumber){ .budget = budget, .shards = shards, .shard_count = shard_count,
				     .symbols = symbols, .undecoration = undecoration,
				     .names = shards[0].names, .functions = shards[0].functions };
	shards[0].names = (struct name_pool){ .budget = budget };
	shards[0].functions = (struct record_pool){ .budget = budget };
	renumber->files.budget = renumber->symbol_names.budget = budget;
	renumber->merged = mem_get_array(shard_count + 1, sizeof(*renumber->merged));
	if (!renumber->merged)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu shards", shard_count);
	if (merge_shards(&renumber->names, &renumber->functions, shards, shard_count, renumber->merged,
			threads, err) < 0 ||
	    make_refs(renumber, err) < 0)
		return -1;
	return make_renumberings(renumber, err);
}

void renumber_finish(struct renumber *renumber)
{
	name_pool_finish(&renumber->symbol_names);
	record_pool_finish(&renumber->files);
}

void renumber_release(struct renumber *renumber)
{
	for (size_t i = 0; renumber->merged && i < renumber->shard_count; i++) {
		mem_give_back(renumber->merged[i].names);
		mem_give_back(renumber->merged[i].functions);
	}
	mem_give_back(renumber->merged);
	for (size_t i = 0; renumber->renumberings && i < renumber->shard_count; i++) {
		mem_give_back(renumber->renumberings[i].files);
		mem_give_back(renumber->renumberings[i].functions);
	}
	mem_give_back(renumber->renumberings);
	mem_give_back(renumber->symbol_functions);
	mem_give_back(renumber->symbol_files);
	mem_give_back(renumber->refs);
	mem_give_back(renumber->name_list.items);
	mem_give_back(renumber->function_list.items);
	name_pool_release(&renumber->names);
	name_pool_release(&renumber->symbol_names);
	mem_give_back(renumber->symbol_name_numbers);
	record_pool_release(&renumber->files);
	record_pool_release(&renumber->functions);
}
