#include "symbols/dwarf/unit.h"

#include <errno.h>

/* --- heads --- */

/* What follows the length. False where nobody knows such units. */
static bool read_head(struct byte_reader *cursor, struct dwarf_unit_head *head, uint8_t offset_size)
{
    uint16_t version = byte_reader_u16(cursor);
    if (version < 2 || version > 5)
        return false;
    head->sizes.version = (uint8_t)version;
    head->sizes.offset = offset_size;
    head->type = version >= 5 ? byte_reader_u8(cursor) : UT_compile;
    if (version >= 5) {
        head->sizes.address = byte_reader_u8(cursor);
        head->abbrev_offset = dwarf_word(cursor, offset_size);
    } else {
        head->abbrev_offset = dwarf_word(cursor, offset_size);
        head->sizes.address = byte_reader_u8(cursor);
    }
    if (head->type == UT_skeleton || head->type == UT_split_compile) {
        head->id = byte_reader_u64(cursor);
    } else if (head->type == UT_type || head->type == UT_split_type) {
        byte_reader_u64(cursor);
        dwarf_word(cursor, offset_size);
    }
    return !cursor->failed && (head->sizes.address == 4 || head->sizes.address == 8);
}

int dwarf_file_read(struct dwarf_file *file)
{
    struct slice info = file->sections.info;
    for (uint64_t offset = 0; offset < info.length;) {
        struct byte_reader cursor = dwarf_section_at(info, offset);
        const uint8_t *start = cursor.at;
        struct dwarf_unit_head head = {.offset = offset};
        uint8_t offset_size;
        dwarf_initial_length(&cursor, &offset_size);
        if (cursor.failed) {
            /* Where the next unit begins is unknown as well. */
            file->damaged++;
            return 0;
        }
        head.end = offset + (uint64_t)(cursor.end - start);
        offset = head.end;
        if (!read_head(&cursor, &head, offset_size)) {
            file->damaged++;
            continue;
        }
        head.first_entry = (uint8_t)(cursor.at - start);
        if (!vec_push(&file->units, head))
            return -ENOMEM;
    }
    return 0;
}

void dwarf_file_free(struct dwarf_file *file)
{
    vec_free(&file->units);
}

