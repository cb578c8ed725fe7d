/* How long markers last without those inside them.
 *
 *     ├──────── a ────────┤      its self time is its duration without b and c, which are inside it
 *       ├── b ───┤               … without d, which is inside a by being inside b
 *          ├d┤   ├ c ┤
 *
 * Only what lies wholly inside a marker is a part of it: of two that overlap neither is a part of the other. Where parts of one
 * marker overlap, that time is taken away once. */
#ifndef SONDE_MARKERS_SELF_TIME_H
#define SONDE_MARKERS_SELF_TIME_H

#include <stddef.h>
#include <stdint.h>

struct nested_interval {
    double start, end; /* ms */
    uint32_t index;    /* whose it is; of those that are equal the lower one is around the other */
    double self;       /* ms: what this is about */
    uint32_t around;   /* the innermost interval around it */
    double covered;    /* up to here its parts are taken away */
};

/* Sorts them by start, the longer ones first, and fills in `self`. */
void nested_intervals_measure(struct nested_interval *intervals, size_t count);

#endif
