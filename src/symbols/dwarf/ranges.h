/* The addresses of an entry: one range, or a list of them in .debug_ranges (until version 4) or .debug_rnglists (from 5 on).
 *
 *     struct dwarf_ranges ranges;
 *     dwarf_ranges_begin(&ranges, unit, low_pc, high_pc, list);
 *     while (dwarf_ranges_next(&ranges, &start, &end))
 *         …
 *
 * Ranges of functions that the linker threw away are left out. It cannot take their entries away, and writes an address where
 * no code can be instead: 0 or 1 (ld, gold), or one of the two highest (lld). */
#ifndef SONDE_SYMBOLS_DWARF_RANGES_H
#define SONDE_SYMBOLS_DWARF_RANGES_H

#include "symbols/dwarf/unit.h"

struct dwarf_ranges {
    const struct dwarf_unit *unit;
    struct dwarf_work *work;
    struct byte_reader cursor; /* in the list */
    uint64_t base;
    uint64_t start, end; /* the one range, where there is no list */
    enum { RANGES_NONE, RANGES_ONE, RANGES_OLD_LIST, RANGES_LIST } kind;
    bool base_dead;
    bool damaged;
};

/* Values as in the entry; those that are not there have the form 0. */
void dwarf_ranges_begin(struct dwarf_ranges *ranges, const struct dwarf_unit *unit, struct dwarf_value low_pc,
                        struct dwarf_value high_pc, struct dwarf_value list, struct dwarf_work *work);

/* The next range with an address in it; false at the end, and where the list is damaged. */
bool dwarf_ranges_next(struct dwarf_ranges *ranges, uint64_t *start, uint64_t *end);

static inline bool dwarf_address_dead(uint64_t address, unsigned address_size)
{
    uint64_t highest = address_size == 4 ? UINT32_MAX : UINT64_MAX;
    return address < 2 || address >= highest - 1;
}

#endif
