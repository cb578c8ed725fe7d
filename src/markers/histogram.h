/* How numbers are spread: in 20 buckets, of equal width, or each the same number of times as wide as the one before. */
#ifndef SONDE_MARKERS_HISTOGRAM_H
#define SONDE_MARKERS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 20 };

struct histogram {
    double low, high; /* bucket I starts at low + (high - low) * I / 20, or at low * (high / low) ^ (I / 20) */
    bool logarithmic; /* where the numbers span more than two decades; `low` is the smallest one above 0 then */
    uint32_t counts[HISTOGRAM_BUCKETS];
};

/* Of `count` numbers, ascending; what is below `low` is in the first bucket. Bounds are NaN where there is no number. */
struct histogram histogram_of(const double *numbers, size_t count);

#endif
