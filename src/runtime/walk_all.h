/* The frames of all language runtimes that are on the stack of a thread. */
#ifndef SONDE_RUNTIME_WALK_ALL_H
#define SONDE_RUNTIME_WALK_ALL_H

#include "runtime/runtime.h"

/* Adds the frames that these runtimes have on the stack of the thread. */
void runtime_walk_all(const struct runtime_layout *const *layouts, size_t count, struct runtime_walk *walk);

/* Whether the bytes are a layout that can be handed to runtime_walk_all(): for who has it from another process. The walker
 * finds out itself that an address leads nowhere. */
bool runtime_layout_check(const void *bytes, size_t length);

#endif
