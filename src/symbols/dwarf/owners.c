#include "symbols/dwarf/owners.h"

#include "symbols/dwarf/ranges.h"

#include <errno.h>

struct search {
    struct dwarf_owners *owners;
    const struct dwarf_file *file;
    const uint64_t *addresses;
    size_t count;
    bool *claimed; /* by unit: what it owns is known */
    struct dwarf_work *work;
};

static void claim(struct search *search, uint32_t unit, uint64_t start, uint64_t end)
{
    if (start > search->addresses[search->count - 1] || end <= search->addresses[0])
        return;
    size_t first = dwarf_first_not_below(search->addresses, search->count, start), i = first;
    for (; i < search->count && search->addresses[i] < end; i++)
        if (search->owners->units[i] > unit)
            search->owners->units[i] = unit;
    dwarf_work_spend(search->work, i - first);
}

/* --- .debug_aranges --- */

/* One unit's part. False where it makes no sense; the next one can still be read. */
static bool read_arange_set(struct search *search, struct byte_reader *cursor, const uint8_t *start, uint8_t offset_size)
{
    uint16_t version = byte_reader_u16(cursor);
    uint64_t info_offset = dwarf_word(cursor, offset_size);
    uint8_t address_size = byte_reader_u8(cursor), segment_size = byte_reader_u8(cursor);
    const struct dwarf_unit_head *head = dwarf_file_unit_at(search->file, info_offset);
    if (cursor->failed || version != 2 || segment_size != 0 || (address_size != 4 && address_size != 8) || !head ||
        head->offset != info_offset)
        return false;
    /* Pairs are aligned to their size, from the start of the set. */
    size_t head_size = (size_t)(cursor->at - start), pair = 2u * address_size;
    byte_reader_take(cursor, (pair - head_size % pair) % pair);
    uint32_t unit = (uint32_t)(head - search->file->units.items);
    search->claimed[unit] = true;
    while (byte_reader_left(cursor) >= pair && search->work->left > 0) {
        uint64_t address = dwarf_word(cursor, address_size), length = dwarf_word(cursor, address_size), end;
        /* Zeros end a set, but linkers also leave them in its middle, where they threw a function away. */
        if (dwarf_address_dead(address, address_size))
            continue;
        if (__builtin_add_overflow(address, length, &end))
            end = UINT64_MAX;
        claim(search, unit, address, end);
    }
    return true;
}

static void read_aranges(struct search *search)
{
    struct slice section = search->file->sections.aranges;
    uint64_t offset = 0;
    while (offset < section.length && search->work->left > 0) {
        struct byte_reader cursor = dwarf_section_at(section, offset);
        const uint8_t *start = cursor.at;
        uint8_t offset_size;
        dwarf_initial_length(&cursor, &offset_size);
        if (cursor.failed)
            return;
        offset += (uint64_t)(cursor.end - start);
        read_arange_set(search, &cursor, start, offset_size);
    }
}

/* --- first entries --- */

static bool may_have_code(const struct dwarf_unit_head *head)
{
    return head->type == UT_compile || head->type == UT_skeleton || head->type == UT_partial;
}

static int read_first_entry(struct search *search, struct dwarf_unit *unit, uint32_t index)
{
    int result = dwarf_unit_open(unit, search->file, &search->file->units.items[index], DWARF_FIRST_ENTRY, search->work);
    if (result == -EINVAL) {
        search->owners->damaged++;
        return 0;
    }
    if (result != 0 || unit->tag == TAG_partial_unit || unit->tag == TAG_type_unit)
        return result;
    if (unit->ranges.form == 0 && unit->high_pc.form == 0)
        return vec_push(&search->owners->unclaimed, index) ? 0 : -ENOMEM;
    struct dwarf_ranges ranges;
    uint64_t start, end;
    dwarf_ranges_begin(&ranges, unit, unit->low_pc, unit->high_pc, unit->ranges, search->work);
    while (dwarf_ranges_next(&ranges, &start, &end))
        claim(search, index, start, end);
    search->owners->damaged += ranges.damaged;
    return 0;
}

int dwarf_owners_find(struct dwarf_owners *owners, const struct dwarf_file *file, const uint64_t *addresses, size_t count,
                      struct dwarf_work *work)
{
    struct search search = {owners, file, addresses, count, NULL, work};
    struct dwarf_unit unit = {0};
    int result = -ENOMEM;
    owners->units = memory_array(count, sizeof *owners->units);
    search.claimed = memory_zeroed(file->units.count, sizeof *search.claimed);
    if (!owners->units || !search.claimed || file->units.count >= DWARF_NO_UNIT)
        goto done;
    for (size_t i = 0; i < count; i++)
        owners->units[i] = DWARF_NO_UNIT;
    result = 0;
    if (count == 0)
        goto done;
    read_aranges(&search);
    for (uint32_t i = 0; i < file->units.count && result == 0; i++)
        if (!search.claimed[i] && may_have_code(&file->units.items[i]))
            result = read_first_entry(&search, &unit, i);
done:
    dwarf_unit_free(&unit);
    memory_release(search.claimed);
    return result;
}

void dwarf_owners_free(struct dwarf_owners *owners)
{
    memory_release(owners->units);
    vec_free(&owners->unclaimed);
}
