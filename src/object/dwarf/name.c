/* name.c -- names of functions, through their origins, across units and files. */
#include "object/dwarf/dwarf_internal.h"

/* Remembered names, by the size of the unit. */
#define NAMES_FEWEST   16u
#define NAMES_MOST     8192u
#define BYTES_PER_NAME 256u

struct name_slot {
	uint64_t key;            /* place + 1; 0: free */
	struct named named;
};

/* A linkage name anywhere in the chain is better than the first plain name. */
static struct named follow(struct unit_context *context, uint64_t place)
{
	struct named named = { TEXT_NONE, TEXT_NONE, context->unit->language };

	for (unsigned hops = 0; place != DIE_REF_NONE && hops <= LIMIT_ORIGIN_CHAIN; hops++) {
		const struct abbrev *abbrev;
		const struct unit *unit;
		struct reader reader;
		struct die die;

		abbrev = die_ref_read(context, place, &unit, &reader, &die);
		if (!abbrev)
			break;
		if (unit->info_section->wants_variables && abbrev->children && !named.variables.size)
			named.variables = variables_below(context, unit, reader);
		if (unit->language)
			named.language = unit->language;
		if (die_has(&die, AT_LINKAGE_NAME)) {
			struct text name = unit_text(unit, die.values[AT_LINKAGE_NAME]);

			if (name.size) {
				named.name = name;
				break;
			}
		}
		if (!named.name.size && die_has(&die, AT_NAME))
			named.name = unit_text(unit, die.values[AT_NAME]);
		place = die_ref_origin(context, unit, &die);
	}
	return named;
}

struct named name_at(struct unit_context *context, uint64_t place)
{
	struct name_slot *slot;

	if (place == DIE_REF_NONE)
		return (struct named){ TEXT_NONE, TEXT_NONE, context->unit->language };
	slot = &context->names[(place * 0x9e3779b97f4a7c15u >> 40) & context->name_mask];
	if (slot->key != place + 1) {
		slot->named = follow(context, place);
		slot->key = place + 1;
	}
	return slot->named;
}

int name_prepare(struct unit_context *context, struct err *err)
{
	size_t count = NAMES_FEWEST;

	while (count < NAMES_MOST && count < (context->unit->head.end -
					      context->unit->head.offset) / BYTES_PER_NAME)
		count *= 2;
	context->names = arena_alloc(context->scratch, count, sizeof(*context->names));
	if (!context->names)
		return pool_no_capacity(err);
	context->name_mask = count - 1;
	return 0;
}
