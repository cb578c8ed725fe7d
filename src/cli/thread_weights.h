/* What the stacks of the profile come to in all rows of one thread, for exporters. */
#ifndef SONDE_CLI_THREAD_WEIGHTS_H
#define SONDE_CLI_THREAD_WEIGHTS_H

#include "tree/weigh.h"

/* `blocks`: allocations are counted, not their bytes. `weights` needs no initialisation; it is empty where the thread has
 * nothing that the strategy counts, and on failure. */
int thread_weigh(const struct view *whole, struct thread_index thread, enum strategy strategy, bool blocks,
                 struct stack_weights *weights, struct error *error);

#endif
