/* container.c -- see container.h. */
#include "object/dwarf/container.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/reader.h"

#define BOOKS 3u

static struct dwarf_sections *info_section(struct dwarf_input *input, unsigned which)
{
	struct dwarf_sections *const info_sections[BOOKS] = {
		&input->main, &input->split, &input->alternate
	};

	return info_sections[which];
}

void container_open(struct dwarf_input *input, const uint8_t *bytes, size_t size)
{
	struct reader reader = reader_over("container", bytes, size);
	uint32_t sizes[BOOKS][DWARF_SECTIONS];
	unsigned flags = reader_u8(&reader);

	*input = (struct dwarf_input){ .relocatable = flags & 2, .wants_variables = flags & 4 };
	for (unsigned i = 0; i < BOOKS; i++)
		for (unsigned j = 0; j < DWARF_SECTIONS; j++)
			sizes[i][j] = reader_u32(&reader);
	for (unsigned i = 0; i < BOOKS && !reader.failed; i++) {
		info_section(input, i)->big_endian = flags & 1;
		for (unsigned j = 0; j < DWARF_SECTIONS; j++) {
			size_t left = reader_left(&reader);
			size_t part = sizes[i][j] < left ? sizes[i][j] : left;

			info_section(input, i)->section[j] = (struct text){
				(const char *)reader_take(&reader, part), part
			};
		}
	}
}

void container_pack(struct buf *out, const struct dwarf_input *input)
{
	struct dwarf_input copy = *input;

	buf_add_char(out, (char)((input->main.big_endian ? 1 : 0) |
				 (input->relocatable ? 2 : 0) | (input->wants_variables ? 4 : 0)));
	for (unsigned i = 0; i < BOOKS; i++)
		for (unsigned j = 0; j < DWARF_SECTIONS; j++) {
			uint32_t size = (uint32_t)info_section(&copy, i)->section[j].size;

			buf_add(out, &size, sizeof(size));
		}
	for (unsigned i = 0; i < BOOKS; i++)
		for (unsigned j = 0; j < DWARF_SECTIONS; j++)
			buf_add_text(out, info_section(&copy, i)->section[j]);
}

void container_find(struct dwarf_sections *sections, const uint8_t *bytes, size_t size,
		    const char *suffix)
{
	struct reader whole = reader_over("elf", bytes, size);
	struct reader head = reader_window(&whole, "section headers", 0x28, 8);
	uint64_t table = reader_u64(&head);
	struct reader counts = reader_window(&whole, "counts", 0x3a, 6);
	unsigned entry_bytes = reader_u16(&counts), count = reader_u16(&counts);
	unsigned names_index = reader_u16(&counts);
	struct reader names_at = reader_window(&whole, "names", table + names_index * entry_bytes +
					       0x18, 8);
	uint64_t names = reader_u64(&names_at);

	for (unsigned i = 0; i < count; i++) {
		struct reader entry = reader_window(&whole, "section", table + i * entry_bytes,
						    0x28);
		struct reader name = whole;
		struct text found;

		reader_seek(&name, names + reader_u32(&entry));
		found = reader_string(&name);
		reader_skip(&entry, 0x14);
		for (unsigned j = 0; j < DWARF_SECTIONS; j++) {
			char wanted[64];
			struct reader place = entry;
			uint64_t at = reader_u64(&place);
			uint64_t bytes_long = reader_u64(&place);

			(void)snprintf(wanted, sizeof(wanted), "%s%s",
				       dwarf_section_name((enum dwarf_section)j),
				       j == DWARF_CU_INDEX ? "" : suffix);
			if (text_is(found, wanted))
				sections->section[j] = (struct text){
					(const char *)bytes + at, (size_t)bytes_long };
		}
	}
}

/* --- Reading, with a sink that believes nothing --------------------------------------- */

static void insist(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "the sink was given %s\n", what);
	abort();
}

