/* ranges.c -- where a DIE's code lies: low and high pc, .debug_ranges, .debug_rnglists. */
#include "object/dwarf/dwarf_internal.h"

/* ld writes 1 into .debug_ranges for what it discarded: 0 would end the list. */
#define DISCARDED_BASE 1u
#define RANGE_STEPS    4u        /* for an entry, until its piece of a function is told */

struct range_walk {
	struct unit_context *context;
	const struct unit *unit;
	uint64_t base;
	bool base_is_dead;
	size_t first;            /* of the pool: what this DIE added */
};

static uint64_t sized_symbol_end(const struct dwarf *dwarf, uint64_t address)
{
	const struct dwarf_input *input = &dwarf->input;

	if (!input->has_code_at_zero || !input->symbol_end)
		return 0;
	return input->symbol_end(input->payload, address);
}

bool lines_at_zero_are_dead(const struct dwarf *dwarf, uint64_t end)
{
	const struct dwarf_input *input = &dwarf->input;
	struct object_symbol last = { 0 };

	if (!input->has_code_at_zero || !input->symbol_around)
		return false;
	input->symbol_around(input->payload, end - 1, &last);
	return last.name.size && sized_symbol_end(dwarf, last.address) > end;
}

bool function_at_zero_is_dead(const struct dwarf *dwarf, uint64_t end)
{
	uint64_t symbol_end = sized_symbol_end(dwarf, 0);

	return symbol_end && symbol_end != end;
}

static int add_span(struct range_walk *walk, uint64_t start, uint64_t end, struct err *err)
{
	struct unit_context *context = walk->context;
	struct span *spans;

	if (start >= end || address_is_dead(walk->unit, start))
		return 0;
	if (pool_reserve(&context->spans, context->scratch, 1, sizeof(*spans), err) < 0)
		return -1;
	spans = context->spans.items;
	spans[context->spans.count++] = (struct span){
		address_relative(context->dwarf, start), address_relative(context->dwarf, end)
	};
	return 0;
}

/*
 * A list without a base holds addresses, and each entry lives or dies by itself: ld and lld make
 * [1, 1) of one they discarded, gold [0, size).  Only what begins inside a section that was put
 * at 0 tells that the whole list is of that section.
 */
static bool is_of_discarded_section(const struct range_walk *walk, uint64_t start, uint64_t end)
{
	return start < end && start > DISCARDED_BASE && start < walk->unit->dwarf->lowest_code;
}

static int add_offsets(struct range_walk *walk, uint64_t start, uint64_t end, struct err *err)
{
	uint64_t mask = unit_address_max(walk->unit);

	if (!walk->base && is_of_discarded_section(walk, start, end))
		walk->base_is_dead = true;
	if (walk->base_is_dead)
		return 0;
	return add_span(walk, (walk->base + start) & mask, (walk->base + end) & mask, err);
}

/* Base 0: the assembler's way to say that addresses follow (gas, to DWARF 4), or what gold wrote
 * for a discarded section.  Where code is known to begin higher, the entries tell. */
static void set_base(struct range_walk *walk, uint64_t base)
{
	walk->base = base;
	if (!base && walk->unit->dwarf->lowest_code) {
		walk->base_is_dead = false;
		return;
	}
	walk->base_is_dead = address_is_dead(walk->unit, base) ||
			     (base == DISCARDED_BASE && !walk->unit->dwarf->input.relocatable);
}

static int read_ranges(struct range_walk *walk, uint64_t offset, struct err *err)
{
	unsigned bytes = walk->unit->head.encoding.address_bytes;
	struct reader reader = section_reader(&walk->unit->dwarf->input.main, DWARF_RANGES);

	if (!walk->unit->is_split)
		reader = section_reader(walk->unit->info_section->sections, DWARF_RANGES);
	else
		offset += walk->unit->ranges_base;
	reader_seek(&reader, offset);
	while (!reader.failed) {
		uint64_t start = reader_unsigned(&reader, bytes);
		uint64_t end = reader_unsigned(&reader, bytes);

		if (reader.failed || (!start && !end))
			break;
		if (work_charge(&walk->context->work, RANGE_STEPS, err) < 0)
			return -1;
		if (start == unit_address_max(walk->unit))
			set_base(walk, end);
		else if (add_offsets(walk, start, end, err) < 0)
			return -1;
	}
	return reader_check(&reader, err);
}

static uint64_t address_index(const struct range_walk *walk, struct reader *reader)
{
	struct value value = { .number = reader_uleb128(reader), .meaning = FORM_CLASS_ADDRESS_INDEX };
	uint64_t address;

	return unit_address(walk->unit, value, &address) ? address : 0;
}

