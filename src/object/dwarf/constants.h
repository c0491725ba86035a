/*
 * constants -- the numbers of the DWARF standard that this component uses, by their names there.
 */
#ifndef OBJECT_DWARF_NAMES_H
#define OBJECT_DWARF_NAMES_H

enum {
	DW_UT_compile = 1, DW_UT_type, DW_UT_partial, DW_UT_skeleton, DW_UT_split_compile,
	DW_UT_split_type
};

enum {
	DW_TAG_array_type = 0x01, DW_TAG_class_type = 0x02, DW_TAG_enumeration_type = 0x04,
	DW_TAG_formal_parameter = 0x05, DW_TAG_pointer_type = 0x0f, DW_TAG_compile_unit = 0x11,
	DW_TAG_structure_type = 0x13,
	DW_TAG_subroutine_type = 0x15, DW_TAG_union_type = 0x17,
	DW_TAG_inlined_subroutine = 0x1d, DW_TAG_base_type = 0x24, DW_TAG_subprogram = 0x2e, DW_TAG_variable = 0x34,
	DW_TAG_interface_type = 0x38, DW_TAG_partial_unit = 0x3c, DW_TAG_call_site = 0x48,
	DW_TAG_skeleton_unit = 0x4a, DW_TAG_GNU_call_site = 0x4109,
	DW_TAG_GNU_formal_parameter_pack = 0x4108, DW_TAG_GNU_template_parameter_pack = 0x4107
};

enum {
	DW_AT_sibling = 0x01, DW_AT_name = 0x03, DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12, DW_AT_language = 0x13, DW_AT_comp_dir = 0x1b, DW_AT_producer = 0x25,
	DW_AT_abstract_origin = 0x31, DW_AT_declaration = 0x3c, DW_AT_specification = 0x47,
	DW_AT_type = 0x49,
	DW_AT_ranges = 0x55, DW_AT_call_file = 0x58, DW_AT_call_line = 0x59,
	DW_AT_linkage_name = 0x6e, DW_AT_str_offsets_base = 0x72, DW_AT_addr_base = 0x73,
	DW_AT_rnglists_base = 0x74, DW_AT_dwo_name = 0x76, DW_AT_MIPS_linkage_name = 0x2007,
	DW_AT_GNU_dwo_name = 0x2130, DW_AT_GNU_dwo_id = 0x2131, DW_AT_GNU_ranges_base = 0x2132,
	DW_AT_GNU_addr_base = 0x2133
};

enum {
	DW_FORM_ref_addr = 0x10, DW_FORM_indirect = 0x16, DW_FORM_implicit_const = 0x21
};

enum {
	DW_RLE_end_of_list, DW_RLE_base_addressx, DW_RLE_startx_endx, DW_RLE_startx_length,
	DW_RLE_offset_pair, DW_RLE_base_address, DW_RLE_start_end, DW_RLE_start_length
};

enum {
	DW_LNS_copy = 1, DW_LNS_advance_pc, DW_LNS_advance_line, DW_LNS_set_file,
	DW_LNS_set_column, DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_const_add_pc,
	DW_LNS_fixed_advance_pc, DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin,
	DW_LNS_set_isa
};

enum { DW_LNE_end_sequence = 1, DW_LNE_set_address, DW_LNE_define_file };

enum { DW_LNCT_path = 1, DW_LNCT_directory_index };

enum { DW_SECT_INFO = 1, DW_SECT_ABBREV = 3, DW_SECT_STR_OFFSETS = 6, DW_SECT_RNGLISTS = 8 };

#endif
