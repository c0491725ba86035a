/*
 * abbrev.c -- abbreviation tables, compiled into steps of reading.
 *
 * Reading a DIE is the inner loop of the program, so what can be known beforehand is worked
 * out here: neighbouring attributes that are not used become one skip, and a DIE whose attributes
 * all have fixed sizes is skipped by one addition.
 */
#include "object/dwarf/dwarf_internal.h"

#include "base/search.h"

#define ABBREV_STEPS 4u          /* beside its attributes */

struct building {
	struct pool abbrevs;     /* struct abbrev */
	struct pool specs;       /* struct step */
	struct arena *arena;
	struct encoding encoding;
	struct work_allowance *work;
	bool wants_variables;
};

static enum attribute common_attribute(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling:
		return AT_SIBLING;
	case DW_AT_name:
		return AT_NAME;
	case DW_AT_low_pc:
		return AT_LOW_PC;
	case DW_AT_high_pc:
		return AT_HIGH_PC;
	case DW_AT_ranges:
		return AT_RANGES;
	case DW_AT_abstract_origin:
		return AT_ORIGIN;
	case DW_AT_specification:
		return AT_SPECIFICATION;
	case DW_AT_call_file:
		return AT_CALL_FILE;
	case DW_AT_call_line:
		return AT_CALL_LINE;
	case DW_AT_declaration:
		return AT_DECLARATION;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return AT_LINKAGE_NAME;
	default:
		return AT_NONE;
	}
}

static enum attribute unit_attribute(uint64_t name)
{
	switch (name) {
	case DW_AT_stmt_list:
		return AT_STMT_LIST;
	case DW_AT_comp_dir:
		return AT_COMP_DIR;
	case DW_AT_language:
		return AT_LANGUAGE;
	case DW_AT_producer:
		return AT_PRODUCER;
	case DW_AT_str_offsets_base:
		return AT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return AT_ADDR_BASE;
	case DW_AT_rnglists_base:
		return AT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return AT_GNU_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return AT_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return AT_DWO_ID;
	default:
		return common_attribute(name);
	}
}

static enum attribute wanted(uint64_t name, enum die_kind kind)
{
	if (kind == DIE_UNIT)
		return unit_attribute(name);
	if (kind == DIE_FUNCTION || kind == DIE_INLINEE)
		return common_attribute(name);
	if (kind == DIE_VARIABLE || kind == DIE_BASE_TYPE || kind == DIE_POINTER_TYPE)
		return name == DW_AT_type ? AT_TYPE : common_attribute(name);
	return name == DW_AT_sibling ? AT_SIBLING : AT_NONE;
}

static enum die_kind kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return DIE_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return DIE_INLINEE;
	case DW_TAG_compile_unit:
	case DW_TAG_partial_unit:
	case DW_TAG_skeleton_unit:
		return DIE_UNIT;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return DIE_TYPE;
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_formal_parameter_pack:
	case DW_TAG_GNU_template_parameter_pack:
		return DIE_LEAF;
	default:
		return DIE_PLAIN;
	}
}

/* Where variables are wanted, they and the types that have names are read. */
static enum die_kind kind_with_variables(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		return DIE_VARIABLE;
	case DW_TAG_base_type:
		return DIE_BASE_TYPE;
	case DW_TAG_pointer_type:
		return DIE_POINTER_TYPE;
	default:
		return kind_of(tag);
	}
}

/* A sibling reference is only used to jump, from DIEs that are otherwise skipped. */
static void note_sibling(struct abbrev *abbrev, const struct attr_spec *spec)
{
	if (!abbrev->is_fixed || spec->shape != FORM_ENCODING_FIXED ||
	    spec->meaning != FORM_CLASS_UNIT_REFERENCE || abbrev->sibling_bytes)
		return;
	abbrev->sibling_at = abbrev->fixed_bytes;
	abbrev->sibling_bytes = (uint8_t)spec->bytes;
}

static int add_attr_spec(struct building *building, struct abbrev *abbrev, const struct attr_spec *spec,
		    struct err *err)
{
	struct attr_spec *specs = building->specs.items;
	struct attr_spec *last = abbrev->spec_count ? &specs[building->specs.count - 1] : NULL;

	if (spec->shape == FORM_ENCODING_FIXED) {
		abbrev->fixed_bytes += spec->bytes;
		if (last && spec->attribute == AT_NONE && last->shape == FORM_ENCODING_FIXED &&
		    last->attribute == AT_NONE) {
			last->bytes += spec->bytes;
			return 0;
		}
	} else if (spec->shape != FORM_ENCODING_IMPLICIT) {
		abbrev->is_fixed = false;
	} else if (spec->attribute == AT_NONE) {
		return 0;
	}
	if (pool_reserve(&building->specs, building->arena, 1, sizeof(*spec), err) < 0)
		return -1;
	specs = building->specs.items;
	specs[building->specs.count++] = *spec;
	abbrev->spec_count++;
	return 0;
}

