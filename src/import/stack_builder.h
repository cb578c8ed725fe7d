/* Stacks in the making: frames put on top of each other, equal stacks kept once.
 *
 * For formats that write every stack out in full. A prefix always gets its row before what stands on it, which is the order
 * the stack table wants. */
#ifndef SONDE_IMPORT_STACK_BUILDER_H
#define SONDE_IMPORT_STACK_BUILDER_H

#include "common/map.h"
#include "common/vec.h"
#include "profile/stack_table.h"

#include <stdint.h>

struct built_stack {
    uint32_t prefix; /* row of the builder; INDEX_NONE for a root */
    uint32_t frame;
};

struct stack_builder {
    VEC(struct built_stack) rows;
    struct map by_key;
};

/* A zeroed builder is an empty one. */

/* The row of `frame` on top of row `prefix` (INDEX_NONE = at the bottom); INDEX_NONE when the heap is empty. */
uint32_t stack_builder_add(struct stack_builder *builder, uint32_t prefix, uint32_t frame);

/* Appends all rows to `table`; frame numbers of the builder count from `first_frame`. The stack of row `r` is then row
 * (what stack_count() was before) + r. */
void stack_builder_append_to(const struct stack_builder *builder, uint32_t first_frame, struct stack_table *table);

void stack_builder_free(struct stack_builder *builder);

#endif
