/*
 * gap.c -- line rows that no function covers.
 *
 * Assembler sources, units compiled with line tables only, units whose split half is
 * missing: their rows still say file and line, and the symbol table where functions begin.
 * Between functions lie padding bytes that belong to the row before them; the established
 * tools answer those with a file and a line and no function, and so do we: such a piece has
 * no name.
 */
#include "object/dwarf/internal.h"

struct gaps {
	struct reading *reading;
	const struct sort_item *covered;         /* key: start; index: slot in reading->seen */
	size_t covered_count;
	size_t next;                             /* first that may reach beyond `done` */
	uint64_t done;                           /* handed out, or not ours, up to here */
};

static int give(struct gaps *gaps, struct span piece, struct text name, struct err *err)
{
	struct reading *reading = gaps->reading;
	struct object_function function = {
		.range = { piece.start, piece.end - piece.start },
		.name = name, .language = reading->unit->language,
	};

	if (piece.start >= piece.end)
		return 0;
	if (lines_of(&reading->lines, piece, reading->scratch, &function.lines,
		     &function.line_count, err) < 0)
		return -1;
	return function_give(reading, &function, err);
}

/* A piece of one sequence: a new function at every row that a symbol starts at. */
static int give_by_symbol(struct gaps *gaps, const struct sequence *sequence, struct span piece,
			  struct err *err)
{
	const struct lines *lines = &gaps->reading->lines;
	struct text name = function_symbol(gaps->reading, piece.start);

	for (size_t i = 0; i < sequence->count; i++) {
		uint64_t address = lines->rows[sequence->first + i].address;
		struct text next;

		if (address <= piece.start)
			continue;
		if (address >= piece.end)
			break;
		next = function_symbol(gaps->reading, address);
		if (!next.size)
			continue;
		if (give(gaps, (struct span){ piece.start, address }, name, err) < 0)
			return -1;
		piece.start = address;
		name = next;
	}
	return give(gaps, piece, name, err);
}

static int give_sequence(struct gaps *gaps, const struct sequence *sequence, struct err *err)
{
	uint64_t at = sequence->start > gaps->done ? sequence->start : gaps->done;

	for (; gaps->next < gaps->covered_count; gaps->next++) {
		const struct span *span = &gaps->reading->seen[gaps->covered[gaps->next].index];

		if (span->start >= sequence->end)
			break;
		if (span->start > at &&
		    give_by_symbol(gaps, sequence, (struct span){ at, span->start }, err) < 0)
			return -1;
		if (span->end > at)
			at = span->end;
		if (span->end > sequence->end)
			break;                   /* reaches into the next sequence */
	}
	gaps->done = at > sequence->end ? at : sequence->end;
	if (at >= sequence->end)
		return 0;
	return give_by_symbol(gaps, sequence, (struct span){ at, sequence->end }, err);
}

int gaps_emit(struct reading *reading, struct err *err)
{
	struct gaps gaps = { .reading = reading };
	struct sort_item *order;
	size_t count = 0;

	if (reading_lines(reading, err) < 0)
		return -1;
	if (pool_reserve(&reading->order, reading->scratch, 2 * reading->seen_count,
			 sizeof(*order), err) < 0)
		return -1;
	order = reading->order.items;
	for (size_t i = 0; i < reading->seen_room; i++)
		if (reading->seen[i].end)
			order[count++] = (struct sort_item){ reading->seen[i].start, i };
	sort_items(order, order + count, count);
	gaps.covered = order;
	gaps.covered_count = count;
	for (size_t i = 0; i < reading->lines.sequence_count; i++)
		if (give_sequence(&gaps, &reading->lines.sequences[i], err) < 0)
			return -1;
	return 0;
}
