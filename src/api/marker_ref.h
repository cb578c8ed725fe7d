/* A marker of a profile by two numbers, which stay what they are while the profile does: its thread, and its place in the
 * thread's list, the N of `m-N` in `sonde markers --list`. */
#ifndef SONDE_API_MARKER_REF_H
#define SONDE_API_MARKER_REF_H

#include "common/vec.h"
#include "markers/marker_list.h"

struct marker_ref {
    uint32_t thread, index;
};

/* By start, then in the order of threads, then of their lists. */
struct marker_refs {
    VEC(struct marker_ref) items;
};

/* When a marker is over: a moment at once, and none before it began. */
static inline double marker_over(const struct marker *marker)
{
    return marker_has_end(marker) ? fmax(marker->start, marker->end) : marker->start;
}

#endif