/* One entry; 1 at the end of the list. */
static int read_entry(struct range_walk *walk, struct reader *reader, struct err *err)
{
	unsigned bytes = walk->unit->head.encoding.address_bytes;
	unsigned kind = reader_u8(reader);
	uint64_t start, end;

	switch (kind) {
	case DW_RLE_end_of_list:
		return 1;
	case DW_RLE_base_addressx:
		set_base(walk, address_index(walk, reader));
		return 0;
	case DW_RLE_base_address:
		set_base(walk, reader_unsigned(reader, bytes));
		return 0;
	case DW_RLE_startx_endx:
		start = address_index(walk, reader);
		end = address_index(walk, reader);
		break;
	case DW_RLE_startx_length:
		start = address_index(walk, reader);
		end = start + reader_uleb128(reader);
		break;
	case DW_RLE_offset_pair:
		start = reader_uleb128(reader);
		end = reader_uleb128(reader);
		return reader->failed ? 0 : add_offsets(walk, start, end, err);
	case DW_RLE_start_end:
		start = reader_unsigned(reader, bytes);
		end = reader_unsigned(reader, bytes);
		break;
	case DW_RLE_start_length:
		start = reader_unsigned(reader, bytes);
		end = start + reader_uleb128(reader);
		break;
	default:
		return err_set(err, ERR_MALFORMED, ".debug_rnglists has the entry kind %u, at byte %zu",
			       kind, reader->pos);
	}
	return reader->failed ? 0 : add_span(walk, start, end, err);
}

static int read_rnglist(struct range_walk *walk, struct value value, struct err *err)
{
	const struct unit *unit = walk->unit;
	struct reader reader = section_reader(unit->info_section->sections, DWARF_RNGLISTS);
	uint64_t offset = value.number;
	int ended = 0;

	if (value.meaning == FORM_CLASS_RANGES_INDEX) {
		if (offset > reader.size)
			return err_set(err, ERR_MALFORMED, "range list %llu is not there",
				       (unsigned long long)offset);
		reader_seek(&reader, unit->rnglists_base +
				     offset * unit->head.encoding.offset_bytes);
		offset = unit->rnglists_base +
			 reader_unsigned(&reader, unit->head.encoding.offset_bytes);
	} else if (unit->is_split) {
		offset += unit->contribution.rnglists;
	}
	reader_seek(&reader, offset);
	while (!ended && !reader.failed) {
		if (work_charge(&walk->context->work, RANGE_STEPS, err) < 0)
			return -1;
		ended = read_entry(walk, &reader, err);
		if (ended < 0)
			return -1;
	}
	return reader_check(&reader, err);
}

static int read_low_high(struct range_walk *walk, const struct die *die, struct err *err)
{
	struct value high_value = die->values[AT_HIGH_PC];
	uint64_t low, high = high_value.number;

	if (!unit_address(walk->unit, die->values[AT_LOW_PC], &low))
		return 0;
	if (high_value.meaning == FORM_CLASS_CONSTANT)
		high += low;
	else if (!unit_address(walk->unit, high_value, &high))
		return 0;
	return add_span(walk, low, high, err);
}

static int sort_spans(struct unit_context *context, size_t first, struct err *err)
{
	size_t count = context->spans.count - first;
	struct sort_item *order;
	struct span *spans;

	if (pool_reserve(&context->order, context->scratch, 2 * count, sizeof(*order), err) < 0 ||
	    pool_reserve(&context->spans, context->scratch, count, sizeof(*spans), err) < 0)
		return -1;
	order = context->order.items;
	spans = (struct span *)context->spans.items + first;
	for (size_t i = 0; i < count; i++) {
		order[i] = (struct sort_item){ spans[i].start, i };
		spans[count + i] = spans[i];
	}
	sort_items(order, order + count, count);
	for (size_t i = 0; i < count; i++)
		spans[i] = spans[count + order[i].index];
	return 0;
}

/* Ascending, and one where several touch. */
static int tidy_spans(struct unit_context *context, size_t first, struct err *err)
{
	struct span *spans = (struct span *)context->spans.items + first;
	size_t count = context->spans.count - first;
	size_t kept = 0;

	for (size_t i = 1; i < count; i++) {
		if (spans[i - 1].start <= spans[i].start)
			continue;
		if (sort_spans(context, first, err) < 0)
			return -1;
		spans = (struct span *)context->spans.items + first;
		break;
	}
	for (size_t i = 1; i < count; i++) {
		if (spans[i].start > spans[kept].end)
			spans[++kept] = spans[i];
		else if (spans[i].end > spans[kept].end)
			spans[kept].end = spans[i].end;
	}
	context->spans.count = first + kept + 1;
	return 0;
}

int ranges_of(struct unit_context *context, const struct die *die, size_t *count, struct err *err)
{
	struct range_walk walk = { .context = context, .unit = context->unit,
				   .first = context->spans.count };
	int result = 0;

	walk.base = context->unit->low_pc;
	walk.base_is_dead = walk.base && address_is_dead(walk.unit, walk.base);
	if (die_has(die, AT_RANGES)) {
		struct value value = die->values[AT_RANGES];

		result = context->unit->head.encoding.version >= 5
				 ? read_rnglist(&walk, value, err)
				 : read_ranges(&walk, value.number, err);
	} else if (die_has(die, AT_LOW_PC) && die_has(die, AT_HIGH_PC)) {
		result = read_low_high(&walk, die, err);
	}
	if (result < 0)
		return err_while(err, "reading the ranges of the entry at %#llx",
				 (unsigned long long)die->offset);
	if (context->spans.count > walk.first && tidy_spans(context, walk.first, err) < 0)
		return -1;
	*count = context->spans.count - walk.first;
	return 0;
}
