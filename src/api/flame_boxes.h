/* The boxes of a flame graph that are at least one device pixel wide.
 *
 *     ┌──────────── width ───────────┐
 *     │ main                         │ depth 0      siblings by name, so that pictures of different ranges can be
 *     │ draw       │ load  │         │ depth 1      compared; or the largest first; or as they were first seen
 *     │ blend │    │ read│ │         │ depth 2
 *
 * Fill in what is wanted, draw, put, free. */
#ifndef SONDE_API_FLAME_BOXES_H
#define SONDE_API_FLAME_BOXES_H

#include "api/ask.h"

struct flame_box {
    uint32_t node, depth;
    double left, width; /* in pixels */
};

struct flame {
    struct ordered_tree tree;
    const struct func_list *funcs;
    enum flame_order order;
    const double *first;    /* FLAME_BY_TIME, top-down: of each call node and all below it */
    const uint8_t *matches; /* of each func: it is highlighted; NULL = none is */
    uint32_t width;         /* device pixels */
    uint32_t from, until;   /* depths, without `until` itself */

    VEC(struct flame_box) boxes;
    struct node_list children;
    VEC(struct flame_box) pending; /* to be looked at, the leftmost one last */
    struct error error;
};

/* With a zoom path its node is as wide as all, and so are the nodes above it; an empty path is none. False with flame->error
 * filled. */
bool flame_draw(struct flame *flame, const struct path *zoom);

/* The boxes as `columns`. 0 or -ENOMEM. */
int flame_put(struct asking *asking, const struct flame *flame);

void flame_free(struct flame *flame);

/* How many levels a top-down tree has. */
uint32_t flame_levels(const struct call_tree *tree);

#endif
