/* What is said of a row, or of a box, in its column `flags`. */
#ifndef SONDE_API_ROW_FLAGS_H
#define SONDE_API_ROW_FLAGS_H

#include "tree/call_node_table.h"

enum {
    ROW_HAS_CHILDREN = 1,
    ROW_OPEN = 2,
    ROW_INLINED = 4,
    ROW_INLINED_PARTLY = 8,
    ROW_LABEL = 16,
    ROW_HIGHLIGHTED = 32,
    ROW_MERGED = 64, /* a box that stands for several */
};

static inline uint8_t row_inlined_flag(uint32_t inlined)
{
    return inlined == INLINED_DIVERGENT ? ROW_INLINED_PARTLY : inlined == INLINED_NOT ? 0 : ROW_INLINED;
}

#endif
