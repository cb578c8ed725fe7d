#include "symbols/dwarf/ranges.h"

/* Where the list is: an offset, or an index into the table of offsets at the unit's base. */
static bool list_offset(const struct dwarf_unit *unit, struct dwarf_value list, uint64_t *offset)
{
    if (list.form != FORM_rnglistx) {
        /* Only old split units have a base here. */
        return !__builtin_add_overflow(list.number, unit->head.sizes.version < 5 ? unit->ranges_base : 0, offset);
    }
    unsigned size = unit->head.sizes.offset;
    uint64_t entry;
    if (__builtin_mul_overflow(list.number, size, &entry) || __builtin_add_overflow(entry, unit->rnglists_base, &entry))
        return false;
    struct byte_reader cursor = dwarf_section_at(unit->file->sections.rnglists, entry);
    uint64_t from_base = dwarf_word(&cursor, size);
    return !cursor.failed && !__builtin_add_overflow(from_base, unit->rnglists_base, offset);
}

static void begin_one(struct dwarf_ranges *ranges, struct dwarf_value low_pc, struct dwarf_value high_pc)
{
    uint64_t start, end;
    if (!dwarf_unit_address(ranges->unit, low_pc, &start) || high_pc.form == 0)
        return;
    /* A constant is the length. */
    if (!dwarf_unit_address(ranges->unit, high_pc, &end) && __builtin_add_overflow(start, high_pc.number, &end))
        return;
    ranges->kind = RANGES_ONE;
    ranges->start = start;
    ranges->end = end;
}

void dwarf_ranges_begin(struct dwarf_ranges *ranges, const struct dwarf_unit *unit, struct dwarf_value low_pc,
                        struct dwarf_value high_pc, struct dwarf_value list, struct dwarf_work *work)
{
    *ranges = (struct dwarf_ranges){.unit = unit, .work = work, .kind = RANGES_NONE, .base = unit->base_address};
    if (list.form == 0) {
        begin_one(ranges, low_pc, high_pc);
        return;
    }
    bool old = unit->head.sizes.version < 5;
    uint64_t offset;
    ranges->kind = old ? RANGES_OLD_LIST : RANGES_LIST;
    ranges->damaged = !list_offset(unit, list, &offset);
    if (!ranges->damaged)
        ranges->cursor = dwarf_section_at(old ? unit->file->sections.ranges : unit->file->sections.rnglists, offset);
}

static bool next_old(struct dwarf_ranges *ranges, uint64_t *start, uint64_t *end)
{
    unsigned size = ranges->unit->head.sizes.address;
    uint64_t highest = size == 4 ? UINT32_MAX : UINT64_MAX;
    *start = dwarf_word(&ranges->cursor, size);
    *end = dwarf_word(&ranges->cursor, size);
    if (*start == 0 && *end == 0)
        return false;
    if (*start == highest) {
        ranges->base = *end;
        /* 0 is no dead base here: addresses as they are follow. */
        ranges->base_dead = *end != 0 && dwarf_address_dead(*end, size);
        *end = *start;
        return true;
    }
    /* The linker's mark for dead code is no offset, whatever the base is. */
    if (ranges->base_dead || *start >= highest - 1)
        *end = *start;
    *start = (*start + ranges->base) & highest;
    *end = (*end + ranges->base) & highest;
    return true;
}

/* Entries that only change the base are empty ranges. */
static bool next_new(struct dwarf_ranges *ranges, uint64_t *start, uint64_t *end)
{
    const struct dwarf_unit *unit = ranges->unit;
    struct byte_reader *cursor = &ranges->cursor;
    unsigned size = unit->head.sizes.address;
    bool known = true;
    *start = *end = 0;
    switch (byte_reader_u8(cursor)) {
    case RLE_end_of_list:
        return false;
    case RLE_base_addressx:
        known = dwarf_unit_indexed_address(unit, byte_reader_uleb(cursor), &ranges->base);
        ranges->base_dead = !known || dwarf_address_dead(ranges->base, size);
        break;
    case RLE_base_address:
        ranges->base = dwarf_word(cursor, size);
        ranges->base_dead = dwarf_address_dead(ranges->base, size);
        break;
    case RLE_startx_endx:
        known = dwarf_unit_indexed_address(unit, byte_reader_uleb(cursor), start);
        known &= dwarf_unit_indexed_address(unit, byte_reader_uleb(cursor), end);
        break;
    case RLE_startx_length:
        known = dwarf_unit_indexed_address(unit, byte_reader_uleb(cursor), start);
        *end = *start + byte_reader_uleb(cursor);
        break;
    case RLE_offset_pair:
        *start = ranges->base + byte_reader_uleb(cursor);
        *end = ranges->base + byte_reader_uleb(cursor);
        if (ranges->base_dead)
            *end = *start;
        break;
    case RLE_start_end:
        *start = dwarf_word(cursor, size);
        *end = dwarf_word(cursor, size);
        break;
    case RLE_start_length:
        *start = dwarf_word(cursor, size);
        *end = *start + byte_reader_uleb(cursor);
        break;
    default:
        byte_reader_fail(cursor);
    }
    if (!known)
        byte_reader_fail(cursor);
    return true;
}

bool dwarf_ranges_next(struct dwarf_ranges *ranges, uint64_t *start, uint64_t *end)
{
    unsigned size = ranges->unit->head.sizes.address;
    if (ranges->kind == RANGES_ONE) {
        ranges->kind = RANGES_NONE;
        *start = ranges->start;
        *end = ranges->end;
        return *start < *end && !dwarf_address_dead(*start, size);
    }
    if (ranges->kind == RANGES_NONE || ranges->damaged)
        return false;
    for (;;) {
        const uint8_t *before = ranges->cursor.at;
        bool more = ranges->kind == RANGES_LIST ? next_new(ranges, start, end) : next_old(ranges, start, end);
        uint64_t taken = (uint64_t)(ranges->cursor.at - before);
        if (ranges->cursor.failed || !dwarf_work_spend(ranges->work, taken)) {
            ranges->damaged = true;
            return false;
        }
        if (!more)
            return false;
        if (*start < *end && !dwarf_address_dead(*start, size))
            return true;
    }
}
