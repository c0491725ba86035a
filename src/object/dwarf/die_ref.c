/* die_ref.c -- what a DIE refers to: in its unit, in another one, in the alternate. */
#include "object/dwarf/dwarf_internal.h"

static uint64_t die_ref_of(const struct unit *unit, struct value value)
{
	if (value.number >= DIE_REF_ALTERNATE)
		return DIE_REF_NONE;
	switch (value.meaning) {
	case FORM_CLASS_UNIT_REFERENCE:
		return unit->head.offset + value.number;
	case FORM_CLASS_REFERENCE:
		return unit->is_split ? unit->contribution.info + value.number : value.number;
	case FORM_CLASS_ALTERNATE_REFERENCE:
		return value.number | DIE_REF_ALTERNATE;
	default:
		return DIE_REF_NONE;
	}
}

/* A reference found in the alternate stays there. */
uint64_t die_ref_from(const struct unit_context *context, const struct unit *unit, struct value value)
{
	uint64_t place = die_ref_of(unit, value);

	if (place != DIE_REF_NONE && unit->info_section == &context->dwarf->alternate)
		place |= DIE_REF_ALTERNATE;
	return place;
}

uint64_t die_ref_origin(const struct unit_context *context, const struct unit *unit,
		      const struct die *die)
{
	if (die_has(die, AT_ORIGIN))
		return die_ref_from(context, unit, die->values[AT_ORIGIN]);
	if (die_has(die, AT_SPECIFICATION))
		return die_ref_from(context, unit, die->values[AT_SPECIFICATION]);
	return DIE_REF_NONE;
}

uint64_t name_die_ref(const struct unit *unit, const struct die *die)
{
	if (die_has(die, AT_ORIGIN) && !die_has(die, AT_LINKAGE_NAME) && !die_has(die, AT_NAME))
		return die_ref_of(unit, die->values[AT_ORIGIN]);
	return die->offset;
}

static const struct unit *load_other(struct unit_context *context, const struct info_section *info_section,
				     const struct unit_head *head)
{
	size_t bucket = (size_t)(head - info_section->heads) % (sizeof(context->units) /
							 sizeof(*context->units));
	struct err ignored = ERR_INIT;
	struct unit *unit;

	for (unit = context->units[bucket]; unit && work_spend(&context->work, 1); unit = unit->next)
		if (unit->info_section == info_section && unit->head.offset == head->offset)
			return unit->abbrevs ? unit : NULL;
	if (context->work.is_over)
		return NULL;
	unit = arena_alloc_raw(context->scratch, 1, sizeof(*unit));
	if (!unit) {
		context->ran_out = true;
		return NULL;
	}
	if (unit_load(unit, context->dwarf, info_section, head, NULL, NULL, &context->work, context->scratch,
		      &ignored) < 0) {
		context->ran_out = context->ran_out || ignored.kind == ERR_LIMIT;
		unit->abbrevs = NULL;            /* not tried again */
	}
	unit->next = context->units[bucket];
	context->units[bucket] = unit;
	return unit->abbrevs ? unit : NULL;
}

static const struct unit *unit_of(struct unit_context *context, uint64_t place)
{
	const struct unit *unit = context->unit;
	const struct info_section *info_section = place & DIE_REF_ALTERNATE ? &context->dwarf->alternate
							  : unit->info_section;
	uint64_t offset = place & ~DIE_REF_ALTERNATE;
	const struct unit_head *head;

	if (info_section == unit->info_section && offset >= unit->head.first_die && offset < unit->head.end)
		return unit;
	head = info_section_find(info_section, offset);
	return head ? load_other(context, info_section, head) : NULL;
}

const struct abbrev *die_ref_read(struct unit_context *context, uint64_t place,
				const struct unit **unit, struct reader *reader, struct die *die)
{
	struct err ignored = ERR_INIT;

	*unit = place == DIE_REF_NONE ? NULL : unit_of(context, place);
	if (!*unit)
		return NULL;
	*reader = unit_reader(*unit, place & ~DIE_REF_ALTERNATE);
	return unit_read_die(*unit, reader, die, &ignored);
}
