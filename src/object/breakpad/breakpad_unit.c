/* breakpad_unit.c -- the functions of one unit: FUNC, its line records and its INLINE records. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "object/breakpad/breakpad.h"

#define RECORDS "records of one function"

struct line_record {
	uint64_t address, end;
	uint32_t file, line;
	uint32_t order;
};

/* Arrays that grow in the scratch arena and are used again for the next function. */
struct unit_builder {
	const struct breakpad *breakpad;
	struct arena *scratch;
	const struct object_sink *sink;
	struct object_range range;
	struct text name;
	bool open;                   /* inside a FUNC that counts */
	const char *func_at;         /* for messages */
	struct line_record *records;
	size_t record_count, record_capacity;
	struct breakpad_inline *inlines;
	size_t inline_count, inline_capacity;
	struct object_line *lines;
	size_t line_capacity;
	struct work_allowance work;
};

static uint64_t end_of(uint64_t address, uint64_t size)
{
	return size > UINT64_MAX - address ? UINT64_MAX : address + size;
}

static int refuse(const struct unit_builder *unit, const char *what, const char *line,
		  struct err *err)
{
	return err_set(err, ERR_MALFORMED, "bad %s record at byte %zu", what,
		       (size_t)(line - unit->breakpad->start));
}

static int begin_function(struct unit_builder *unit, struct fields line, const char *start,
			  struct err *err)
{
	uint64_t parameters;

	field_skip_multiple(&line);
	if (!field_hex(&line, &unit->range.address) || !field_hex(&line, &unit->range.size) ||
	    !field_hex(&line, &parameters))
		return refuse(unit, "FUNC", start, err);
	unit->name = field_rest(&line);
	if (unit->name.size == 0)
		unit->name = TEXT("<unknown>");
	unit->range.size = end_of(unit->range.address, unit->range.size) - unit->range.address;
	unit->open = unit->range.size > 0;
	unit->func_at = start;
	unit->record_count = 0;
	unit->inline_count = 0;
	return 0;
}

static int add_line(struct unit_builder *unit, const struct line_fields *line, struct err *err)
{
	if (line->size == 0 || !unit->open)
		return 0;
	if (unit->record_count == unit->record_capacity &&
	    breakpad_grow(unit->scratch, &unit->records, unit->record_count, &unit->record_capacity,
			  unit->record_count + 1, sizeof(*unit->records), RECORDS, err) < 0)
		return -1;
	unit->records[unit->record_count] = (struct line_record){
		.address = line->address, .end = end_of(line->address, line->size),
		.line = line->line, .file = breakpad_find_name(&unit->breakpad->files, line->file),
		.order = (uint32_t)unit->record_count,
	};
	unit->record_count++;
	return 0;
}

static int read_line(struct unit_builder *unit, struct fields fields, const char *start,
		     struct err *err)
{
	struct line_fields line;

	if (!field_hex(&fields, &line.address) || !field_hex(&fields, &line.size) ||
	    !field_line_number(&fields, &line.line) || !field_decimal(&fields, &line.file) ||
	    fields.at != fields.end)
		return refuse(unit, "line", start, err);
	return add_line(unit, &line, err);
}

static int add_inline_range(struct unit_builder *unit, const struct breakpad_inline *record,
			    struct err *err)
{
	if (breakpad_grow(unit->scratch, &unit->inlines, unit->inline_count, &unit->inline_capacity,
			  unit->inline_count + 1, sizeof(*unit->inlines), RECORDS, err) < 0)
		return -1;
	unit->inlines[unit->inline_count] = *record;
	unit->inlines[unit->inline_count].order = (uint32_t)unit->inline_count;
	unit->inline_count++;
	return 0;
}

static int add_inline(struct unit_builder *unit, struct fields line, const char *start,
		      struct err *err)
{
	const struct breakpad *breakpad = unit->breakpad;
	struct breakpad_inline record;
	uint32_t file, origin;

	if (!field_decimal(&line, &record.depth) || !field_line_number(&line, &record.call_line) ||
	    !field_decimal(&line, &file) || !field_decimal(&line, &origin) ||
	    line.at == line.end)
		return refuse(unit, "INLINE", start, err);
	record.call_file = breakpad_find_name(&breakpad->files, file);
	origin = breakpad_find_name(&breakpad->origins, origin);
	record.origin = origin == OBJECT_NO_FILE ? TEXT_NONE
						 : breakpad_text(&breakpad->origins.names[origin]);
	while (line.at != line.end) {
		uint64_t size;

		if (!field_hex(&line, &record.address) || !field_hex(&line, &size))
			return refuse(unit, "INLINE", start, err);
		record.end = end_of(record.address, size);
		if (size > 0 && unit->open && record.depth < LIMIT_INLINE_DEPTH &&
		    add_inline_range(unit, &record, err) < 0)
			return -1;
	}
	return 0;
}

