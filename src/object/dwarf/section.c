/* section.c -- sections by name, and the strings in them. */
#include "object/dwarf/dwarf_internal.h"

static const char *const section_names[DWARF_SECTIONS] = {
	[DWARF_INFO] = ".debug_info", [DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_LINE] = ".debug_line", [DWARF_STR] = ".debug_str",
	[DWARF_LINE_STR] = ".debug_line_str", [DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_ADDR] = ".debug_addr", [DWARF_RANGES] = ".debug_ranges",
	[DWARF_RNGLISTS] = ".debug_rnglists", [DWARF_TYPES] = ".debug_types",
	[DWARF_CU_INDEX] = ".debug_cu_index",
};

const char *dwarf_section_name(enum dwarf_section section)
{
	return section < DWARF_SECTIONS ? section_names[section] : "";
}

struct reader section_reader(const struct dwarf_sections *sections, enum dwarf_section which)
{
	struct text bytes = sections->section[which];
	struct reader reader = reader_over(section_names[which], bytes.bytes, bytes.size);

	reader.big_endian = sections->big_endian;
	return reader;
}

struct text section_string(const struct dwarf_sections *sections, enum dwarf_section which,
			   uint64_t offset)
{
	struct text bytes = sections->section[which];
	const char *start, *end;
	size_t left;

	if (offset >= bytes.size)
		return TEXT_NONE;
	start = bytes.bytes + offset;
	left = bytes.size - (size_t)offset;
	end = memchr(start, 0, left < LIMIT_NAME_BYTES ? left : LIMIT_NAME_BYTES);
	return end ? (struct text){ start, (size_t)(end - start) } : TEXT_NONE;
}
