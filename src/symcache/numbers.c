/* numbers.c -- see numbers.h. */
#include "symcache/numbers.h"

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

static int list(struct numbers *numbers, struct listed *list, uint32_t item, struct err *err)
{
	if (budget_reserve(numbers->budget, &list->items, &list->capacity, (size_t)list->count + 1,
			sizeof(*list->items), err) < 0)
		return -1;
	list->items[list->count++] = item;
	return 0;
}

/* The string reference of a name; one that has none yet is the next in the string table. */
static int name_ref(struct numbers *numbers, uint32_t name, uint32_t *ref, struct err *err)
{
	uint32_t size = numbers->names.items[name].size;

	*ref = numbers->refs[name];
	if (*ref != SYMC_NONE)
		return 0;
	if (numbers->string_bytes >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 4 GiB of names");
	if (list(numbers, &numbers->name_list, name, err) < 0)
		return -1;
	*ref = numbers->refs[name] = (uint32_t)numbers->string_bytes;
	numbers->string_bytes += length_bytes(size) + size;
	return 0;
}

/* `before`: how many there were.  Tables grow in steps; what is behind them is not touched. */
static int note_name(struct numbers *numbers, uint32_t name, uint32_t before, struct err *err)
{
	if (budget_reserve(numbers->budget, &numbers->refs, &numbers->ref_capacity,
			numbers->names.count, sizeof(*numbers->refs), err) < 0)
		return -1;
	if (name == before)
		numbers->refs[name] = SYMC_NONE;
	return 0;
}

/* With one part this spares all names a table. */
static int add_symbol_name(struct numbers *numbers, struct text text, uint32_t *number,
			   struct err *err)
{
	struct names *names = &numbers->symbol_names;
	const struct name name = name_of(text);
	uint32_t count = names->count, before = numbers->names.count, known;

	if (names_add_hashed(names, &name, &known, err) < 0 ||
	    budget_reserve(numbers->budget, &numbers->symbol_name_numbers, &numbers->symbol_name_capacity,
			names->count, sizeof(*numbers->symbol_name_numbers), err) < 0)
		return -1;
	if (known == count) {
		if (names_append(&numbers->names, &name, number, err) < 0)
			return -1;
		numbers->symbol_name_numbers[known] = *number;
	}
	*number = numbers->symbol_name_numbers[known];
	return note_name(numbers, *number, before, err);
}

/* The number among all names of one of a part's. */
static uint32_t name_of_part(const struct numbers *numbers, uint32_t part, uint32_t name)
{
	return part == 0 ? name : numbers->merged[part].names[name];
}

static int string_ref(struct numbers *numbers, uint32_t part, uint32_t name, uint32_t *ref,
		      struct err *err)
{
	return name_ref(numbers, name_of_part(numbers, part, name), ref, err);
}

/* SYMC_NONE for an empty one, if it may be left out. */
static int optional_ref(struct numbers *numbers, uint32_t part, uint32_t name, uint32_t *ref,
			struct err *err)
{
	*ref = SYMC_NONE;
	if (numbers->names.items[name_of_part(numbers, part, name)].size == 0)
		return 0;
	return string_ref(numbers, part, name, ref, err);
}

/* --- Files and functions ------------------------------------------------------------- */

int numbers_add_file(struct numbers *numbers, uint32_t part, uint32_t file, struct err *err)
{
	const struct record *from;
	struct record record = { .word = { 0 } };
	uint32_t *known, number;

	if (numbers_has_file(numbers, part, file))
		return 0;
	known = &numbers->renumberings[part].files[file];
	from = &numbers->parts[part].files.items[file];
	if (optional_ref(numbers, part, from->word[FILE_COMP_DIR], &record.word[FILE_COMP_DIR],
			 err) < 0 ||
	    optional_ref(numbers, part, from->word[FILE_DIRECTORY],
			 &record.word[FILE_DIRECTORY], err) < 0 ||
	    string_ref(numbers, part, from->word[FILE_NAME], &record.word[FILE_NAME], err) < 0 ||
	    records_add(&numbers->files, &record, &number, err) < 0)
		return -1;
	*known = number + 1;
	return 0;
}

/* The number + 1 of a function, by its place among all. */
static int number_function(struct numbers *numbers, uint32_t function, uint32_t *known,
			   struct err *err)
{
	uint32_t *number = &numbers->renumberings[0].functions[function], ref;

	if (*number == 0) {
		if (name_ref(numbers, numbers->functions.items[function].word[FUNCTION_NAME], &ref,
			     err) < 0 ||
		    list(numbers, &numbers->function_list, function, err) < 0)
			return -1;
		*number = numbers->function_list.count;
	}
	*known = *number;
	return 0;
}

/* Of a function found among all, or put behind them: `before`, how many there were. */
static int number_added(struct numbers *numbers, uint32_t function, uint32_t before,
			uint32_t *known, struct err *err)
{
	uint32_t **all = &numbers->renumberings[0].functions;

	if (budget_reserve(numbers->budget, all, &numbers->function_capacity, numbers->functions.count,
			sizeof(**all), err) < 0)
		return -1;
	if (function == before)
		(*all)[function] = 0;
	return number_function(numbers, function, known, err);
}

int numbers_add_function(struct numbers *numbers, uint32_t part, uint32_t function,
			 struct err *err)
{
	uint32_t *known = &numbers->renumberings[part].functions[function];

	if (*known)
		return 0;
	return number_function(numbers, part == 0 ? function
						  : numbers->merged[part].functions[function],
			       known, err);
}

/* --- Symbols ------------------------------------------------------------------------- */

/* There is one at an address, and none is like a function of a part. */
int numbers_add_symbol(struct numbers *numbers, uint32_t symbol, struct err *err)
{
	const struct cover_symbol *item = &numbers->symbols->items[symbol];
	struct text text = { item->name, item->name_bytes };
	struct record record = { .word = { [FUNCTION_COMP_DIR] = SYMC_NONE,
					   [FUNCTION_ENTRY] = item->address,
					   [FUNCTION_LANGUAGE] = LANGUAGE_OF_SYMBOLS } };
	uint32_t before = numbers->functions.count, number;

	if (numbers->symbol_functions[symbol])
		return 0;
	text = undecorate(text, numbers->undecoration);
	if (add_symbol_name(numbers, text, &record.word[FUNCTION_NAME], err) < 0 ||
	    records_append(&numbers->functions, &record, &number, err) < 0)
		return -1;
	return number_added(numbers, number, before, &numbers->symbol_functions[symbol],
			    err);
}

int numbers_add_symbol_file(struct numbers *numbers, uint32_t symbol, struct err *err)
{
	const struct cover_symbol *item = &numbers->symbols->items[symbol];
	struct record record = { .word = { [FILE_COMP_DIR] = SYMC_NONE,
					   [FILE_DIRECTORY] = SYMC_NONE } };
	uint32_t name, number;

	if (item->file_bytes == 0 || numbers->symbol_files[symbol])
		return 0;
	if (add_symbol_name(numbers, (struct text){ item->file, item->file_bytes }, &name,
			    err) < 0 ||
	    name_ref(numbers, name, &record.word[FILE_NAME], err) < 0 ||
	    records_add(&numbers->files, &record, &number, err) < 0)
		return -1;
	numbers->symbol_files[symbol] = number + 1;
	return 0;
}

/* --- Together ------------------------------------------------------------------------ */

static uint32_t *make_table(struct numbers *numbers, size_t count, struct err *err)
{
	uint32_t *table;

	if (budget_count(numbers->budget, (count + 1) * sizeof(*table), err) < 0)
		return NULL;
	table = mem_get_array(count + 1, sizeof(*table));
	if (!table)
		err_set(err, ERR_NO_MEMORY, "no room for %zu numbers", count);
	return table;
}

static int make_renumberings(struct numbers *numbers, struct err *err)
{
	numbers->symbol_functions = make_table(numbers, numbers->symbols->count, err);
	if (!numbers->symbol_functions)
		return -1;
	numbers->symbol_files = make_table(numbers, numbers->symbols->count, err);
	if (!numbers->symbol_files)
		return -1;
	numbers->renumberings = mem_get_array(numbers->part_count + 1,
					      sizeof(*numbers->renumberings));
	if (!numbers->renumberings)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu parts", numbers->part_count);
	for (size_t i = 0; i < numbers->part_count; i++) {
		const struct part *part = &numbers->parts[i];
		size_t functions = i == 0 ? numbers->functions.count : part->functions.count;
		struct renumbering *to = &numbers->renumberings[i];

		to->files = make_table(numbers, part->files.count, err);
		to->functions = to->files ? make_table(numbers, functions, err) : NULL;
		if (!to->functions)
			return -1;
	}
	numbers->function_capacity = (size_t)numbers->functions.count + 1;
	return 0;
}

static int make_refs(struct numbers *numbers, struct err *err)
{
	size_t count = numbers->names.count;

	numbers->refs = make_table(numbers, count, err);
	if (!numbers->refs)
		return -1;
	memset(numbers->refs, 0xff, count * sizeof(*numbers->refs));     /* SYMC_NONE */
	numbers->ref_capacity = count + 1;
	return 0;
}

int numbers_init(struct numbers *numbers, struct part *parts, size_t part_count,
		 const struct cover_symbols *symbols, enum undecoration undecoration,
		 unsigned threads, struct budget *budget, struct err *err)
{
	*numbers = (struct numbers){ .budget = budget, .parts = parts, .part_count = part_count,
				     .symbols = symbols, .undecoration = undecoration,
				     .names = parts[0].names, .functions = parts[0].functions };
	parts[0].names = (struct names){ .budget = budget };
	parts[0].functions = (struct records){ .budget = budget };
	numbers->files.budget = numbers->symbol_names.budget = budget;
	numbers->merged = mem_get_array(part_count + 1, sizeof(*numbers->merged));
	if (!numbers->merged)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu parts", part_count);
	if (merge_parts(&numbers->names, &numbers->functions, parts, part_count, numbers->merged,
			threads, err) < 0 ||
	    make_refs(numbers, err) < 0)
		return -1;
	return make_renumberings(numbers, err);
}

void numbers_finish(struct numbers *numbers)
{
	names_finish(&numbers->symbol_names);
	records_finish(&numbers->files);
}

void numbers_release(struct numbers *numbers)
{
	for (size_t i = 0; numbers->merged && i < numbers->part_count; i++) {
		mem_give_back(numbers->merged[i].names);
		mem_give_back(numbers->merged[i].functions);
	}
	mem_give_back(numbers->merged);
	for (size_t i = 0; numbers->renumberings && i < numbers->part_count; i++) {
		mem_give_back(numbers->renumberings[i].files);
		mem_give_back(numbers->renumberings[i].functions);
	}
	mem_give_back(numbers->renumberings);
	mem_give_back(numbers->symbol_functions);
	mem_give_back(numbers->symbol_files);
	mem_give_back(numbers->refs);
	mem_give_back(numbers->name_list.items);
	mem_give_back(numbers->function_list.items);
	names_release(&numbers->names);
	names_release(&numbers->symbol_names);
	mem_give_back(numbers->symbol_name_numbers);
	records_release(&numbers->files);
	records_release(&numbers->functions);
}
