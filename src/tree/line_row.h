/* What was counted for each line of a source, or for each address of a function. */
#ifndef SONDE_TREE_LINE_ROW_H
#define SONDE_TREE_LINE_ROW_H

#include "common/vec.h"

#include <stdint.h>

struct line_row {
    uint32_t line;
    uint32_t first; /* the first stack of the profile that was on it */
    double self, total;
};

struct line_timings {
    VEC(struct line_row) rows; /* ascending lines */
};

static inline void line_timings_free(struct line_timings *lines)
{
    vec_free(&lines->rows);
}

#endif
