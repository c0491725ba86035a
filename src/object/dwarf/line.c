/* line.c -- the rows of one stretch of code. */
#include "object/dwarf/dwarf_internal.h"

#include "base/search.h"

static bool is_after(const struct lines *lines, size_t index, uint64_t address)
{
	return index < lines->sequence_count && lines->sequences[index].end > address &&
	       (index == 0 || lines->sequences[index - 1].end <= address);
}

/* The first sequence that ends beyond the address; sequence_count when none does. */
static size_t sequence_after(struct lines *lines, uint64_t address)
{
	size_t at;

	if (is_after(lines, lines->hint, address))
		return lines->hint;
	if (is_after(lines, lines->hint + 1, address))
		return ++lines->hint;
	SEARCH_PARTITION_POINT(at, 0, lines->sequence_count,
			       lines->sequences[at].end <= address);
	lines->hint = at;
	return at;
}

/* The last row at or before the address; the sequence holds it. */
static size_t row_at(const struct lines *lines, const struct sequence *sequence,
		     uint64_t address)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, sequence->first + 1, sequence->first + sequence->count,
			       lines->rows[at].address <= address);
	return at - 1;
}

static size_t rows_before(const struct lines *lines, const struct sequence *sequence,
			  size_t from, uint64_t end)
{
	size_t last = sequence->first + sequence->count;

	if (lines->rows[last - 1].address < end)
		return last;
	if (end <= lines->rows[from].address)
		return from;
	return row_at(lines, sequence, end - 1) + 1;
}

static int copy_rows(struct lines *lines, size_t from, size_t to, uint64_t start,
		     struct arena *arena, struct err *err)
{
	struct object_line *copy;
	size_t count = to - from;

	if (pool_reserve(&lines->copy, arena, count, sizeof(*copy), err) < 0)
		return -1;
	copy = (struct object_line *)lines->copy.items + lines->copy.count;
	memcpy(copy, lines->rows + from, count * sizeof(*copy));
	if (copy[0].address < start)
		copy[0].address = start;
	lines->copy.count += count;
	return 0;
}

/* From here on nothing is known. */
static int copy_gap(struct lines *lines, uint64_t address, struct arena *arena, struct err *err)
{
	struct object_line *copy;

	if (!lines->copy.count)
		return 0;
	if (pool_reserve(&lines->copy, arena, 1, sizeof(*copy), err) < 0)
		return -1;
	copy = lines->copy.items;
	copy[lines->copy.count++] = (struct object_line){ address, OBJECT_NO_FILE, 0 };
	return 0;
}

/* The piece of the span from *at on that one sequence answers; *at moves past it. */
static int copy_piece(struct lines *lines, struct span span, uint64_t *at, struct arena *arena,
		      struct err *err)
{
	size_t index = sequence_after(lines, *at);
	const struct sequence *sequence = &lines->sequences[index];
	size_t from;

	if (index == lines->sequence_count || sequence->start >= span.end) {
		uint64_t start = *at;

		*at = span.end;
		return copy_gap(lines, start, arena, err);
	}
	if (sequence->start > *at) {
		if (copy_gap(lines, *at, arena, err) < 0)
			return -1;
		*at = sequence->start;
	}
	from = row_at(lines, sequence, *at);
	if (copy_rows(lines, from, rows_before(lines, sequence, from, span.end), *at, arena,
		      err) < 0)
		return -1;
	*at = sequence->end;
	return 0;
}

int lines_of(struct lines *lines, struct span span, struct arena *arena,
	     const struct object_line **out, size_t *count, struct err *err)
{
	const struct sequence *sequence;
	size_t index;

	*count = 0;
	*out = NULL;
	if (!lines->sequence_count)
		return 0;
	index = sequence_after(lines, span.start);
	sequence = &lines->sequences[index];
	if (index < lines->sequence_count && sequence->start <= span.start &&
	    sequence->end >= span.end) {
		size_t from = row_at(lines, sequence, span.start);

		if (lines->rows[from].address == span.start) {   /* the usual: as they stand */
			*out = lines->rows + from;
			*count = rows_before(lines, sequence, from, span.end) - from;
			return 0;
		}
	}
	lines->copy.count = 0;
	for (uint64_t at = span.start; at < span.end;)
		if (copy_piece(lines, span, &at, arena, err) < 0)
			return -1;
	*out = lines->copy.items;
	*count = lines->copy.count;
	return 0;
}
