/* The numbers of the DWARF standard that the reader knows, by their names there without the DW_ in front; those of the GNU
 * extensions that came before version 5 as well. */
#ifndef SONDE_SYMBOLS_DWARF_CONSTANTS_H
#define SONDE_SYMBOLS_DWARF_CONSTANTS_H

enum dwarf_unit_type {
    UT_compile = 1,
    UT_type = 2,
    UT_partial = 3,
    UT_skeleton = 4,
    UT_split_compile = 5,
    UT_split_type = 6,
};

enum dwarf_tag {
    TAG_class_type = 0x02,
    TAG_lexical_block = 0x0b,
    TAG_compile_unit = 0x11,
    TAG_structure_type = 0x13,
    TAG_union_type = 0x17,
    TAG_inlined_subroutine = 0x1d,
    TAG_module = 0x1e,
    TAG_subprogram = 0x2e,
    TAG_try_block = 0x32,
    TAG_catch_block = 0x25,
    TAG_with_stmt = 0x22,
    TAG_namespace = 0x39,
    TAG_partial_unit = 0x3c,
    TAG_type_unit = 0x41,
    TAG_skeleton_unit = 0x4a,
};

enum dwarf_attribute_name {
    AT_sibling = 0x01,
    AT_name = 0x03,
    AT_stmt_list = 0x10,
    AT_low_pc = 0x11,
    AT_high_pc = 0x12,
    AT_comp_dir = 0x1b,
    AT_abstract_origin = 0x31,
    AT_decl_column = 0x39,
    AT_decl_line = 0x3b,
    AT_specification = 0x47,
    AT_ranges = 0x55,
    AT_call_file = 0x58,
    AT_call_line = 0x59,
    AT_linkage_name = 0x6e,
    AT_str_offsets_base = 0x72,
    AT_addr_base = 0x73,
    AT_rnglists_base = 0x74,
    AT_dwo_name = 0x76,
    AT_MIPS_linkage_name = 0x2007,
    AT_GNU_dwo_name = 0x2130,
    AT_GNU_dwo_id = 0x2131,
    AT_GNU_ranges_base = 0x2132,
    AT_GNU_addr_base = 0x2133,
};

enum dwarf_form {
    FORM_addr = 0x01,
    FORM_block2 = 0x03,
    FORM_block4 = 0x04,
    FORM_data2 = 0x05,
    FORM_data4 = 0x06,
    FORM_data8 = 0x07,
    FORM_string = 0x08,
    FORM_block = 0x09,
    FORM_block1 = 0x0a,
    FORM_data1 = 0x0b,
    FORM_flag = 0x0c,
    FORM_sdata = 0x0d,
    FORM_strp = 0x0e,
    FORM_udata = 0x0f,
    FORM_ref_addr = 0x10,
    FORM_ref1 = 0x11,
    FORM_ref2 = 0x12,
    FORM_ref4 = 0x13,
    FORM_ref8 = 0x14,
    FORM_ref_udata = 0x15,
    FORM_indirect = 0x16,
    FORM_sec_offset = 0x17,
    FORM_exprloc = 0x18,
    FORM_flag_present = 0x19,
    FORM_strx = 0x1a,
    FORM_addrx = 0x1b,
    FORM_ref_sup4 = 0x1c,
    FORM_strp_sup = 0x1d,
    FORM_data16 = 0x1e,
    FORM_line_strp = 0x1f,
    FORM_ref_sig8 = 0x20,
    FORM_implicit_const = 0x21,
    FORM_loclistx = 0x22,
    FORM_rnglistx = 0x23,
    FORM_ref_sup8 = 0x24,
    FORM_strx1 = 0x25,
    FORM_strx2 = 0x26,
    FORM_strx3 = 0x27,
    FORM_strx4 = 0x28,
    FORM_addrx1 = 0x29,
    FORM_addrx2 = 0x2a,
    FORM_addrx3 = 0x2b,
    FORM_addrx4 = 0x2c,
    FORM_GNU_addr_index = 0x1f01,
    FORM_GNU_str_index = 0x1f02,
    FORM_GNU_ref_alt = 0x1f20,
    FORM_GNU_strp_alt = 0x1f21,
};

enum dwarf_range_entry {
    RLE_end_of_list = 0,
    RLE_base_addressx = 1,
    RLE_startx_endx = 2,
    RLE_startx_length = 3,
    RLE_offset_pair = 4,
    RLE_base_address = 5,
    RLE_start_end = 6,
    RLE_start_length = 7,
};

enum dwarf_line_opcode {
    LNS_copy = 1,
    LNS_advance_pc = 2,
    LNS_advance_line = 3,
    LNS_set_file = 4,
    LNS_set_column = 5,
    LNS_negate_stmt = 6,
    LNS_set_basic_block = 7,
    LNS_const_add_pc = 8,
    LNS_fixed_advance_pc = 9,
    LNS_set_prologue_end = 10,
    LNS_set_epilogue_begin = 11,
    LNS_set_isa = 12,
};

enum dwarf_line_extended { LNE_end_sequence = 1, LNE_set_address = 2, LNE_define_file = 3 };

enum dwarf_line_content { LNCT_path = 1, LNCT_directory_index = 2 };

/* Columns of the index of a .dwp: those of the GNU extension and of version 5 differ from 5 on. */
enum dwarf_index_section {
    SECT_INFO = 1,
    SECT_ABBREV = 3,
    SECT_LINE = 4,
    SECT_STR_OFFSETS = 6,
    SECT_RNGLISTS = 8,
};

#endif
