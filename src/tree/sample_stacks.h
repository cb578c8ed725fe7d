/* Samples one by one: the stack of a view that each has, for those who need to know when it was. */
#ifndef SONDE_TREE_SAMPLE_STACKS_H
#define SONDE_TREE_SAMPLE_STACKS_H

#include "tree/view.h"

/* Fills `stacks`, which has room for all samples of the thread: rows of `view`. INDEX_NONE = the sample has no stack, or is
 * left out: by a transform, by its time, or, with `exclude_idle`, because its stack in `whole`, the profile as it is, ends in
 * the category "Idle". */
int sample_stacks_read(const struct view *whole, const struct view *view, struct thread_index thread, bool exclude_idle,
                       uint32_t *stacks, struct error *error);

#endif
