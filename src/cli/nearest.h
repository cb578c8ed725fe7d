/* "Did you mean …?": the one of several names that is nearest to what was typed. */
#ifndef SONDE_CLI_NEAREST_H
#define SONDE_CLI_NEAREST_H

#include "common/slice.h"

struct nearest {
    struct slice typed;
    struct slice best; /* `text` is NULL while nothing is near enough */
    size_t distance;
};

void nearest_start(struct nearest *nearest, struct slice typed);
void nearest_offer(struct nearest *nearest, struct slice name);

#endif