static int compare_lines(const void *left, const void *right)
{
	const struct line_record *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_lines(struct unit_builder *unit)
{
	for (size_t i = 1; i < unit->record_count; i++) {
		if (unit->records[i].address >= unit->records[i - 1].address)
			continue;
		qsort(unit->records, unit->record_count, sizeof(*unit->records), compare_lines);
		return;
	}
}

/* Appends; of two lines at one address the later stays. */
static void put_line(struct unit_builder *unit, size_t *count, struct object_line line)
{
	if (*count > 0 && unit->lines[*count - 1].address == line.address)
		(*count)--;
	unit->lines[(*count)++] = line;
}

/* Between two lines, and behind the last, nothing is known. */
static int make_lines(struct unit_builder *unit, size_t *count, struct err *err)
{
	uint64_t from = unit->range.address, to = from + unit->range.size, covered = from;

	*count = 0;
	if (breakpad_grow(unit->scratch, &unit->lines, 0, &unit->line_capacity,
			  2 * unit->record_count + 1, sizeof(*unit->lines), RECORDS, err) < 0)
		return -1;
	sort_lines(unit);
	for (size_t i = 0; i < unit->record_count; i++) {
		const struct line_record *record = &unit->records[i];
		uint64_t address = record->address < from ? from : record->address;

		if (record->end <= from || address >= to)
			continue;
		if (covered < address && *count > 0)
			put_line(unit, count, (struct object_line){ covered, OBJECT_NO_FILE, 0 });
		put_line(unit, count, (struct object_line){ address, record->file, record->line });
		if (record->end > covered)
			covered = record->end;
	}
	if (covered < to && *count > 0)
		put_line(unit, count, (struct object_line){ covered, OBJECT_NO_FILE, 0 });
	return 0;
}

static int end_function(struct unit_builder *unit, struct err *err)
{
	const struct breakpad *breakpad = unit->breakpad;
	struct object_function function = {
		.range = unit->range, .name = unit->name, .language = LANGUAGE_UNKNOWN,
	};
	struct object_inlinee *inlinees = NULL;
	struct arena_mark mark;
	int rc;

	if (!unit->open)
		return 0;
	unit->open = false;
	if (make_lines(unit, &function.line_count, err) < 0)
		return -1;
	function.lines = unit->lines;
	mark = arena_mark(unit->scratch);
	if (breakpad_nest(&unit->range, unit->inlines, unit->inline_count, unit->scratch,
			  &inlinees, &function.inlinee_count, err) < 0)
		return err_while(err, "FUNC at byte %zu",
				 (size_t)(unit->func_at - breakpad->start));
	function.inlinees = inlinees;
	if (work_charge(&unit->work, object_function_steps(&function), err) < 0)
		return -1;
	rc = unit->sink->function(unit->sink->payload, breakpad->file_names,
				  breakpad->files.count, &function, err);
	arena_rewind(unit->scratch, mark);
	return rc ? -1 : 0;
}

static int read_record(struct unit_builder *unit, struct fields line, const char *start,
		       bool *in_function,
		       struct err *err)
{
	switch (record_kind(&line)) {
	case RECORD_FUNC:
		if (end_function(unit, err) < 0)
			return -1;
		*in_function = true;
		return begin_function(unit, line, start, err);
	case RECORD_LINE:
		return *in_function ? read_line(unit, line, start, err) : 0;
	case RECORD_INLINE:
		return *in_function ? add_inline(unit, line, start, err) : 0;
	case RECORD_INLINE_ORIGIN:
	case RECORD_EMPTY:
		return 0;
	default:
		*in_function = false;
		return end_function(unit, err);
	}
}

/* A record that cannot be read costs its unit, not the file: what stands in the other
 * megabytes was written well enough to be useful. */
int breakpad_read_unit(const struct breakpad *breakpad, size_t index, struct arena *scratch,
		       const struct object_sink *sink, struct err *err)
{
	struct unit_builder unit = { .breakpad = breakpad, .scratch = scratch, .sink = sink };
	const char *at = breakpad->units[index].start, *end = breakpad->units[index].end, *start;
	struct arena_mark mark = arena_mark(scratch);
	bool in_function = false;
	struct fields line;
	int rc = 0;

	work_allowance_begin(&unit.work, breakpad->work, (uint64_t)(end - at));
	while (rc == 0) {
		struct line_fields fields;

		start = at;
		if (in_function && record_next_line(&at, end, &fields))
			rc = add_line(&unit, &fields, err);
		else if (record_next(&at, end, &line))
			rc = read_record(&unit, line, start, &in_function, err);
		else
			break;
	}
	if (rc == 0)
		rc = end_function(&unit, err);
	work_allowance_end(&unit.work);
	arena_rewind(scratch, mark);
	return rc;
}
