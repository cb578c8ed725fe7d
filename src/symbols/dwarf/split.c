#include "symbols/dwarf/split.h"

#include <errno.h>

void dwarf_split_free(struct dwarf_split *split)
{
    dwarf_file_free(&split->file);
    dwarf_unit_free(&split->unit);
}

/* --- the index of a .dwp --- */

struct unit_index {
    bool old; /* the GNU extension, before version 5 */
    uint64_t columns, units, slots;
    struct byte_reader hashes, rows, names, offsets, sizes;
};

static struct byte_reader take_table(struct byte_reader *cursor, uint64_t entries, uint64_t entry_size)
{
    uint64_t size;
    if (__builtin_mul_overflow(entries, entry_size, &size))
        size = UINT64_MAX;
    const uint8_t *table = byte_reader_take(cursor, size);
    return table ? (struct byte_reader){table, table + size, false} : (struct byte_reader){.failed = true};
}

static bool read_index(struct unit_index *index, struct slice section)
{
    struct byte_reader cursor = dwarf_section_at(section, 0);
    uint32_t version = byte_reader_u32(&cursor); /* 16 bits and padding from version 5 on */
    index->old = version == 2;
    index->columns = byte_reader_u32(&cursor);
    index->units = byte_reader_u32(&cursor);
    index->slots = byte_reader_u32(&cursor);
    if (cursor.failed || (version != 2 && version != 5) || index->slots == 0 || (index->slots & (index->slots - 1)) != 0)
        return false;
    index->hashes = take_table(&cursor, index->slots, 8);
    index->rows = take_table(&cursor, index->slots, 4);
    index->names = take_table(&cursor, index->columns, 4);
    index->offsets = take_table(&cursor, index->columns * index->units, 4);
    index->sizes = take_table(&cursor, index->columns * index->units, 4);
    return !cursor.failed;
}

static uint32_t word_of(struct byte_reader table, uint64_t i)
{
    byte_reader_take(&table, i * 4);
    return byte_reader_u32(&table);
}

/* The row of a unit, from 0 on; false where it has none. */
static bool find_row(const struct unit_index *index, uint64_t id, uint64_t *row)
{
    uint64_t mask = index->slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1;
    for (uint64_t i = 0; i < index->slots; i++, slot = (slot + step) & mask) {
        struct byte_reader hash = index->hashes;
        byte_reader_take(&hash, slot * 8);
        uint32_t found = word_of(index->rows, slot);
        if (found == 0)
            return false;
        if (byte_reader_u64(&hash) == id) {
            *row = found - 1;
            return found <= index->units;
        }
    }
    return false;
}

static struct slice *section_of(struct dwarf_sections *sections, uint32_t name, bool old)
{
    switch (name) {
    case SECT_INFO:
        return &sections->info;
    case SECT_ABBREV:
        return &sections->abbrev;
    case SECT_LINE:
        return &sections->line;
    case SECT_STR_OFFSETS:
        return &sections->str_offsets;
    case SECT_RNGLISTS: /* was macros before */
        return old ? NULL : &sections->rnglists;
    default:
        return NULL;
    }
}

bool dwarf_split_narrow(struct dwarf_sections *sections, uint64_t id)
{
    struct unit_index index;
    uint64_t row;
    if (!read_index(&index, sections->cu_index) || !find_row(&index, id, &row))
        return false;
    struct dwarf_sections narrow = *sections;
    narrow.info = narrow.line = narrow.rnglists = (struct slice){0};
    for (uint64_t i = 0; i < index.columns; i++) {
        uint32_t name = word_of(index.names, i);
        uint32_t offset = word_of(index.offsets, row * index.columns + i), size = word_of(index.sizes, row * index.columns + i);
        const struct slice *whole = section_of(sections, name, index.old);
        if (!whole)
            continue;
        if (offset > whole->length || size > whole->length - offset)
            return false;
        *section_of(&narrow, name, index.old) = slice_until(slice_from(*whole, offset), size);
    }
    *sections = narrow;
    return true;
}

/* --- the unit --- */

static int find_unit(struct dwarf_split *split, uint64_t id)
{
    for (size_t i = 0; i < split->file.units.count; i++) {
        const struct dwarf_unit_head *head = &split->file.units.items[i];
        bool has_id = head->sizes.version >= 5;
        if (has_id ? head->type != UT_split_compile || head->id != id : head->type != UT_compile)
            continue;
        int result = dwarf_unit_open(&split->unit, &split->file, head, DWARF_ALL_ENTRIES, &split->work);
        if (result == -ENOMEM || (result == 0 && split->unit.dwo_id == id))
            return result;
    }
    split->unit.file = NULL;
    return -EINVAL;
}

int dwarf_split_open(struct dwarf_split *split, const struct dwarf_unit *skeleton, const struct dwarf_sections *sections)
{
    split->unit.file = NULL;
    split->file.units.count = split->file.damaged = 0;
    split->file.sections = *sections;
    struct dwarf_sections *own = &split->file.sections;
    if (own->cu_index.length > 0 && !dwarf_split_narrow(own, skeleton->dwo_id))
        return -EINVAL;
    /* Addresses are the linker's business, and so is what consists of them. */
    own->addr = skeleton->file->sections.addr;
    own->ranges = skeleton->file->sections.ranges;
    split->work.left = DWARF_WORK_MINIMUM + DWARF_WORK_FACTOR * (uint64_t)(own->info.length + own->abbrev.length +
                                                                           own->ranges.length + own->rnglists.length);
    int result = dwarf_file_read(&split->file);
    if (result == 0)
        result = find_unit(split, skeleton->dwo_id);
    if (result != 0)
        return result;
    split->unit.addr_base = skeleton->addr_base;
    split->unit.base_address = skeleton->base_address;
    split->unit.ranges_base = skeleton->dwo_ranges_base;
    return 0;
}
