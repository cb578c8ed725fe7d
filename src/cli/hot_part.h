/* What a recording ends with, on standard error: its memory, where allocations were recorded, and the hot part of the tree. */
#ifndef SONDE_CLI_HOT_PART_H
#define SONDE_CLI_HOT_PART_H

#include "cli/selection.h"

/* Of the busiest thread; `selection` as selection_of_loaded() wants it. Standard output is standard error from then on. */
void hot_part_print(struct selection *selection);

#endif
