/* unit.c -- one unit made ready: its abbreviations, its root DIE, the bases of its tables. */
#include "object/dwarf/dwarf_internal.h"

#define FIRST_INDEXED_VERSION 5u
#define DIE_STEPS 4u                 /* to find one somewhere else, beside its attributes */

static const struct { uint16_t code; uint8_t language; } languages[] = {
	{ 0x01, LANGUAGE_C },      { 0x02, LANGUAGE_C },       { 0x0c, LANGUAGE_C },
	{ 0x1d, LANGUAGE_C },      { 0x2c, LANGUAGE_C },       { 0x3e, LANGUAGE_C },
	{ 0x04, LANGUAGE_CPP },    { 0x19, LANGUAGE_CPP },     { 0x1a, LANGUAGE_CPP },
	{ 0x21, LANGUAGE_CPP },    { 0x2a, LANGUAGE_CPP },     { 0x2b, LANGUAGE_CPP },
	{ 0x3a, LANGUAGE_CPP },    { 0x10, LANGUAGE_OBJC },    { 0x11, LANGUAGE_OBJCPP },
	{ 0x13, LANGUAGE_D },      { 0x16, LANGUAGE_GO },      { 0x1c, LANGUAGE_RUST },
	{ 0x1e, LANGUAGE_SWIFT },  { 0x32, LANGUAGE_CSHARP },
};

static uint32_t language_of(uint64_t code)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (languages[i].code == code)
			return languages[i].language;
	return LANGUAGE_UNKNOWN;
}

struct reader unit_reader(const struct unit *unit, uint64_t offset)
{
	struct reader reader = section_reader(unit->info_section->sections, DWARF_INFO);

	reader.size = (size_t)unit->head.end;
	reader_seek(&reader, offset);
	return reader;
}

static int unknown_code(const struct reader *reader, uint64_t code, struct err *err)
{
	if (reader->failed)
		return reader_check(reader, err);
	return err_set(err, ERR_MALFORMED, "abbreviation %llu unknown, at byte %zu",
		       (unsigned long long)code, reader->pos);
}

const struct abbrev *unit_read_die(const struct unit *unit, struct reader *reader,
				   struct die *die, struct err *err)
{
	const struct abbrev *abbrev;
	uint64_t code;

	die->offset = reader->pos;
	die->has = 0;
	code = reader_uleb128(reader);
	abbrev = abbrevs_find(unit->abbrevs, code);
	if (!abbrev) {
		if (code || reader->failed)
			(void)unknown_code(reader, code, err);
		return NULL;
	}
	if (work_charge(unit->work, DIE_STEPS + abbrev->spec_count, err) < 0)
		return NULL;
	attr_spec_read_all(reader, abbrev_attr_specs(unit->abbrevs, abbrev), abbrev->spec_count,
		   unit->head.encoding, die);
	return reader_check(reader, err) < 0 ? NULL : abbrev;
}

/* Item `index` of an array of offsets or addresses in a section. */
static bool indexed(const struct dwarf_sections *sections, enum dwarf_section which,
		    uint64_t base, uint64_t index, unsigned bytes, uint64_t *number)
{
	struct reader reader = section_reader(sections, which);

	if (index > reader.size || base > reader.size)
		return false;
	reader_seek(&reader, base + index * bytes);
	*number = reader_unsigned(&reader, bytes);
	return !reader.failed;
}

/* One without an end is looked for all the same. */
struct text unit_string(const struct unit *unit, const struct dwarf_sections *sections,
			enum dwarf_section which, uint64_t offset)
{
	struct text string = section_string(sections, which, offset);
	uint64_t size = sections->section[which].size;
	uint64_t looked_at = string.size;

	if (!string.bytes)
		looked_at = offset >= size ? 0 : size - offset < LIMIT_NAME_BYTES ? size - offset
										 : LIMIT_NAME_BYTES;
	(void)work_spend(unit->work, looked_at / WORK_BYTES_PER_STEP);
	return string;
}

struct text unit_text(const struct unit *unit, struct value value)
{
	const struct dwarf_sections *sections = unit->info_section->sections;
	uint64_t offset = value.number;
	struct text text;

	switch (value.meaning) {
	case FORM_CLASS_STRING_HERE:
		text = unit_string(unit, sections, DWARF_INFO, offset);
		return unit->info_section->copies ? copies_keep(unit->info_section->copies, text, offset) : text;
	case FORM_CLASS_STRING:
		return unit_string(unit, sections, DWARF_STR, offset);
	case FORM_CLASS_LINE_STRING:
		return unit_string(unit, sections, DWARF_LINE_STR, offset);
	case FORM_CLASS_STRING_ALTERNATE:
		return unit_string(unit, &unit->dwarf->input.alternate, DWARF_STR, offset);
	case FORM_CLASS_STRING_INDEX:
		if (!indexed(sections, DWARF_STR_OFFSETS, unit->str_offsets_base, value.number,
			     unit->head.encoding.offset_bytes, &offset))
			return TEXT_NONE;
		return unit_string(unit, sections, DWARF_STR, offset);
	default:
		return TEXT_NONE;
	}
}

