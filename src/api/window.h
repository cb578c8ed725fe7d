/* Which rows of a list a request wants: some before an anchor, and some from it on. */
#ifndef SONDE_API_WINDOW_H
#define SONDE_API_WINDOW_H

#include "api/reply.h"
#include "api/request.h"

struct window {
    size_t count;  /* rows that there are */
    size_t anchor; /* SIZE_MAX = none */
    bool exact;    /* the anchor is what was asked for */
    size_t first, end;
};

/* `anchor` is where the anchor of the ask was found, if it has one (SIZE_MAX = nowhere); else it is the row of the ask. */
struct window window_of(const struct ask *ask, size_t count, size_t anchor, bool exact);

/* `count`, `first`, `anchor` and `exact` of a part. */
void window_put(const struct window *window, struct reply *reply);

#endif
