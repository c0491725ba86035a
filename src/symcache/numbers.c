/* numbers.c -- see numbers.h. */
#include "symcache/numbers.h"

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

static int name_number(struct numbers *numbers, const struct name *name, uint32_t *number,
		       struct err *err)
{
	uint32_t count = numbers->names.count;

	if (names_add_hashed(&numbers->names, name, number, err) < 0 ||
	    budget_room(numbers->budget, &numbers->refs, &numbers->ref_room,
			numbers->names.count, sizeof(*numbers->refs), err) < 0)
		return -1;
	if (*number < count)
		return 0;
	if (numbers->string_bytes >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "more than 4 GiB of names");
	numbers->refs[*number] = (uint32_t)numbers->string_bytes;
	numbers->string_bytes += length_bytes(name->size) + name->size;
	return 0;
}

/* The string reference of a name of a part.  Functions and files remember theirs, so that a
 * name is seldom asked for twice. */
static int string_ref(struct numbers *numbers, uint32_t part, uint32_t name, uint32_t *ref,
		      struct err *err)
{
	uint32_t number;

	if (name_number(numbers, &numbers->parts[part].names.items[name], &number, err) < 0)
		return -1;
	*ref = numbers->refs[number];
	return 0;
}

/* SYMC_NONE for an empty one, if it may be left out. */
static int optional_ref(struct numbers *numbers, uint32_t part, uint32_t name, uint32_t *ref,
			struct err *err)
{
	*ref = SYMC_NONE;
	if (numbers->parts[part].names.items[name].size == 0)
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

int numbers_add_function(struct numbers *numbers, uint32_t part, uint32_t function,
			 struct err *err)
{
	uint32_t *known = &numbers->renumberings[part].functions[function], number;
	struct record record;

	if (*known)
		return 0;
	record = numbers->parts[part].functions.items[function];
	if (string_ref(numbers, part, record.word[FUNCTION_NAME], &record.word[FUNCTION_NAME],
		       err) < 0 ||
	    records_add(&numbers->functions, &record, &number, err) < 0)
		return -1;
	*known = number + 1;
	return 0;
}

/* --- Symbols ------------------------------------------------------------------------- */

int numbers_add_symbol(struct numbers *numbers, uint32_t symbol, struct err *err)
{
	const struct cover_symbol *item = &numbers->symbols->items[symbol];
	struct text text = { item->name, item->name_bytes };
	struct record record = { .word = { [FUNCTION_COMP_DIR] = SYMC_NONE,
					   [FUNCTION_ENTRY] = item->address,
					   [FUNCTION_LANGUAGE] = LANGUAGE_OF_SYMBOLS } };
	struct name name;
	uint32_t name_index, number;

	if (numbers->symbol_functions[symbol])
		return 0;
	if (numbers->undecorates)
		text = undecorate(text);
	name = name_of(text);
	if (name_number(numbers, &name, &name_index, err) < 0)
		return -1;
	record.word[FUNCTION_NAME] = numbers->refs[name_index];
	if (records_add(&numbers->functions, &record, &number, err) < 0)
		return -1;
	numbers->symbol_functions[symbol] = number + 1;
	return 0;
}

int numbers_add_symbol_file(struct numbers *numbers, uint32_t symbol, struct err *err)
{
	const struct cover_symbol *item = &numbers->symbols->items[symbol];
	struct record record = { .word = { [FILE_COMP_DIR] = SYMC_NONE,
					   [FILE_DIRECTORY] = SYMC_NONE } };
	struct name name;
	uint32_t name_index, number;

	if (item->file_bytes == 0 || numbers->symbol_files[symbol])
		return 0;
	name = name_of((struct text){ item->file, item->file_bytes });
	if (name_number(numbers, &name, &name_index, err) < 0)
		return -1;
	record.word[FILE_NAME] = numbers->refs[name_index];
	if (records_add(&numbers->files, &record, &number, err) < 0)
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
		struct renumbering *to = &numbers->renumberings[i];

		to->files = make_table(numbers, part->files.count, err);
		to->functions = to->files ? make_table(numbers, part->functions.count, err)
					  : NULL;
		if (!to->functions)
			return -1;
	}
	return 0;
}

int numbers_init(struct numbers *numbers, const struct part *parts, size_t part_count,
		 const struct cover_symbols *symbols, bool undecorates, struct budget *budget,
		 struct err *err)
{
	*numbers = (struct numbers){ .budget = budget, .parts = parts, .part_count = part_count,
				     .symbols = symbols, .undecorates = undecorates };
	numbers->names.budget = numbers->files.budget = numbers->functions.budget = budget;
	return make_renumberings(numbers, err);
}

void numbers_finish(struct numbers *numbers)
{
	names_finish(&numbers->names);
	records_finish(&numbers->files);
	records_finish(&numbers->functions);
}

void numbers_release(struct numbers *numbers)
{
	for (size_t i = 0; numbers->renumberings && i < numbers->part_count; i++) {
		mem_give_back(numbers->renumberings[i].files);
		mem_give_back(numbers->renumberings[i].functions);
	}
	mem_give_back(numbers->renumberings);
	mem_give_back(numbers->symbol_functions);
	mem_give_back(numbers->symbol_files);
	mem_give_back(numbers->refs);
	names_release(&numbers->names);
	records_release(&numbers->files);
	records_release(&numbers->functions);
}
