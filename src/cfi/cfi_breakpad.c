/* cfi_breakpad.c -- the STACK records of a symbol file, put in order. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cfi/cfi_lines.h"
#include "cfi/cfi_writer.h"

#define LINE_STEPS 4u

static struct text rest_of(const struct object_unwind *section, uint64_t at)
{
	return (struct text){ section->bytes.bytes + at, section->bytes.size - (size_t)at };
}

static int refuse(const struct object_unwind *section, struct text line, struct err *err)
{
	size_t at = (size_t)(line.bytes - section->bytes.bytes);
	size_t shown = line.size < 60 ? line.size : 60;

	return err_set(err, ERR_MALFORMED, "a bad STACK record at byte %zu: \"%.*s\"", at,
		       (int)shown, line.bytes);
}

/* Types nobody uses, and those that contradict themselves, are dropped;
 * all others must be whole. */
static int take_win(struct cfi_writer *writer, const struct object_unwind *section,
		    struct text text, struct err *err)
{
	struct cfi_line line = cfi_line_read(text);
	struct cfi_win win;
	uint64_t size;

	if (line.kind == CFI_LINE_OTHER || (cfi_take_hex(&line.rest, 8, &size) && size == 0))
		return 0;
	if (cfi_win_read(text, &win))
		return cfi_writer_add_win(writer, &win, err);
	/* Eight numbers, then whether there is a program: is it only that? */
	for (unsigned i = 0; i < 6; i++)
		if (!cfi_take_hex(&line.rest, 8, &size))
			return refuse(section, text, err);
	return line.rest.size > 0 ? 0 : refuse(section, text, err);
}

static int take_line(struct cfi_writer *writer, uint32_t source, struct text text, struct err *err)
{
	const struct object_unwind *section = &writer->sources[source].section;
	struct cfi_line line = cfi_line_read(text);
	uint64_t size;

	if (line.kind == CFI_LINE_ROW)
		return 0;
	if (line.kind == CFI_LINE_INIT) {
		if (cfi_take_hex(&line.rest, 8, &size) && line.rest.size > 0)
			return cfi_writer_add(writer, line.address, size, source,
					      (uint64_t)(text.bytes - section->bytes.bytes), err);
		return refuse(section, text, err);
	}
	if (line.kind == CFI_LINE_OTHER && text_starts_with(text, "STACK CFI INIT"))
		return refuse(section, text, err);
	return text_starts_with(text, "STACK WIN ") ? take_win(writer, section, text, err) : 0;
}

/* The next line that begins with "STACK "; they stand together, mostly at the end. */
static bool next_stack_line(struct text *rest, struct text *line)
{
	const char *found;

	while (!text_starts_with(*rest, "STACK ")) {
		found = memmem(rest->bytes, rest->size, "\nSTACK ", 7);
		if (!found)
			return false;
		rest->size -= (size_t)(found + 1 - rest->bytes);
		rest->bytes = found + 1;
	}
	return text_take_line(rest, line);
}

int breakpad_collect(struct cfi_writer *writer, uint32_t source, struct err *err)
{
	struct text rest = writer->sources[source].section.bytes, line;

	while (next_stack_line(&rest, &line)) {
		if (work_charge(&writer->work, LINE_STEPS, err) < 0 ||
		    take_line(writer, source, cfi_line_trim(line), err) < 0)
			return -1;
	}
	return 0;
}

/* --- Rows ---------------------------------------------------------------------------- */

struct text_row {
	uint64_t address;
	struct text rules;
};

static int compare_rows(const void *left, const void *right)
{
	const struct text_row *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return text_compare(a->rules, b->rules);
}

/* The next row of the record; those elsewhere than in its code, and those without rules, are
 * dropped. */
static bool next_row(struct text *rest, const struct cfi_entry *entry, struct text_row *row)
{
	struct text text;

	while (text_take_line(rest, &text)) {
		struct cfi_line line = cfi_line_read(cfi_line_trim(text));

		if (line.kind != CFI_LINE_ROW && !text_starts_with(text, "STACK CFI "))
			return false;
		if (line.kind == CFI_LINE_INIT)
			return false;
		*row = (struct text_row){ line.address, line.rest };
		if (line.kind == CFI_LINE_ROW && line.rest.size > 0 &&
		    line.address >= entry->start && line.address - entry->start < entry->size)
			return true;
	}
	return false;
}

static void print_row(struct cfi_out *out, const struct text_row *row)
{
	cfi_out_row(out, row->address);
	cfi_out_add(out, TEXT(" "));
	cfi_out_add(out, row->rules);
	cfi_out_add(out, TEXT("\n"));
}

/* As they stand, up to the first that is out of order; *rest is there then. */
static bool print_ascending(struct cfi_writer *writer, struct text *rest,
			    const struct cfi_entry *entry)
{
	struct text from = *rest;
	uint64_t last = entry->start;
	struct text_row row;

	while (next_row(&from, entry, &row)) {
		if (row.address < last)
			return false;
		last = row.address;
	}
	while (next_row(rest, entry, &row))
		print_row(&writer->out, &row);
	return true;
}

static int print_sorted(struct cfi_writer *writer, struct text rest, const struct cfi_entry *entry,
			struct err *err)
{
	struct text_row *rows = NULL, row;
	size_t count = 0, capacity = 0;

	while (next_row(&rest, entry, &row)) {
		if (vec_reserve(&rows, &capacity, count + 1, sizeof(*rows)) < 0) {
			mem_give_back(rows);
			return err_set(err, ERR_NO_MEMORY, "no memory for %zu rows", count + 1);
		}
		rows[count++] = row;
	}
	qsort(rows, count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < count; i++)
		print_row(&writer->out, &rows[i]);
	mem_give_back(rows);
	return 0;
}

int breakpad_print(struct cfi_writer *writer, const struct cfi_entry *entry,
			  struct err *err)
{
	struct text rest = rest_of(&writer->sources[entry->source].section, entry->reference);
	struct cfi_line line;
	struct text text;
	uint64_t size;

	if (!text_take_line(&rest, &text))
		return 0;
	line = cfi_line_read(cfi_line_trim(text));
	(void)cfi_line_take_size(&line, &size);
	cfi_out_init(&writer->out, entry->start, entry->size);
	cfi_out_add(&writer->out, TEXT(" "));
	cfi_out_add(&writer->out, line.rest);
	cfi_out_add(&writer->out, TEXT("\n"));
	return print_ascending(writer, &rest, entry) ? 0 : print_sorted(writer, rest, entry, err);
}
