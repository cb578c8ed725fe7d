/* A part of a profile: some of its threads, some of its time. What is not in it is gone from the profile, not only hidden. */
#ifndef SONDE_EXPORT_CUT_H
#define SONDE_EXPORT_CUT_H

#include "profile/compact.h"

struct profile_cut {
    const struct thread_index *threads; /* that stay, in the order of the profile */
    size_t thread_count;
    double start, end;       /* start ≤ t < end, ms of the profile's own time; NaN = open */
    struct func_roots roots; /* functions that stay although no sample has them */
};

/* Of markers, those stay that touch the range; a counter goes with the last thread of its process. 0 or -ENOMEM: the profile
 * is only good to be freed then. `changes` as of profile_compact(). */
int profile_cut(struct profile *profile, const struct profile_cut *cut, struct func_changes *changes, struct error *error);

#endif
