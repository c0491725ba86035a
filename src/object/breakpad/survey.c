/* survey.c -- one quick pass over all lines: where units begin, and what is not in them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/search.h"
#include "object/breakpad/breakpad.h"

#define FIRST_ROOM 64u

int breakpad_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t need,
		  size_t size, const char *what, struct err *err)
{
	size_t wanted = *capacity ? 2 * *capacity : FIRST_ROOM;
	void *bigger, *had;

	if (need <= *capacity)
		return 0;
	while (wanted < need)
		wanted *= 2;
	bigger = arena_alloc_raw(arena, wanted, size);
	if (!bigger)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu %s", wanted, what);
	memcpy(&had, items, sizeof(had));       /* the caller's pointer, whatever its type */
	if (count > 0)
		memcpy(bigger, had, count * size);
	memcpy(items, &bigger, sizeof(bigger));
	*capacity = wanted;
	return 0;
}

/* What the walk finds is not known beforehand, and to count it would be another walk. */
#define FOUND "records outside functions"

/* Units are cut at the first FUNC behind each megabyte. */
struct survey {
	struct breakpad *breakpad;
	struct arena *arena;
	const char *unit_start, *unit_end;
	bool in_function;
};

static int end_unit(struct survey *survey, struct err *err)
{
	struct breakpad *breakpad = survey->breakpad;

	if (!survey->unit_start)
		return 0;
	if (breakpad_grow(survey->arena, &breakpad->units, breakpad->unit_count,
			  &breakpad->unit_capacity, breakpad->unit_count + 1,
			  sizeof(*breakpad->units), FOUND, err) < 0)
		return -1;
	breakpad->units[breakpad->unit_count++] = (struct breakpad_unit){
		survey->unit_start, survey->unit_end };
	survey->unit_start = NULL;
	return 0;
}

static int cut(struct survey *survey, enum record_type record, const char *start, const char *next,
	       struct err *err)
{
	if (record == RECORD_FUNC) {
		if (survey->unit_start &&
		    (size_t)(start - survey->unit_start) >= BREAKPAD_UNIT_BYTES &&
		    end_unit(survey, err) < 0)
			return -1;
		if (!survey->unit_start)
			survey->unit_start = start;
		survey->in_function = true;
	} else if (record != RECORD_LINE && record != RECORD_INLINE &&
		   record != RECORD_INLINE_ORIGIN && record != RECORD_EMPTY) {
		survey->in_function = false;
	}
	if (survey->in_function)
		survey->unit_end = next;
	return 0;
}

static int keep_name(struct survey *survey, struct breakpad_names *names, struct fields line,
		     struct err *err)
{
	struct text text;
	uint32_t number;

	if (!field_decimal(&line, &number))
		return 0;
	text = field_rest(&line);
	if (text.size > UINT32_MAX)
		text.size = UINT32_MAX;
	if (breakpad_grow(survey->arena, &names->names, names->count, &names->capacity,
			  names->count + 1, sizeof(*names->names), FOUND, err) < 0)
		return -1;
	names->names[names->count++] = (struct breakpad_name){ text.bytes, (uint32_t)text.size,
							       number };
	return 0;
}

/* A PUBLIC that cannot be read costs itself. */
static int keep_public(struct survey *survey, struct fields line, struct err *err)
{
	struct breakpad *breakpad = survey->breakpad;
	struct object_symbol symbol = { .size = 0 };
	uint64_t parameters;

	field_skip_multiple(&line);
	if (!field_hex(&line, &symbol.address) || !field_hex(&line, &parameters))
		return 0;
	symbol.name = field_rest(&line);
	if (symbol.name.size == 0)
		symbol.name = TEXT("<unknown>");
	if (breakpad_grow(survey->arena, &breakpad->publics, breakpad->public_count,
			  &breakpad->public_capacity, breakpad->public_count + 1,
			  sizeof(*breakpad->publics), FOUND, err) < 0)
		return -1;
	breakpad->publics[breakpad->public_count++] = symbol;
	return 0;
}

/* FILE records belong before the first FUNC, as dumpers write them: elsewhere they are
 * ignored. */
static int keep(struct survey *survey, enum record_type record, struct fields line, struct err *err)
{
	struct breakpad *breakpad = survey->breakpad;

	if (record == RECORD_FILE && !survey->unit_start && breakpad->unit_count == 0)
		return keep_name(survey, &breakpad->files, line, err);
	if (record == RECORD_INLINE_ORIGIN)
		return keep_name(survey, &breakpad->origins, line, err);
	if (record == RECORD_PUBLIC)
		return keep_public(survey, line, err);
	return 0;
}

/* Over the records of lines, nearly all there is: they say nothing here, and begin as no other
 * does. */
static const char *skip_lines(const char *at, const char *end)
{
	while (at < end && (*at < 'A' || *at > 'Z')) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		at = stop ? stop + 1 : end;
	}
	return at;
}

static int walk(struct survey *survey, struct err *err)
{
	const char *end = survey->breakpad->end, *start = survey->breakpad->start, *at;
	struct fields line;

	while ((at = skip_lines(start, end)) < end) {
		enum record_type record;

		if (survey->in_function)
			survey->unit_end = at;
		start = at;
		(void)record_next(&at, end, &line);
		record = record_kind(&line);
		if (cut(survey, record, start, at, err) < 0 ||
		    keep(survey, record, line, err) < 0)
			return -1;
		start = at;
	}
	if (survey->in_function)
		survey->unit_end = end;
	return end_unit(survey, err);
}

static int compare_names(const void *left, const void *right)
{
	const struct breakpad_name *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static void sort_names(struct breakpad_names *names)
{
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < names->count && sorted; i++)
		sorted = names->names[i - 1].number < names->names[i].number;
	if (!sorted) {
		qsort(names->names, names->count, sizeof(*names->names), compare_names);
		for (size_t i = 0; i < names->count; i++) {
			if (kept > 0 && names->names[kept - 1].number == names->names[i].number)
				kept--;
			names->names[kept++] = names->names[i];
		}
		names->count = kept;
	}
	names->plain = names->count > 0 && names->names[names->count - 1].number == names->count - 1;
}

uint32_t breakpad_search_name(const struct breakpad_names *names, uint32_t number)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, names->count, names->names[at].number < number);
	return at < names->count && names->names[at].number == number ? (uint32_t)at
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
		breakpad->file_names[i] = split_path(breakpad_text(&breakpad->files.names[i]));
	return 0;
}

int breakpad_survey(struct breakpad *breakpad, struct arena *arena, struct err *err)
{
	struct survey survey = { .breakpad = breakpad, .arena = arena };

	if (walk(&survey, err) < 0)
		return -1;
	sort_names(&breakpad->files);
	sort_names(&breakpad->origins);
	sort_publics(breakpad);
	return split_files(breakpad, arena, err);
}