static void check_lines(const struct object_function *function, size_t file_count)
{
	for (size_t i = 0; i < function->line_count; i++) {
		const struct object_line *line = &function->lines[i];

		insist(line->address - function->range.address < function->range.size,
		       "a line outside of its function");
		insist(!i || line[-1].address < line->address, "lines that do not ascend");
		insist(line->file < file_count || line->file == OBJECT_NO_FILE,
		       "a file that is not there");
	}
}

static bool is_inside(const struct object_range *range, const struct object_function *function,
		      uint32_t parent)
{
	const struct object_inlinee *inlinee;

	if (parent == OBJECT_NO_PARENT)
		return range->address >= function->range.address &&
		       range->address - function->range.address + range->size <=
		       function->range.size;
	inlinee = &function->inlinees[parent];
	for (size_t i = 0; i < inlinee->range_count; i++)
		if (range->address >= inlinee->ranges[i].address &&
		    range->address - inlinee->ranges[i].address + range->size <=
		    inlinee->ranges[i].size)
			return true;
	return false;
}

static void check_inlinee(const struct object_function *function, size_t index,
			  size_t file_count)
{
	const struct object_inlinee *inlinee = &function->inlinees[index];

	insist(inlinee->parent == OBJECT_NO_PARENT || inlinee->parent < index,
	       "a child before its parent");
	insist(inlinee->call_file < file_count || inlinee->call_file == OBJECT_NO_FILE,
	       "a call from a file that is not there");
	insist(inlinee->range_count > 0, "an inlinee without code");
	for (size_t i = 0; i < inlinee->range_count; i++) {
		const struct object_range *range = &inlinee->ranges[i];

		insist(range->size > 0, "an empty range");
		insist(!i || range[-1].address + range[-1].size <= range->address,
		       "ranges that do not ascend");
		insist(is_inside(range, function, inlinee->parent),
		       "a range outside of its parent");
	}
}

static int check_function(void *payload, const struct object_file_name *files, size_t count,
			  const struct object_function *function, struct err *err)
{
	uint64_t *sum = payload;

	(void)err;
	insist(function->range.size > 0, "an empty function");
	insist(function->range.address + function->range.size > function->range.address,
	       "a function that wraps around");
	check_lines(function, count);
	for (size_t i = 0; i < function->inlinee_count; i++)
		check_inlinee(function, i, count);
	for (size_t i = 0; i < count; i++)       /* every byte can be read */
		for (size_t j = 0; j < files[i].name.size; j++)
			*sum += (uint8_t)files[i].name.bytes[j];
	for (size_t i = 0; i < function->name.size; i++)
		*sum += (uint8_t)function->name.bytes[i];
	return 0;
}

static int sum_missing(void *payload, const struct dwarf_missing *missing)
{
	uint64_t *sum = payload;

	for (size_t i = 0; i < missing->name.size; i++)
		*sum += (uint8_t)missing->name.bytes[i];
	return 0;
}

int container_read(const struct dwarf_input *input, size_t arena_bytes, struct err *err)
{
	uint64_t sum = 0;
	struct object_sink sink = { &sum, check_function };
	struct arena arena, scratch;
	struct dwarf *dwarf;
	int result;

	arena_init(&arena, arena_bytes);
	arena_init(&scratch, arena_bytes);
	result = dwarf_open(&dwarf, input, &arena, err);
	for (size_t i = 0; result == 0 && i < dwarf_unit_count(dwarf); i++) {
		char name[128];

		dwarf_unit_name(dwarf, i, name, sizeof(name));
		result = dwarf_read_unit(dwarf, i, &scratch, &sink, err);
		if (err->kind == ERR_MALFORMED || err->kind == ERR_UNSUPPORTED)
			result = 0;              /* that unit's own affair */
	}
	if (result == 0)
		(void)dwarf_each_missing(dwarf, sum_missing, &sum);
	arena_release(&scratch);
	arena_release(&arena);
	return result;
}
