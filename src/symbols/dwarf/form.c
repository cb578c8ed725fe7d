#include "symbols/dwarf/form.h"

int dwarf_form_size(unsigned form, struct dwarf_sizes sizes)
{
    switch (form) {
    case FORM_flag_present:
    case FORM_implicit_const:
        return 0;
    case FORM_data1:
    case FORM_ref1:
    case FORM_flag:
    case FORM_strx1:
    case FORM_addrx1:
        return 1;
    case FORM_data2:
    case FORM_ref2:
    case FORM_strx2:
    case FORM_addrx2:
        return 2;
    case FORM_strx3:
    case FORM_addrx3:
        return 3;
    case FORM_data4:
    case FORM_ref4:
    case FORM_ref_sup4:
    case FORM_strx4:
    case FORM_addrx4:
        return 4;
    case FORM_data8:
    case FORM_ref8:
    case FORM_ref_sup8:
    case FORM_ref_sig8:
        return 8;
    case FORM_data16:
        return 16;
    case FORM_addr:
        return sizes.address;
    case FORM_ref_addr:
        return sizes.version <= 2 ? sizes.address : sizes.offset;
    case FORM_strp:
    case FORM_line_strp:
    case FORM_sec_offset:
    case FORM_strp_sup:
    case FORM_GNU_ref_alt:
    case FORM_GNU_strp_alt:
        return sizes.offset;
    default:
        return -1;
    }
}

bool dwarf_form_known(unsigned form)
{
    switch (form) {
    case FORM_block:
    case FORM_block1:
    case FORM_block2:
    case FORM_block4:
    case FORM_exprloc:
    case FORM_string:
    case FORM_sdata:
    case FORM_udata:
    case FORM_ref_udata:
    case FORM_indirect:
    case FORM_strx:
    case FORM_addrx:
    case FORM_loclistx:
    case FORM_rnglistx:
    case FORM_GNU_addr_index:
    case FORM_GNU_str_index:
        return true;
    default:
        return dwarf_form_size(form, (struct dwarf_sizes){5, 8, 4}) >= 0;
    }
}

/* A form that stands in the data itself. It cannot be another of these, nor one whose value is in the abbreviation. */
static unsigned indirect_form(struct byte_reader *cursor)
{
    uint64_t form = byte_reader_uleb(cursor);
    if (form == FORM_indirect || form == FORM_implicit_const || form > UINT16_MAX || !dwarf_form_known((unsigned)form)) {
        byte_reader_fail(cursor);
        return FORM_flag_present;
    }
    return (unsigned)form;
}

struct dwarf_value dwarf_form_read(struct byte_reader *cursor, unsigned form, int64_t constant, struct dwarf_sizes sizes)
{
    if (form == FORM_indirect)
        form = indirect_form(cursor);
    struct dwarf_value value = {.form = (uint16_t)form};
    switch (form) {
    case FORM_flag_present:
        value.number = 1;
        break;
    case FORM_implicit_const:
        value.number = (uint64_t)constant;
        break;
    case FORM_data1:
    case FORM_ref1:
    case FORM_flag:
    case FORM_strx1:
    case FORM_addrx1:
        value.number = byte_reader_u8(cursor);
        break;
    case FORM_data2:
    case FORM_ref2:
    case FORM_strx2:
    case FORM_addrx2:
        value.number = byte_reader_u16(cursor);
        break;
    case FORM_strx3:
    case FORM_addrx3:
        value.number = byte_reader_u24(cursor);
        break;
    case FORM_data4:
    case FORM_ref4:
    case FORM_ref_sup4:
    case FORM_strx4:
    case FORM_addrx4:
        value.number = byte_reader_u32(cursor);
        break;
    case FORM_data8:
    case FORM_ref8:
    case FORM_ref_sup8:
    case FORM_ref_sig8:
        value.number = byte_reader_u64(cursor);
        break;
    case FORM_data16:
        byte_reader_take(cursor, 16);
        break;
    case FORM_addr:
        value.number = dwarf_word(cursor, sizes.address);
        break;
    case FORM_ref_addr:
    case FORM_strp:
    case FORM_line_strp:
    case FORM_sec_offset:
    case FORM_strp_sup:
    case FORM_GNU_ref_alt:
    case FORM_GNU_strp_alt:
        value.number = dwarf_word(cursor, form == FORM_ref_addr && sizes.version <= 2 ? sizes.address : sizes.offset);
        break;
    case FORM_udata:
    case FORM_ref_udata:
    case FORM_strx:
    case FORM_addrx:
    case FORM_loclistx:
    case FORM_rnglistx:
    case FORM_GNU_addr_index:
    case FORM_GNU_str_index:
        value.number = byte_reader_uleb(cursor);
        break;
    case FORM_sdata:
        value.number = (uint64_t)byte_reader_sleb(cursor);
        break;
    case FORM_string: {
        struct slice text = dwarf_text(cursor);
        value.text = (const uint8_t *)text.text;
        value.number = text.length;
        break;
    }
    default: /* blocks, which nobody asks for */
        dwarf_form_skip(cursor, form, sizes);
    }
    return value;
}

void dwarf_form_skip(struct byte_reader *cursor, unsigned form, struct dwarf_sizes sizes)
{
    switch (form) {
    case FORM_exprloc:
    case FORM_block:
        byte_reader_take(cursor, byte_reader_uleb(cursor));
        break;
    case FORM_block1:
        byte_reader_take(cursor, byte_reader_u8(cursor));
        break;
    case FORM_block2:
        byte_reader_take(cursor, byte_reader_u16(cursor));
        break;
    case FORM_block4:
        byte_reader_take(cursor, byte_reader_u32(cursor));
        break;
    case FORM_string:
        dwarf_text(cursor);
        break;
    case FORM_indirect: {
        unsigned actual = indirect_form(cursor);
        int size = dwarf_form_size(actual, sizes);
        if (size >= 0)
            byte_reader_take(cursor, (uint64_t)size);
        else
            dwarf_form_skip(cursor, actual, sizes);
        break;
    }
    default:
        byte_reader_uleb(cursor);
    }
}
