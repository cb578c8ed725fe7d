/* A marker as people see it, and a list of them. */
#ifndef SONDE_MARKERS_MARKER_H
#define SONDE_MARKERS_MARKER_H

#include "markers/catalog.h"
#include "profile/time_span.h"

#include <math.h>

struct marker {
    double start, end;        /* ms of the profile's own time; end NaN = it is a moment */
    const uint8_t *data;      /* the payload, a packed object without `cause`, see texts.h for its strings; NULL = none */
    struct string_index name; /* see texts.h */
    struct category_index category;
    struct marker_index row;       /* the raw marker it was made of; the end of a pair; marker_none() = made by Sonde */
    struct marker_index start_row; /* the start of a pair, else marker_none() */
    bool incomplete;               /* its start or its end was not recorded: the thread's stands for it */
    bool cause_of_start;           /* if both markers of the pair have a cause, that of the start counts */
};

struct marker_list {
    VEC(struct marker) items;
    struct arena arena; /* holds payloads that were put together */
    const struct marker_table *raw;
};

static inline bool marker_has_end(const struct marker *marker)
{
    return !isnan(marker->end);
}

/* True where any part of it lies between the two times, both included. An end of 0 counts as none. */
static inline bool marker_touches(const struct marker *marker, double start, double end)
{
    double last = marker_has_end(marker) && marker->end != 0 ? marker->end : marker->start;
    return marker->start <= end && last >= start;
}

#endif
