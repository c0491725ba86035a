/* survey.c -- one quick pass over all lines: where units begin, and what is not in them. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "object/breakpad/breakpad.h"

struct counts {
	size_t units, files, origins, publics;
};

/* Units are cut at the first FUNC behind each megabyte. */
struct cutter {
	const char *unit_start, *unit_end;
	bool in_function;
};

static void end_unit(struct breakpad *breakpad, struct cutter *cutter, bool keep)
{
	if (cutter->unit_start && keep)
		breakpad->units[breakpad->unit_count] = (struct breakpad_unit){
			cutter->unit_start, cutter->unit_end };
	if (cutter->unit_start)
		breakpad->unit_count++;
	cutter->unit_start = NULL;
}

static void cut(struct breakpad *breakpad, struct cutter *cutter, enum record record,
		const char *start, const char *next, bool keep)
{
	if (record == RECORD_FUNC) {
		if (cutter->unit_start &&
		    (size_t)(start - cutter->unit_start) >= BREAKPAD_UNIT_BYTES)
			end_unit(breakpad, cutter, keep);
		if (!cutter->unit_start)
			cutter->unit_start = start;
		cutter->in_function = true;
	} else if (record != RECORD_LINE && record != RECORD_INLINE &&
		   record != RECORD_INLINE_ORIGIN && record != RECORD_EMPTY) {
		cutter->in_function = false;
	}
	if (cutter->in_function)
		cutter->unit_end = next;
}

static void keep_name(struct breakpad_names *names, struct fields line)
{
	struct breakpad_name *name = &names->names[names->count];

	if (!field_decimal(&line, &name->number))
		return;
	name->text = field_rest(&line);
	names->count++;
}

/* A PUBLIC that cannot be read costs itself. */
static void keep_public(struct breakpad *breakpad, struct fields line)
{
	struct object_symbol *symbol = &breakpad->publics[breakpad->public_count];
	uint64_t parameters;

	field_skip_multiple(&line);
	if (!field_hex(&line, &symbol->address) || !field_hex(&line, &parameters))
		return;
	symbol->name = field_rest(&line);
	if (symbol->name.size == 0)
		symbol->name = TEXT("<unknown>");
	breakpad->public_count++;
}

/* FILE records belong before the first FUNC, as dumpers write them: elsewhere they are
 * ignored.  Without `keep` only the counts are wanted. */
static struct counts walk(struct breakpad *breakpad, bool keep)
{
	struct cutter cutter = { .unit_start = NULL };
	struct counts counts = { 0 };
	const char *at = breakpad->start, *start = at;
	struct fields line;

	breakpad->unit_count = 0;
	while (record_next(&at, breakpad->end, &line)) {
		enum record record = record_kind(&line);

		cut(breakpad, &cutter, record, start, at, keep);
		if (record == RECORD_FILE && !cutter.unit_start && breakpad->unit_count == 0) {
			counts.files++;
			if (keep)
				keep_name(&breakpad->files, line);
		} else if (record == RECORD_INLINE_ORIGIN) {
			counts.origins++;
			if (keep)
				keep_name(&breakpad->origins, line);
		} else if (record == RECORD_PUBLIC) {
			counts.publics++;
			if (keep)
				keep_public(breakpad, line);
		}
		start = at;
	}
	end_unit(breakpad, &cutter, keep);
	counts.units = breakpad->unit_count;
	return counts;
}

static int compare_names(const void *left, const void *right)
{
	const struct breakpad_name *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->text.bytes < b->text.bytes ? -1 : a->text.bytes > b->text.bytes;
}

static void sort_names(struct breakpad_names *names)
{
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < names->count && sorted; i++)
		sorted = names->names[i - 1].number < names->names[i].number;
	if (sorted)
		return;
	qsort(names->names, names->count, sizeof(*names->names), compare_names);
	for (size_t i = 0; i < names->count; i++) {
		if (kept > 0 && names->names[kept - 1].number == names->names[i].number)
			kept--;
		names->names[kept++] = names->names[i];
	}
	names->count = kept;
}

uint32_t breakpad_find_name(const struct breakpad_names *names, uint32_t number)
{
	size_t low = 0, high = names->count;

	/* Numbers nearly always run 0, 1, 2, ... */
	if (number < names->count && names->names[number].number == number)
		return number;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->names[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names->count && names->names[low].number == number ? (uint32_t)low
									 : OBJECT_NO_FILE;
}

static int compare_publics(const void *left, const void *right)
{
	const struct object_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name.bytes < b->name.bytes ? -1 : a->name.bytes > b->name.bytes;
}

/* Of several at one address the first in the file is meant. */
static void sort_publics(struct breakpad *breakpad)
{
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < breakpad->public_count && sorted; i++)
		sorted = breakpad->publics[i - 1].address < breakpad->publics[i].address;
	if (sorted)
		return;
	qsort(breakpad->publics, breakpad->public_count, sizeof(*breakpad->publics),
	      compare_publics);
	for (size_t i = 0; i < breakpad->public_count; i++)
		if (kept == 0 || breakpad->publics[kept - 1].address != breakpad->publics[i].address)
			breakpad->publics[kept++] = breakpad->publics[i];
	breakpad->public_count = kept;
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* Directory and name, by the last separator of either kind. */
static struct object_file_name split_path(struct text path)
{
	struct object_file_name file = { TEXT_NONE, TEXT_NONE, path };
	size_t cut;

	while (path.size > 1 && is_slash(path.bytes[path.size - 1]))
		path.size--;
	for (cut = path.size; cut > 0 && !is_slash(path.bytes[cut - 1]); cut--)
		;
	if (cut == 0 || cut == path.size)
		return file;
	file.name = (struct text){ path.bytes + cut, path.size - cut };
	file.directory = (struct text){ path.bytes, cut > 1 ? cut - 1 : 1 };
	return file;
}

static int split_files(struct breakpad *breakpad, struct arena *arena, struct err *err)
{
	size_t count = breakpad->files.count;

	breakpad->file_names = arena_alloc(arena, count + 1, sizeof(*breakpad->file_names));
	if (!breakpad->file_names)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu file names", count);
	for (size_t i = 0; i < count; i++)
		breakpad->file_names[i] = split_path(breakpad->files.names[i].text);
	return 0;
}

int breakpad_survey(struct breakpad *breakpad, struct arena *arena, struct err *err)
{
	struct counts counts = walk(breakpad, false);

	breakpad->units = arena_alloc(arena, counts.units + 1, sizeof(*breakpad->units));
	breakpad->files.names = arena_alloc(arena, counts.files + 1, sizeof(struct breakpad_name));
	breakpad->origins.names = arena_alloc(arena, counts.origins + 1,
					      sizeof(struct breakpad_name));
	breakpad->publics = arena_alloc(arena, counts.publics + 1, sizeof(*breakpad->publics));
	if (!breakpad->units || !breakpad->files.names || !breakpad->origins.names ||
	    !breakpad->publics)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu files, %zu origins, %zu publics",
			       counts.files, counts.origins, counts.publics);
	(void)walk(breakpad, true);
	sort_names(&breakpad->files);
	sort_names(&breakpad->origins);
	sort_publics(breakpad);
	return split_files(breakpad, arena, err);
}
