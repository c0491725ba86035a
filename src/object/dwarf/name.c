/* name.c -- names of functions, through their origins, across units and files. */
#include "object/dwarf/internal.h"

/* Remembered names, by the size of the unit. */
#define NAMES_FEWEST   16u
#define NAMES_MOST     8192u
#define BYTES_PER_NAME 256u

struct name_slot {
	uint64_t key;            /* place + 1; 0: free */
	struct named named;
};

static uint64_t place_of(const struct unit *unit, struct value value)
{
	if (value.number >= PLACE_ALTERNATE)
		return PLACE_NONE;
	switch (value.meaning) {
	case MEANS_UNIT_REFERENCE:
		return unit->head.offset + value.number;
	case MEANS_REFERENCE:
		return unit->is_split ? unit->contribution.info + value.number : value.number;
	case MEANS_ALTERNATE_REFERENCE:
		return value.number | PLACE_ALTERNATE;
	default:
		return PLACE_NONE;
	}
}

/* A reference found in the alternate stays there. */
uint64_t place_from(const struct reading *reading, const struct unit *unit, struct value value)
{
	uint64_t place = place_of(unit, value);

	if (place != PLACE_NONE && unit->book == &reading->dwarf->alternate)
		place |= PLACE_ALTERNATE;
	return place;
}

uint64_t origin_place(const struct reading *reading, const struct unit *unit,
		      const struct die *die)
{
	if (die_has(die, AT_ORIGIN))
		return place_from(reading, unit, die->values[AT_ORIGIN]);
	if (die_has(die, AT_SPECIFICATION))
		return place_from(reading, unit, die->values[AT_SPECIFICATION]);
	return PLACE_NONE;
}

uint64_t name_place(const struct unit *unit, const struct die *die)
{
	if (die_has(die, AT_ORIGIN) && !die_has(die, AT_LINKAGE_NAME) && !die_has(die, AT_NAME))
		return place_of(unit, die->values[AT_ORIGIN]);
	return die->offset;
}

static const struct unit *load_other(struct reading *reading, const struct book *book,
				     const struct unit_head *head)
{
	size_t bucket = (size_t)(head - book->heads) % (sizeof(reading->units) /
							 sizeof(*reading->units));
	struct err ignored = ERR_INIT;
	struct unit *unit;

	for (unit = reading->units[bucket]; unit && work_spend(&reading->work, 1); unit = unit->next)
		if (unit->book == book && unit->head.offset == head->offset)
			return unit->abbrevs ? unit : NULL;
	if (reading->work.is_over)
		return NULL;
	unit = arena_alloc_raw(reading->scratch, 1, sizeof(*unit));
	if (!unit) {
		reading->ran_out = true;
		return NULL;
	}
	if (unit_load(unit, reading->dwarf, book, head, NULL, NULL, &reading->work, reading->scratch,
		      &ignored) < 0) {
		reading->ran_out = reading->ran_out || ignored.kind == ERR_LIMIT;
		unit->abbrevs = NULL;            /* not tried again */
	}
	unit->next = reading->units[bucket];
	reading->units[bucket] = unit;
	return unit->abbrevs ? unit : NULL;
}

static const struct unit *unit_of(struct reading *reading, uint64_t place)
{
	const struct unit *unit = reading->unit;
	const struct book *book = place & PLACE_ALTERNATE ? &reading->dwarf->alternate
							  : unit->book;
	uint64_t offset = place & ~PLACE_ALTERNATE;
	const struct unit_head *head;

	if (book == unit->book && offset >= unit->head.first_die && offset < unit->head.end)
		return unit;
	head = book_find(book, offset);
	return head ? load_other(reading, book, head) : NULL;
}

const struct abbrev *place_read(struct reading *reading, uint64_t place,
				const struct unit **unit, struct reader *reader, struct die *die)
{
	struct err ignored = ERR_INIT;

	*unit = place == PLACE_NONE ? NULL : unit_of(reading, place);
	if (!*unit)
		return NULL;
	*reader = unit_reader(*unit, place & ~PLACE_ALTERNATE);
	return unit_read_die(*unit, reader, die, &ignored);
}

/* A linkage name anywhere in the chain is better than the first plain name. */
static struct named follow(struct reading *reading, uint64_t place)
{
	struct named named = { TEXT_NONE, TEXT_NONE, reading->unit->language };

	for (unsigned hops = 0; place != PLACE_NONE && hops <= LIMIT_ORIGIN_CHAIN; hops++) {
		const struct abbrev *abbrev;
		const struct unit *unit;
		struct reader reader;
		struct die die;

		abbrev = place_read(reading, place, &unit, &reader, &die);
		if (!abbrev)
			break;
		if (unit->book->wants_variables && abbrev->children && !named.variables.size)
			named.variables = variables_below(reading, unit, reader);
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
		place = origin_place(reading, unit, &die);
	}
	return named;
}

struct named name_at(struct reading *reading, uint64_t place)
{
	struct name_slot *slot;

	if (place == PLACE_NONE)
		return (struct named){ TEXT_NONE, TEXT_NONE, reading->unit->language };
	slot = &reading->names[(place * 0x9e3779b97f4a7c15u >> 40) & reading->name_mask];
	if (slot->key != place + 1) {
		slot->named = follow(reading, place);
		slot->key = place + 1;
	}
	return slot->named;
}

int names_prepare(struct reading *reading, struct err *err)
{
	size_t count = NAMES_FEWEST;

	while (count < NAMES_MOST && count < (reading->unit->head.end -
					      reading->unit->head.offset) / BYTES_PER_NAME)
		count *= 2;
	reading->names = arena_alloc(reading->scratch, count, sizeof(*reading->names));
	if (!reading->names)
		return no_room(err);
	reading->name_mask = count - 1;
	return 0;
}
