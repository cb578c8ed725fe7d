/* On which line of which source file the frame of a stack is. */
#ifndef SONDE_TREE_STACK_POSITIONS_H
#define SONDE_TREE_STACK_POSITIONS_H

#include "tree/view.h"

/* The columns that say it, as plain arrays. */
struct stack_positions {
    const struct view *view;
    uint32_t *frame_line, *frame_location; /* for each frame */
};

struct stack_position {
    uint32_t source, line; /* INDEX_NONE = unknown */
};

/* 0 or -ENOMEM; on failure there is nothing to free. */
int stack_positions_read(const struct view *view, struct stack_positions *positions, struct error *error);
void stack_positions_free(struct stack_positions *positions);

/* What a source map says of the frame, else of the func, else the file as it ran. */
struct stack_position stack_position_of(const struct stack_positions *positions, uint32_t stack);

#endif
