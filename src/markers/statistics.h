/* How often each marker occurs and how long it lasts. */
#ifndef SONDE_MARKERS_STATISTICS_H
#define SONDE_MARKERS_STATISTICS_H

#include "markers/marker_list.h"

struct name_statistics {
    struct string_index name;
    size_t count;
    size_t intervals;                /* those that have an end: only they have a duration */
    double total, min, average, max; /* ms; NaN without intervals */
    double self;                     /* ms; NaN where none was added */
    double median, p95;              /* half of the durations are up to the first, 95 % up to the other */
    size_t first;                    /* its durations in `sorted`, as many as `intervals` */
};

struct marker_duration {
    uint32_t row; /* of its name */
    double ms;
};

struct marker_statistics {
    VEC(struct name_statistics) rows; /* the most frequent first; those as frequent as each other as they were added */
    struct map by_name;
    VEC(struct marker_duration) durations;
    double *sorted; /* those of each name together, ascending */
};

/* A zeroed struct has no rows. Add markers, then finish once, then read the rows. False when the heap is empty. */
bool marker_statistics_add(struct marker_statistics *statistics, const struct marker *marker);
bool marker_statistics_add_number(struct marker_statistics *statistics, struct string_index name,
                                  double number); /* in place of the duration; NaN = none */
/* Of a name that has rows: what one of its markers takes itself. */
bool marker_statistics_add_self(struct marker_statistics *statistics, struct string_index name, double self);
bool marker_statistics_finish(struct marker_statistics *statistics);
void marker_statistics_free(struct marker_statistics *statistics);

#endif
