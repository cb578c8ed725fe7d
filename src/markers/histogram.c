#include "markers/histogram.h"

#include <math.h>

enum { TWO_DECADES = 100 };

static bool spans_decades(const double *numbers, size_t count, double *smallest)
{
    size_t first = 0;
    while (first < count && numbers[first] == 0)
        first++;
    *smallest = first < count ? numbers[first] : NAN;
    return numbers[0] >= 0 && first < count && isfinite(numbers[count - 1]) && numbers[count - 1] / *smallest > TWO_DECADES;
}

static size_t bucket_of(const struct histogram *histogram, double number)
{
    double share = histogram->logarithmic ? log(number / histogram->low) / log(histogram->high / histogram->low)
                                          : (number - histogram->low) / (histogram->high - histogram->low);
    /* NaN, where all numbers are the same, is the first bucket, too. */
    return (size_t)fmin(fmax(share * HISTOGRAM_BUCKETS, 0), HISTOGRAM_BUCKETS - 1);
}

struct histogram histogram_of(const double *numbers, size_t count)
{
    struct histogram histogram = {.low = NAN, .high = NAN};
    if (count == 0)
        return histogram;
    double smallest;
    histogram.logarithmic = spans_decades(numbers, count, &smallest);
    histogram.low = histogram.logarithmic ? smallest : numbers[0];
    histogram.high = numbers[count - 1];
    for (size_t i = 0; i < count; i++)
        histogram.counts[bucket_of(&histogram, numbers[i])]++;
    return histogram;
}
