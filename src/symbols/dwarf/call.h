/* What a lookup finds at an address: the function it is in, and the calls that were inlined there. */
#ifndef SONDE_SYMBOLS_DWARF_CALL_H
#define SONDE_SYMBOLS_DWARF_CALL_H

#include "common/slice.h"

#include <stdint.h>

/* One function at an address. Texts live as long as the sections do, or as the lookup's arena. */
struct dwarf_call {
    struct slice name; /* the linkage name where there is one, else the plain one; empty = unknown */
    struct slice
        lambda;        /* of a lambda that has no linkage name, with what it is in: main::{lambda#1}::operator(); else empty */
    struct slice file; /* the whole path as the debug information has it; empty = unknown */
    uint32_t line;     /* innermost: from the line table; others: where they call the next inner one. 0 = unknown */
    uint64_t start;    /* where its code begins; only of the one that is not inlined. 0 = unknown */
};

#endif