const struct dwarf_unit_head *dwarf_file_unit_at(const struct dwarf_file *file, uint64_t offset)
{
    size_t low = 0, high = file->units.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->units.items[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < file->units.count && file->units.items[low].offset <= offset;
    return found ? &file->units.items[low] : NULL;
}

/* --- the first entry --- */

/* Values that can only be understood when all of the entry is known. */
struct first_entry {
    struct dwarf_value comp_dir, dwo_name, stmt_list;
};

static void note_attribute(struct dwarf_unit *unit, struct first_entry *first, uint16_t name, struct dwarf_value value)
{
    switch (name) {
    case AT_stmt_list:
        first->stmt_list = value;
        break;
    case AT_comp_dir:
        first->comp_dir = value;
        break;
    case AT_dwo_name:
    case AT_GNU_dwo_name:
        first->dwo_name = value;
        break;
    case AT_GNU_dwo_id:
        unit->dwo_id = value.number;
        break;
    case AT_low_pc:
        unit->low_pc = value;
        break;
    case AT_high_pc:
        unit->high_pc = value;
        break;
    case AT_ranges:
        unit->ranges = value;
        break;
    case AT_addr_base:
    case AT_GNU_addr_base:
        unit->addr_base = value.number;
        break;
    case AT_str_offsets_base:
        unit->str_offsets_base = value.number;
        break;
    case AT_rnglists_base:
        unit->rnglists_base = value.number;
        break;
    case AT_GNU_ranges_base:
        unit->dwo_ranges_base = value.number;
        break;
    default:
        break;
    }
}

/* Split units do not say where theirs begin: behind the head of the section's only table. */
static void set_default_bases(struct dwarf_unit *unit)
{
    bool wide = unit->head.sizes.offset == 8;
    unit->addr_base = unit->str_offsets_base = unit->rnglists_base = unit->ranges_base = unit->dwo_ranges_base = 0;
    if (unit->head.sizes.version >= 5) {
        unit->addr_base = unit->str_offsets_base = wide ? 16 : 8;
        unit->rnglists_base = wide ? 20 : 12;
    }
}

static int read_first_entry(struct dwarf_unit *unit, struct byte_reader *cursor, const struct dwarf_abbrev *abbrev)
{
    struct first_entry first = {0};
    unit->tag = abbrev->tag;
    unit->has_children = abbrev->has_children;
    unit->dwo_id = unit->head.id;
    unit->low_pc = unit->high_pc = unit->ranges = (struct dwarf_value){0};
    set_default_bases(unit);
    for (uint32_t i = 0; i < abbrev->attribute_count; i++) {
        const struct dwarf_attribute *attribute = dwarf_abbrev_attribute(&unit->abbrevs, abbrev, i);
        struct dwarf_value value = dwarf_form_read(cursor, attribute->form, attribute->constant, unit->head.sizes);
        note_attribute(unit, &first, attribute->name, value);
    }
    if (cursor->failed)
        return -EINVAL;
    unit->comp_dir = dwarf_unit_text(unit, first.comp_dir);
    unit->dwo_name = dwarf_unit_text(unit, first.dwo_name);
    unit->has_lines = first.stmt_list.form != 0;
    unit->line_offset = first.stmt_list.number;
    if (!dwarf_unit_address(unit, unit->low_pc, &unit->base_address))
        unit->base_address = 0;
    return 0;
}

int dwarf_unit_open(struct dwarf_unit *unit, const struct dwarf_file *file, const struct dwarf_unit_head *head,
                    enum dwarf_depth depth, struct dwarf_work *work)
{
    unit->file = NULL;
    unit->head = *head;
    struct slice info = slice_until(file->sections.info, head->end);
    struct byte_reader cursor = dwarf_section_at(info, head->offset + head->first_entry);
    uint64_t code = byte_reader_uleb(&cursor);
    if (cursor.failed || code == 0)
        return -EINVAL;
    int result = dwarf_abbrevs_read(&unit->abbrevs, file->sections.abbrev, head->abbrev_offset, head->sizes,
                                    depth == DWARF_FIRST_ENTRY ? code : 0, work);
    if (result != 0)
        return result;
    const struct dwarf_abbrev *abbrev = dwarf_abbrevs_find(&unit->abbrevs, code);
    if (!abbrev || abbrev->unreadable)
        return -EINVAL;
    unit->file = file;
    result = read_first_entry(unit, &cursor, abbrev);
    if (result != 0)
        unit->file = NULL;
    return result;
}

void dwarf_unit_free(struct dwarf_unit *unit)
{
    dwarf_abbrevs_free(&unit->abbrevs);
    unit->file = NULL;
}

/* --- entries and values --- */

const struct dwarf_abbrev *dwarf_unit_entry(const struct dwarf_unit *unit, uint64_t offset, struct byte_reader *values)
{
    if (offset < unit->head.offset + unit->head.first_entry || offset >= unit->head.end)
        return NULL;
    *values = dwarf_section_at(slice_until(unit->file->sections.info, unit->head.end), offset);
    uint64_t code = byte_reader_uleb(values);
    const struct dwarf_abbrev *abbrev = code != 0 ? dwarf_abbrevs_find(&unit->abbrevs, code) : NULL;
    return abbrev && !abbrev->unreadable ? abbrev : NULL;
}

static struct slice text_at(struct slice section, uint64_t offset)
{
    struct byte_reader cursor = dwarf_section_at(section, offset);
    return cursor.failed ? (struct slice){0} : dwarf_text(&cursor);
}

/* Entry number `index` of a table of words, or false. */
static bool table_entry(struct slice section, uint64_t base, uint64_t index, unsigned size, uint64_t *entry)
{
    uint64_t offset;
    if (__builtin_mul_overflow(index, size, &offset) || __builtin_add_overflow(offset, base, &offset))
        return false;
    struct byte_reader cursor = dwarf_section_at(section, offset);
    *entry = dwarf_word(&cursor, size);
    return !cursor.failed;
}

struct slice dwarf_unit_text(const struct dwarf_unit *unit, struct dwarf_value value)
{
    const struct dwarf_sections *sections = &unit->file->sections;
    const struct dwarf_file *alternate = unit->file->alternate;
    uint64_t offset;
    switch (value.form) {
    case FORM_string:
        return (struct slice){(const char *)value.text, value.number};
    case FORM_strp:
        return text_at(sections->str, value.number);
    case FORM_line_strp:
        return text_at(sections->line_str, value.number);
    case FORM_strx:
    case FORM_strx1:
    case FORM_strx2:
    case FORM_strx3:
    case FORM_strx4:
    case FORM_GNU_str_index:
        if (!table_entry(sections->str_offsets, unit->str_offsets_base, value.number, unit->head.sizes.offset, &offset))
            return (struct slice){0};
        return text_at(sections->str, offset);
    case FORM_strp_sup:
    case FORM_GNU_strp_alt:
        return alternate ? text_at(alternate->sections.str, value.number) : (struct slice){0};
    default:
        return (struct slice){0};
    }
}

bool dwarf_unit_indexed_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *address)
{
    return table_entry(unit->file->sections.addr, unit->addr_base, index, unit->head.sizes.address, address);
}

bool dwarf_unit_address(const struct dwarf_unit *unit, struct dwarf_value value, uint64_t *address)
{
    switch (value.form) {
    case FORM_addr:
        *address = value.number;
        return true;
    case FORM_addrx:
    case FORM_addrx1:
    case FORM_addrx2:
    case FORM_addrx3:
    case FORM_addrx4:
    case FORM_GNU_addr_index:
        return dwarf_unit_indexed_address(unit, value.number, address);
    default:
        return false;
    }
}

bool dwarf_unit_reference(const struct dwarf_unit *unit, struct dwarf_value value, const struct dwarf_file **file,
                          uint64_t *offset)
{
    *file = unit->file;
    *offset = value.number;
    switch (value.form) {
    case FORM_ref1:
    case FORM_ref2:
    case FORM_ref4:
    case FORM_ref8:
    case FORM_ref_udata:
        if (value.number >= unit->head.end - unit->head.offset)
            return false;
        *offset += unit->head.offset;
        return true;
    case FORM_ref_addr:
        return true;
    case FORM_GNU_ref_alt:
    case FORM_ref_sup4:
    case FORM_ref_sup8:
        *file = unit->file->alternate;
        return *file != NULL;
    default:
        return false;
    }
}
