/* elf_outlet.c -- functions of a file that is laid out (elf_layout.c), handed on piece by piece at
 * the addresses the file gives. */
#include "object/elf/elf_file.h"

#include "base/arena.h"
#include "base/err.h"

struct outlet_piece {
	const struct object_function *whole;
	struct object_function part;
	uint64_t from, to, shift;    /* laid out; what is taken off */
};

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no memory for a function of a relocatable file");
}

/* The row in force where the piece begins, and those up to its end. */
static int cut_lines(struct outlet_piece *piece, struct arena *scratch, struct err *err)
{
	const struct object_line *lines = piece->whole->lines;
	size_t first = 0, end = piece->whole->line_count;
	struct object_line *cut;

	while (first + 1 < end && lines[first + 1].address <= piece->from)
		first++;
	while (end > first && lines[end - 1].address >= piece->to)
		end--;
	cut = arena_alloc_raw(scratch, end - first, sizeof(*cut));
	if (!cut)
		return no_memory(err);
	for (size_t i = first; i < end; i++) {
		cut[i - first] = lines[i];
		if (cut[i - first].address < piece->from)
			cut[i - first].address = piece->from;
		cut[i - first].address -= piece->shift;
	}
	piece->part.lines = cut;
	piece->part.line_count = end - first;
	return 0;
}

static size_t cut_ranges(const struct outlet_piece *piece, const struct object_inlinee *inlinee,
			 struct object_range *cut)
{
	size_t count = 0;

	for (size_t i = 0; i < inlinee->range_count; i++) {
		uint64_t start = inlinee->ranges[i].address;
		uint64_t end = start + inlinee->ranges[i].size;

		if (start < piece->from)
			start = piece->from;
		if (end > piece->to)
			end = piece->to;
		if (start < end)
			cut[count++] = (struct object_range){ start - piece->shift, end - start };
	}
	return count;
}

/* Those with code in the piece; their parents have, too. */
static int cut_inlinees(struct outlet_piece *piece, struct arena *scratch, struct err *err)
{
	const struct object_inlinee *inlinees = piece->whole->inlinees;
	size_t count = piece->whole->inlinee_count, range_count = 0, kept = 0;
	struct object_inlinee *cut;
	struct object_range *ranges;
	uint32_t *numbers;

	for (size_t i = 0; i < count; i++)
		range_count += inlinees[i].range_count;
	cut = arena_alloc_raw(scratch, count, sizeof(*cut));
	ranges = arena_alloc_raw(scratch, range_count, sizeof(*ranges));
	numbers = arena_alloc(scratch, count, sizeof(*numbers));
	if (!cut || !ranges || !numbers)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct object_inlinee next = inlinees[i];

		next.ranges = ranges;
		next.range_count = cut_ranges(piece, &inlinees[i], ranges);
		if (!next.range_count)
			continue;
		if (next.parent != OBJECT_NO_PARENT)
			next.parent = numbers[next.parent];
		ranges += next.range_count;
		numbers[i] = (uint32_t)kept;
		cut[kept++] = next;
	}
	piece->part.inlinees = cut;
	piece->part.inlinee_count = kept;
	return 0;
}

static int give(const struct elf_outlet *outlet, struct outlet_piece *piece,
		const struct object_file_name *files, size_t file_count, struct err *err)
{
	struct arena_mark mark = arena_mark(outlet->scratch);
	int result = -1;

	piece->part = *piece->whole;
	piece->part.range = (struct object_range){ piece->from - piece->shift,
						   piece->to - piece->from };
	if ((!piece->whole->line_count || cut_lines(piece, outlet->scratch, err) == 0) &&
	    (!piece->whole->inlinee_count || cut_inlinees(piece, outlet->scratch, err) == 0))
		result = outlet->sink->function(outlet->sink->payload, files, file_count,
						&piece->part, err);
	arena_rewind(outlet->scratch, mark);
	return result;
}

int elf_outlet_function(void *payload, const struct object_file_name *files, size_t file_count,
			const struct object_function *function, struct err *err)
{
	const struct elf_outlet *outlet = payload;
	const struct elf_file *file = outlet->file;
	uint64_t start = function->range.address, end = start + function->range.size;
	const struct elf_stretch *stretch = elf_file_stretch(file, start);

	for (; stretch && stretch < file->stretches + file->stretch_count && stretch->start < end;
	     stretch++) {
		struct outlet_piece piece = {
			.whole = function, .shift = stretch->shift,
			.from = start > stretch->start ? start : stretch->start,
			.to = end < stretch->end ? end : stretch->end,
		};
		int result = give(outlet, &piece, files, file_count, err);

		if (result)
			return result;
	}
	return 0;
}
