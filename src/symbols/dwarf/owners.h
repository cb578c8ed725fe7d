/* Which unit each address belongs to: from .debug_aranges for the units it has (gcc's), from the unit's first entry for others
 * (clang's). Where several claim an address, the first in the file has it. */
#ifndef SONDE_SYMBOLS_DWARF_OWNERS_H
#define SONDE_SYMBOLS_DWARF_OWNERS_H

#include "symbols/dwarf/unit.h"

enum { DWARF_NO_UNIT = UINT32_MAX };

struct dwarf_owners {
    uint32_t *units;         /* by address: the index of its unit, or DWARF_NO_UNIT */
    VEC(uint32_t) unclaimed; /* units that do not say which addresses are theirs */
    size_t damaged;
};

/* 0 or -ENOMEM. `addresses` are ascending. */
int dwarf_owners_find(struct dwarf_owners *owners, const struct dwarf_file *file, const uint64_t *addresses, size_t count,
                      struct dwarf_work *work);
void dwarf_owners_free(struct dwarf_owners *owners);

/* The first of ascending `addresses` that is not below `address`. */
static inline size_t dwarf_first_not_below(const uint64_t *addresses, size_t count, uint64_t address)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        bool below = addresses[low + half] < address;
        low = below ? low + half + 1 : low;
        count = below ? count - half - 1 : half;
    }
    return low;
}

#endif
