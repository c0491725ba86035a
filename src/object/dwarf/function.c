/* function.c -- functions put together from their DIEs, and handed to the sink. */
#include "object/dwarf/dwarf_internal.h"

int unit_context_lines(struct unit_context *context, struct err *err)
{
	if (context->has_lines)
		return 0;
	context->has_lines = true;
	return line_share_read(context->dwarf->line_share, &context->lines, context->line_unit,
			       context->scratch, err);
}

struct text function_symbol(const struct unit_context *context, uint64_t address)
{
	const struct dwarf_input *input = &context->dwarf->input;

	if (!input->symbol_at || context->unit->ignores_symbols)
		return TEXT_NONE;
	return input->symbol_at(input->payload, address + input->load_address);
}

int function_give(struct unit_context *context, const struct object_function *function,
		  struct err *err)
{
	if (work_charge(&context->work, object_function_steps(function), err) < 0)
		return -1;
	if (context->sink->function(context->sink->payload, context->lines.files,
				    context->lines.file_count, function, err)) {
		context->sink_stopped = true;
		return -1;
	}
	return 0;
}

/* --- Functions already handed out ----------------------------------------------------- */

#define SEEN_FIRST 64u

static size_t seen_slot(const struct unit_context *context, struct span span)
{
	uint64_t hash = (span.start * 0x9e3779b97f4a7c15u) ^ (span.end * 0xc2b2ae3d27d4eb4fu);
	size_t slot = (size_t)(hash ^ hash >> 29) & (context->seen_capacity - 1);

	while (context->seen[slot].end && (context->seen[slot].start != span.start ||
					   context->seen[slot].end != span.end))
		slot = (slot + 1) & (context->seen_capacity - 1);
	return slot;
}

static int seen_grow(struct unit_context *context, struct err *err)
{
	struct span *old = context->seen;
	size_t old_capacity = context->seen_capacity;
	size_t capacity = old_capacity ? 2 * old_capacity : SEEN_FIRST;
	struct span *seen = arena_alloc(context->scratch, capacity, sizeof(*seen));

	if (!seen)
		return pool_no_capacity(err);
	context->seen = seen;
	context->seen_capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].end)
			seen[seen_slot(context, old[i])] = old[i];
	return 0;
}

static int see(struct unit_context *context, struct span span, bool *is_new, struct err *err)
{
	size_t slot;

	if (2 * (context->seen_count + 1) > context->seen_capacity && seen_grow(context, err) < 0)
		return -1;
	slot = seen_slot(context, span);
	*is_new = !context->seen[slot].end;
	context->seen_count += *is_new;
	context->seen[slot] = span;
	return 0;
}

/* --- Building ------------------------------------------------------------------------- */

/* The load address of a file with code at 0 is 0: relative addresses are raw ones. */
static bool lies_dead_at_zero(const struct unit_context *context, const struct pending *pending)
{
	const struct span *first = (struct span *)context->spans.items + pending->first_span;

	return context->dwarf->input.has_code_at_zero && first->start == 0 &&
	       function_at_zero_is_dead(context->dwarf, first->end);
}

int function_begin(struct unit_context *context, const struct die *die, struct pending *pending,
		   bool *is_live, struct err *err)
{
	pending->place = die->offset;
	pending->first_span = context->spans.count;
	pending->first_inlinee = context->inlinees.count;
	if (ranges_of(context, die, &pending->span_count, err) < 0)
		return -1;
	*is_live = pending->span_count > 0 && !lies_dead_at_zero(context, pending);
	if (!*is_live)
		context->spans.count = pending->first_span;
	return 0;
}

static uint32_t call_number(const struct die *die, enum attribute attribute, uint32_t otherwise)
{
	uint64_t number = die_has(die, attribute) ? die->values[attribute].number : otherwise;

	return number > UINT32_MAX ? otherwise : (uint32_t)number;
}

int function_add_inlinee(struct unit_context *context, const struct pending *pending,
			 const struct die *die, uint32_t *inlinee, struct err *err)
{
	struct inlinee *items = context->inlinees.items;
	size_t count = context->inlinees.count - pending->first_inlinee;
	struct inlinee next = {
		.parent = *inlinee,
		.call_file = call_number(die, AT_CALL_FILE, OBJECT_NO_FILE),
		.call_line = call_number(die, AT_CALL_LINE, 0),
		.origin = name_die_ref(context->unit, die),
		.first_span = context->spans.count,
	};

	if (next.parent != OBJECT_NO_PARENT)
		next.depth = items[pending->first_inlinee + next.parent].depth + 1;
	if (next.depth >= LIMIT_INLINE_DEPTH)
		return 0;
	if (ranges_of(context, die, &next.span_count, err) < 0)
		return -1;
	if (!next.span_count)
		return 0;
	if (count >= LIMIT_INLINEES_PER_FUNCTION)
		return err_set(err, ERR_LIMIT, "more than %u inlined calls in one function",
			       LIMIT_INLINEES_PER_FUNCTION);
	if (pool_reserve(&context->inlinees, context->scratch, 1, sizeof(next), err) < 0)
		return -1;
	items = context->inlinees.items;
	items[context->inlinees.count++] = next;
	*inlinee = (uint32_t)count;
	return 0;
}

/* --- Handing out ---------------------------------------------------------------------- */

/* The inlinee's ranges inside the piece; there is room for them. */
static void give_ranges(struct unit_context *context, const struct inlinee *inlinee,
			struct span piece, struct object_inlinee *given)
{
	const struct span *spans = (struct span *)context->fixed.items + inlinee->first_span;
	struct object_range *ranges = (struct object_range *)context->ranges.items +
				      context->ranges.count;

