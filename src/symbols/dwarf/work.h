/* How much more a lookup may read.
 *
 * In sound files everything is read once or twice. In damaged ones thousands of units can point at the same line table, and
 * thousands of entries at the same list of ranges: reading it for each of them would never end. So the bytes read are counted,
 * and what comes after many times the size of all sections is left out. */
#ifndef SONDE_SYMBOLS_DWARF_WORK_H
#define SONDE_SYMBOLS_DWARF_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum { DWARF_WORK_FACTOR = 32, DWARF_WORK_MINIMUM = 1 << 16 };

struct dwarf_work {
    uint64_t left;
};

static inline bool dwarf_work_spend(struct dwarf_work *work, uint64_t bytes)
{
    bool enough = bytes <= work->left;
    work->left = enough ? work->left - bytes : 0;
    return enough;
}

#endif
