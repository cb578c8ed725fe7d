/* The hot part of a call tree, on standard error: what a recording ends with. */
#ifndef SONDE_CLI_HOT_PART_H
#define SONDE_CLI_HOT_PART_H

#include "cli/selection.h"

/* Of the busiest thread; `selection` as selection_of_loaded() wants it. Standard output is standard error from then on. */
void hot_part_print(struct selection *selection);

#endif