static int read_attributes(struct building *building, struct reader *reader,
			   struct abbrev *abbrev, struct err *err)
{
	for (unsigned i = 0; i <= LIMIT_ABBREVIATION_ATTRIBUTES; i++) {
		uint64_t name = reader_uleb128(reader);
		uint64_t form = reader_uleb128(reader);
		enum attribute attribute = wanted(name, abbrev->kind);
		struct attr_spec spec;

		if (work_charge(building->work, i ? 1 : ABBREV_STEPS, err) < 0)
			return -1;
		if (!name && !form)
			return reader_check(reader, err);
		if (!attr_spec_of_form(form, building->encoding, &spec))
			return err_set(err, ERR_UNSUPPORTED,
				       "abbreviation %llu has the unknown form %#llx",
				       (unsigned long long)abbrev->code,
				       (unsigned long long)form);
		if (form == DW_FORM_implicit_const)
			spec.constant = (uint64_t)reader_sleb128(reader);
		if (attribute == AT_SIBLING)
			note_sibling(abbrev, &spec);
		else if (spec.meaning != FORM_CLASS_NOTHING || spec.shape == FORM_ENCODING_INDIRECT)
			spec.attribute = (uint8_t)attribute;
		if (attribute == AT_DECLARATION)
			abbrev->declares = true;
		if (add_attr_spec(building, abbrev, &spec, err) < 0)
			return -1;
	}
	return err_set(err, ERR_LIMIT, "abbreviation %llu has more than %u attributes",
		       (unsigned long long)abbrev->code, LIMIT_ABBREVIATION_ATTRIBUTES);
}

static int read_abbrev(struct building *building, struct reader *reader, uint64_t code,
		       struct err *err)
{
	struct abbrev abbrev = { .code = code, .is_fixed = true };
	struct abbrev *items;

	abbrev.kind = (uint8_t)(building->wants_variables
				? kind_with_variables(reader_uleb128(reader))
				: kind_of(reader_uleb128(reader)));
	abbrev.children = reader_u8(reader) != 0;
	abbrev.first_attr_spec = (uint32_t)building->specs.count;
	if (read_attributes(building, reader, &abbrev, err) < 0)
		return -1;
	if (building->specs.count >= UINT32_MAX ||
	    pool_reserve(&building->abbrevs, building->arena, 1, sizeof(abbrev), err) < 0)
		return pool_no_capacity(err);
	items = building->abbrevs.items;
	items[building->abbrevs.count++] = abbrev;
	return 0;
}

static int sort_by_code(struct abbrevs *abbrevs, struct arena *arena, struct err *err)
{
	const struct abbrev *items = abbrevs->items;
	struct sort_item *order = arena_alloc_raw(arena, abbrevs->count, 2 * sizeof(*order));
	struct abbrev *sorted = arena_alloc_raw(arena, abbrevs->count, sizeof(*sorted));

	if (!order || !sorted)
		return pool_no_capacity(err);
	for (size_t i = 0; i < abbrevs->count; i++)
		order[i] = (struct sort_item){ items[i].code, i };
	sort_items(order, order + abbrevs->count, abbrevs->count);
	for (size_t i = 0; i < abbrevs->count; i++)
		sorted[i] = items[order[i].index];
	abbrevs->items = sorted;
	return 0;
}

int abbrevs_read(struct abbrevs *abbrevs, const struct info_section *info_section, uint64_t offset,
		 struct encoding encoding, struct work_allowance *work, struct arena *arena, struct err *err)
{
	struct reader reader = section_reader(info_section->sections, DWARF_ABBREV);
	struct building building = { .arena = arena, .encoding = encoding, .work = work,
				     .wants_variables = info_section->wants_variables };
	bool dense = true;
	uint64_t code;

	reader_seek(&reader, offset);
	while ((code = reader_uleb128(&reader)) != 0) {
		dense = dense && code == building.abbrevs.count + 1;
		if (read_abbrev(&building, &reader, code, err) < 0)
			return err_while(err, "reading .debug_abbrev at %#llx",
					 (unsigned long long)offset);
	}
	if (reader_check(&reader, err) < 0)
		return -1;
	abbrevs->items = building.abbrevs.items;
	abbrevs->specs = building.specs.items;
	abbrevs->count = building.abbrevs.count;
	abbrevs->dense = dense;
	return dense ? 0 : sort_by_code(abbrevs, arena, err);
}

/* The first of equal codes. */
const struct abbrev *abbrevs_search(const struct abbrevs *abbrevs, uint64_t code)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, abbrevs->count, abbrevs->items[at].code < code);
	return at < abbrevs->count && abbrevs->items[at].code == code ? &abbrevs->items[at]
									: NULL;
}