	given->ranges = ranges;
	for (size_t i = 0; i < inlinee->span_count; i++) {
		uint64_t start = spans[i].start > piece.start ? spans[i].start : piece.start;
		uint64_t end = spans[i].end < piece.end ? spans[i].end : piece.end;

		if (start < end)
			ranges[given->range_count++] = (struct object_range){ start, end - start };
	}
	context->ranges.count += given->range_count;
}

static void give_inlinee(struct unit_context *context, const struct inlinee *inlinee,
			 const uint32_t *renumbered, struct object_inlinee *given)
{
	const struct lines *lines = &context->lines;
	struct named named = name_at(context, inlinee->origin);

	given->parent = inlinee->parent == OBJECT_NO_PARENT ? OBJECT_NO_PARENT
							    : renumbered[inlinee->parent];
	given->call_file = inlinee->call_file;
	if (given->call_file < lines->first_file || given->call_file >= lines->file_count)
		given->call_file = OBJECT_NO_FILE;
	given->call_line = inlinee->call_line;
	given->name = named.name;
	given->variables = named.variables;
	given->language = named.language;
}

/* Those inlinees that have code in the piece. */
static int give_inlinees(struct unit_context *context, const struct pending *pending,
			 struct span piece, struct object_function *function, struct err *err)
{
	const struct inlinee *inlinees = context->inlinees.items;
	size_t count = context->inlinees.count - pending->first_inlinee;
	struct object_inlinee *given;
	uint32_t *renumbered;

	inlinees += pending->first_inlinee;
	context->ranges.count = 0;
	if (pool_reserve(&context->renumbered, context->scratch, count, sizeof(*renumbered),
			 err) < 0 ||
	    pool_reserve(&context->given, context->scratch, count, sizeof(*given), err) < 0 ||
	    pool_reserve(&context->ranges, context->scratch, context->fixed.count,
			 sizeof(struct object_range), err) < 0)
		return -1;
	renumbered = context->renumbered.items;
	given = context->given.items;
	for (size_t i = 0; i < count; i++) {
		struct object_inlinee *next = &given[function->inlinee_count];

		next->range_count = 0;
		if (work_charge(&context->work, 1 + inlinees[i].span_count, err) < 0)
			return -1;
		give_ranges(context, &inlinees[i], piece, next);
		if (!next->range_count)
			continue;
		give_inlinee(context, &inlinees[i], renumbered, next);
		renumbered[i] = (uint32_t)function->inlinee_count++;
	}
	function->inlinees = given;
	return 0;
}

/* The symbol table knows better what a piece is called: the cold half of f is "f.cold". */
static void name_piece(struct unit_context *context, const struct pending *pending,
		       struct object_function *function)
{
	struct named named;

	function->name = function_symbol(context, function->range.address);
	function->language = context->unit->language;
	if (function->name.size && !context->unit->info_section->wants_variables)
		return;
	named = name_at(context, pending->place);
	function->variables = named.variables;
	if (function->name.size)
		return;
	function->name = named.name;
	function->language = named.language;
}

static int give_part(struct unit_context *context, const struct pending *pending,
		     struct span part, struct err *err)
{
	struct object_function function = {
		.range = { part.start, part.end - part.start },
	};

	if (lines_of(&context->lines, part, context->scratch, &function.lines,
		     &function.line_count, err) < 0)
		return -1;
	if (context->inlinees.count > pending->first_inlinee && context->fixed.count &&
	    give_inlinees(context, pending, part, &function, err) < 0)
		return -1;
	name_piece(context, pending, &function);
	return function_give(context, &function, err);
}

/*
 * Where the next symbol starts inside the piece; its end when none does.  Assemblers describe
 * one function where the source has several labels (gas 2.40; test: agrees_with_llvm_symbolizer).
 */
static uint64_t next_symbol(const struct unit_context *context, struct span piece)
{
	const struct dwarf_input *input = &context->dwarf->input;
	uint64_t at = piece.start;

	if (!input->symbol_around || context->unit->ignores_symbols)
		return piece.end;
	for (;;) {
		struct object_symbol around = { 0 };
		uint64_t end;

		input->symbol_around(input->payload, at + input->load_address, &around);
		if (at > piece.start && around.name.size)
			return at;
		end = around.address + around.size - input->load_address;
		if (end <= at || end >= piece.end)
			return piece.end;
		at = end;
	}
}

static int give_piece(struct unit_context *context, const struct pending *pending,
		      struct span piece, struct err *err)
{
	bool is_new;

	if (see(context, piece, &is_new, err) < 0)
		return -1;
	if (!is_new)
		return 0;
	if (unit_context_lines(context, err) < 0)
		return -1;
	while (piece.start < piece.end) {
		struct span part = { piece.start, next_symbol(context, piece) };

		if (give_part(context, pending, part, err) < 0)
			return -1;
		piece.start = part.end;
	}
	return 0;
}

int function_finish(struct unit_context *context, const struct pending *pending, struct err *err)
{
	if (context->inlinees.count > pending->first_inlinee &&
	    nest_repair(context, pending, err) < 0)
		return -1;
	for (size_t i = 0; i < pending->span_count; i++) {
		struct span piece = ((struct span *)context->spans.items)[pending->first_span + i];

		if (give_piece(context, pending, piece, err) < 0)
			return -1;
	}
	context->spans.count = pending->first_span;
	context->inlinees.count = pending->first_inlinee;
	return 0;
}
