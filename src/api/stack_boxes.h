/* The boxes of a stack chart of one thread: which calls its samples are in, over time.
 *
 *     time      0    1    2    3    4         A call is on consecutive samples; it begins with the first of them and ends with
 *     samples   A    A    A         A         the next that has it not. Of the calls before and after the window nothing is
 *               B    B    C                   looked at but how far those reach that are cut by its edges. */
#ifndef SONDE_API_STACK_BOXES_H
#define SONDE_API_STACK_BOXES_H

#include "api/stack_lane.h"
#include "api/thread_stacks.h"

struct stack_scale {
    struct time_range window;
    uint32_t width;         /* pixels */
    uint32_t from, until;   /* depths, without `until` itself */
    bool same_width;        /* pixels are shared by the changes of the stack in place of time */
    const uint8_t *matches; /* of each func: it is highlighted; NULL = none is */
};

struct stack_boxes {
    struct stack_lane *lanes; /* of the depths from `from` on */
    uint32_t lane_count;
    size_t changes; /* same_width: so many stacks share the pixels */
};

/* `boxes` needs no initialisation and is to be freed in any case. 0 or -ENOMEM. */
int stack_boxes_draw(const struct stack_scale *scale, const struct ancestors *ancestors, const struct thread_stacks *stacks,
                     struct stack_boxes *boxes);
void stack_boxes_free(struct stack_boxes *boxes);

#endif
