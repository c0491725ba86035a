/*
 * gap.c -- line rows that no function covers.
 *
 * Assembler sources, units compiled with line tables only, units whose split half is
 * missing: their rows still say file and line, and the symbol table where functions begin.
 * Between functions lie padding bytes that belong to the row before them; the established
 * tools answer those with a file and a line and no function, and so do we: such a piece has
 * no name.
 */
#include "object/dwarf/dwarf_internal.h"

struct gaps {
	struct unit_context *context;
	const struct span *covered;      /* not ours to fill: functions, and what the unit disowns */
	size_t covered_count;
	size_t next;                     /* first that may reach beyond `done` */
	uint64_t done;                   /* handed out, or not ours, up to here */
};

static int give(struct gaps *gaps, struct span piece, struct text name, struct err *err)
{
	struct unit_context *context = gaps->context;
	struct object_function function = {
		.range = { piece.start, piece.end - piece.start },
		.name = name, .language = context->unit->language,
	};

	if (piece.start >= piece.end)
		return 0;
	if (lines_of(&context->lines, piece, context->scratch, &function.lines,
		     &function.line_count, err) < 0)
		return -1;
	return function_give(context, &function, err);
}

/* Without stretches to ask for: a new function at every row that a symbol starts at. */
static int give_by_rows(struct gaps *gaps, const struct sequence *sequence, struct span piece,
			struct err *err)
{
	const struct lines *lines = &gaps->context->lines;
	struct text name = function_symbol(gaps->context, piece.start);

	if (work_charge(&gaps->context->work, sequence->count, err) < 0)
		return -1;
	for (size_t i = 0; i < sequence->count; i++) {
		uint64_t address = lines->rows[sequence->first + i].address;
		struct text next;

		if (address <= piece.start)
			continue;
		if (address >= piece.end)
			break;
		next = function_symbol(gaps->context, address);
		if (!next.size)
			continue;
		if (give(gaps, (struct span){ piece.start, address }, name, err) < 0)
			return -1;
		piece.start = address;
		name = next;
	}
	return give(gaps, piece, name, err);
}

static int give_piece(struct gaps *gaps, const struct sequence *sequence, struct span piece,
		      struct err *err)
{
	const struct dwarf_input *input = &gaps->context->dwarf->input;

	if (!input->symbol_around || gaps->context->unit->ignores_symbols)
		return give_by_rows(gaps, sequence, piece, err);
	while (piece.start < piece.end) {
		struct object_symbol around = { 0 };
		uint64_t end;

		input->symbol_around(input->payload, piece.start + input->load_address, &around);
		end = around.address + around.size - input->load_address;
		if (end <= piece.start || end > piece.end)
			end = piece.end;
		if (give(gaps, (struct span){ piece.start, end }, around.name, err) < 0)
			return -1;
		piece.start = end;
	}
	return 0;
}

static int give_sequence(struct gaps *gaps, const struct sequence *sequence, struct err *err)
{
	uint64_t at = sequence->start > gaps->done ? sequence->start : gaps->done;

	for (; gaps->next < gaps->covered_count; gaps->next++) {
		const struct span *span = &gaps->covered[gaps->next];

		if (span->start >= sequence->end)
			break;
		if (span->start > at &&
		    give_piece(gaps, sequence, (struct span){ at, span->start }, err) < 0)
			return -1;
		if (span->end > at)
			at = span->end;
		if (span->end > sequence->end)
			break;                   /* reaches into the next sequence */
	}
	gaps->done = at > sequence->end ? at : sequence->end;
	if (at >= sequence->end)
		return 0;
	return give_piece(gaps, sequence, (struct span){ at, sequence->end }, err);
}

/* What lies outside the unit's own ranges counts as covered: several units may name one
 * line table (dwz's partial units do). */
static size_t outside_unit(const struct span *own, size_t own_count, struct span *out)
{
	uint64_t at = 0;
	size_t count = 0;

	for (size_t i = 0; i < own_count; i++) {
		if (own[i].start > at)
			out[count++] = (struct span){ at, own[i].start };
		at = own[i].end;
	}
	out[count++] = (struct span){ at, UINT64_MAX };
	return count;
}

static int sort_covered(struct gaps *gaps, struct span *spans, size_t count, struct err *err)
{
	struct unit_context *context = gaps->context;
	struct span *sorted = arena_alloc_raw(context->scratch, count, sizeof(*sorted));
	struct sort_item *order;

	if (!sorted)
		return pool_no_capacity(err);
	if (pool_reserve(&context->order, context->scratch, 2 * count, sizeof(*order), err) < 0)
		return -1;
	order = context->order.items;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct sort_item){ spans[i].start, i };
	sort_items(order, order + count, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = spans[order[i].index];
	gaps->covered = sorted;
	gaps->covered_count = count;
	return 0;
}

/* Of the unit that has the lines; a split unit has no ranges of its own. */
static int find_own(struct unit_context *context, size_t *own_count, struct err *err)
{
	const struct unit *walked = context->unit;
	int result;

	context->spans.count = 0;
	context->unit = context->line_unit;
	result = ranges_of(context, &context->line_unit->root, own_count, err);
	context->unit = walked;
	return result;
}

static int find_covered(struct gaps *gaps, size_t own_count, struct err *err)
{
	struct unit_context *context = gaps->context;
	struct span *spans = arena_alloc_raw(context->scratch, own_count + 1 + context->seen_count,
					     sizeof(*spans));
	size_t count;

	if (!spans)
		return pool_no_capacity(err);
	count = outside_unit(context->spans.items, own_count, spans);
	for (size_t i = 0; i < context->seen_capacity; i++)
		if (context->seen[i].end)
			spans[count++] = context->seen[i];
	return sort_covered(gaps, spans, count, err);
}

/* A unit without code of its own (a partial one, one of types) has no use for its lines. */
int gap_emit(struct unit_context *context, struct err *err)
{
	struct gaps gaps = { .context = context };
	size_t own_count;

	if (find_own(context, &own_count, err) < 0)
		return -1;
	if (!own_count)
		return 0;
	if (unit_context_lines(context, err) < 0)
		return -1;
	if (!context->lines.sequence_count)
		return 0;
	if (find_covered(&gaps, own_count, err) < 0 ||
	    work_charge(&context->work, context->lines.sequence_count, err) < 0)
		return -1;
	for (size_t i = 0; i < context->lines.sequence_count; i++)
		if (give_sequence(&gaps, &context->lines.sequences[i], err) < 0)
			return -1;
	return 0;
}
