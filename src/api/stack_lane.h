/* One depth of a stack chart: boxes side by side, each at least one device pixel wide.
 *
 *     calls     [a······]b c d [e······]f        b, c, d, f: narrower than a pixel
 *     pixels    |a······ |b+c+d|e······|f|
 *
 * Of the narrow calls in the middle of one pixel a single box is made, of the category that most of the pixel has; pixels side
 * by side that have the same category are one box. It is that of its longest call. */
#ifndef SONDE_API_STACK_LANE_H
#define SONDE_API_STACK_LANE_H

#include "common/vec.h"

#include <stdint.h>

struct stack_call {
    uint32_t node, category;
    double left, right; /* pixels */
    double start, end;  /* ms */
    bool highlighted;
};

struct stack_box {
    uint32_t node, category;
    uint32_t left, right; /* pixels, without the right one itself */
    double start, end;    /* ms */
    double longest;       /* pixels of the call that the node is of */
    bool narrow, merged, highlighted;
};

struct category_width {
    uint32_t category;
    double width;
};

/* A zeroed lane is empty. */
struct stack_lane {
    VEC(struct stack_box) boxes;
    bool has_pixel;                      /* narrow calls are being added up … */
    struct stack_box pixel;              /* … in this box, */
    VEC(struct category_width) in_pixel; /* with these categories */
};

/* Calls come from left to right, within `width` pixels. False when the heap is empty. */
bool stack_lane_add(struct stack_lane *lane, const struct stack_call *call, uint32_t width);
bool stack_lane_finish(struct stack_lane *lane);
void stack_lane_free(struct stack_lane *lane);

#endif
