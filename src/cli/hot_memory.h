/* The memory of a recording in a few lines: its peak, what is left, and the call paths that hold or waste most. */
#ifndef SONDE_CLI_HOT_MEMORY_H
#define SONDE_CLI_HOT_MEMORY_H

#include "cli/selection.h"

/* Nothing where no allocations were recorded. `selection` as selection_of_loaded() left it. EXIT_OK, or after saying what is
 * wrong EXIT_DATA. */
int hot_memory_print(struct selection *selection);

#endif