bool unit_address(const struct unit *unit, struct value value, uint64_t *address)
{
	*address = value.number;
	if (value.meaning == FORM_CLASS_ADDRESS)
		return true;
	return value.meaning == FORM_CLASS_ADDRESS_INDEX &&
	       indexed(&unit->dwarf->input.main, DWARF_ADDR, unit->addr_base, value.number,
		       unit->head.encoding.address_bytes, address);
}

static uint64_t number_or(const struct die *die, enum attribute attribute, uint64_t otherwise)
{
	return die_has(die, attribute) ? die->values[attribute].number : otherwise;
}

static struct text text_at(const struct unit *unit, const struct die *die,
			   enum attribute attribute)
{
	return die_has(die, attribute) ? unit_text(unit, die->values[attribute]) : TEXT_NONE;
}

/* DWARF5 §7.26-7.28: the arrays stand behind a header of 8 bytes (16 in 64-bit DWARF),
 * range lists behind four more.  The GNU extension of version 4 had no headers. */
static void set_bases(struct unit *unit, const struct die *root, const struct unit *skeleton)
{
	bool is_indexed = unit->head.encoding.version >= FIRST_INDEXED_VERSION;
	uint64_t header = is_indexed ? 2u * unit->head.encoding.offset_bytes : 0;
	uint64_t lists = header ? header + 4 : 0;

	unit->str_offsets_base = unit->contribution.str_offsets +
				 number_or(root, AT_STR_OFFSETS_BASE, header);
	unit->rnglists_base = unit->contribution.rnglists +
			      number_or(root, AT_RNGLISTS_BASE, lists);
	unit->addr_base = skeleton ? skeleton->addr_base : number_or(root, AT_ADDR_BASE, header);
	unit->ranges_base = skeleton ? skeleton->ranges_base
				     : number_or(root, AT_GNU_RANGES_BASE, 0);
}

static bool is_discarded(const struct unit *unit, const struct die *root)
{
	return unit->low_pc == 0 && address_is_dead(unit, 0) && die_has(root, AT_LOW_PC) &&
	       die_has(root, AT_HIGH_PC) && !die_has(root, AT_RANGES);
}

static void read_root(struct unit *unit, const struct die *root, const struct unit *skeleton)
{
	struct text producer;

	set_bases(unit, root, skeleton);
	unit->name = text_at(unit, root, AT_NAME);
	unit->comp_dir = text_at(unit, root, AT_COMP_DIR);
	unit->language = language_of(number_or(root, AT_LANGUAGE, 0));
	unit->line_offset = number_or(root, AT_STMT_LIST, NO_OFFSET);
	if (die_has(root, AT_DWO_NAME) || die_has(root, AT_DWO_ID) || unit->head.dwo_id)
		unit->dwo_id = number_or(root, AT_DWO_ID, unit->head.dwo_id);
	if (skeleton)
		unit->low_pc = skeleton->low_pc;
	else if (!die_has(root, AT_LOW_PC) ||
		 !unit_address(unit, root->values[AT_LOW_PC], &unit->low_pc))
		unit->low_pc = 0;
	unit->is_discarded = is_discarded(unit, root);
	producer = text_at(unit, root, AT_PRODUCER);
	unit->ignores_symbols = text_starts_with(producer, "Dart VM");
	/* gcc's C and C++ put code below a type only when the type is local to a function. */
	unit->types_hold_no_code = text_starts_with(producer, "GNU C");
}

int unit_load(struct unit *unit, const struct dwarf *dwarf, const struct info_section *info_section,
	      const struct unit_head *head, const struct contribution *contribution,
	      const struct unit *skeleton, struct work_allowance *work, struct arena *arena, struct err *err)
{
	const struct abbrev *abbrev;
	struct die *root = &unit->root;
	struct reader reader;

	*unit = (struct unit){ .dwarf = dwarf, .info_section = info_section, .head = *head,
			       .is_split = skeleton != NULL, .work = work };
	if (contribution)
		unit->contribution = *contribution;
	if (head->shared != NO_TABLE) {
		unit->abbrevs = &info_section->shared[head->shared];
	} else {
		unit->abbrevs = &unit->own_abbrevs;
		if (abbrevs_read(&unit->own_abbrevs, info_section,
				 head->abbrev_offset + unit->contribution.abbrev, head->encoding,
				 work, arena, err) < 0)
			return -1;
	}
	reader = unit_reader(unit, head->first_die);
	if (reader_left(&reader) == 0) {
		unit->line_offset = NO_OFFSET;
		return 0;
	}
	abbrev = unit_read_die(unit, &reader, root, err);
	if (!abbrev && err->kind)
		return -1;
	if (!abbrev || abbrev->kind != DIE_UNIT)
		root->has = 0;
	read_root(unit, root, skeleton);
	return 0;
}
