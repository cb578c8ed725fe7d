/* One stack out of three: native frames, labels and frames of language runtimes, ordered by their place on the stack.
 *
 * The stack grows down, so of the oldest frames that are left the one with the greatest address is the next. Rules:
 *   - a native frame at the very address of a label or a runtime frame is dropped: those say more;
 *   - a label wins if strictly greater than both others, else a runtime frame if greater than the native one, else the native
 * one;
 *   - native frames inside a runtime's activation (stack_end … stack_address) are the runtime's own and are dropped;
 *   - in a stack that a thread takes of itself, frames younger than the first label of category Profiler are cut: they are
 * ours. */
#ifndef SONDE_STACK_MERGE_H
#define SONDE_STACK_MERGE_H

#include "stack/raw_stack.h"

#include <stdbool.h>
#include <stddef.h>

/* Fills `frames` (room for STACK_FRAMES_MAX) oldest first and returns how many. If there are more, the oldest are cut and
 * *cut is set. Texts point into `raw`. */
size_t merge_stack(const struct raw_stack *raw, bool synchronous, struct frame_entry *frames, bool *cut);

#endif
