#include "api/counter_columns.h"

#include <math.h>

int counter_columns_fill(const struct profile *profile, const struct counter *counter, struct time_range range, uint32_t width,
                         float *least, float *most)
{
    struct counter_values values;
    int status = counter_values_read(profile, counter, &values);
    for (uint32_t x = 0; x < width; x++)
        least[x] = most[x] = NAN;
    double per_ms = width / (range.end - range.start);
    for (size_t i = 0; i < values.count && status == 0; i++) {
        float value = (float)values.values[i];
        if (!(values.times[i] >= range.start && values.times[i] < range.end) || isnan(value))
            continue;
        uint32_t x = (uint32_t)fmin(width - 1, (values.times[i] - range.start) * per_ms);
        least[x] = isnan(least[x]) || value < least[x] ? value : least[x];
        most[x] = isnan(most[x]) || value > most[x] ? value : most[x];
    }
    counter_values_free(&values);
    return status;
}
