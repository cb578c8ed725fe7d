#include "api/counter_columns.h"

#include <errno.h>
#include <math.h>

bool counter_is_accumulated(const struct profile *profile, const struct counter *counter)
{
    const uint8_t *type = NULL;
    if (counter->display.bytes.count > 0)
        type = value_find(counter->display.bytes.items, string_table_find(&profile->strings, SLICE("graphType")));
    struct value value = type ? value_read(type) : (struct value){.kind = VALUE_NULL};
    if (value.kind == VALUE_STRING)
        return slice_is(profile_text(profile, value.string), "line-accumulated");
    return slice_is(profile_text(profile, counter->category), "Memory");
}

int counter_columns_fill(const struct profile *profile, const struct counter *counter, struct time_range range, uint32_t width,
                         float *least, float *most)
{
    size_t count = column_count(&counter->time);
    double *times = memory_array(count, sizeof *times);
    if (!times)
        return -ENOMEM;
    if (count > 0)
        column_read_times(&counter->time, counter->time_is_deltas, times);
    for (uint32_t x = 0; x < width; x++)
        least[x] = most[x] = NAN;
    bool accumulated = counter_is_accumulated(profile, counter);
    double sum = 0, per_ms = width / (range.end - range.start);
    for (size_t i = 0; i < count; i++) {
        double change = column_get_number(&counter->count, i);
        sum += isnan(change) ? 0 : change;
        double elapsed = i > 0 ? times[i] - times[i - 1] : profile->meta.interval;
        float value = (float)(accumulated ? sum : elapsed > 0 ? change / elapsed * 1000 : 0);
        if (!(times[i] >= range.start && times[i] < range.end) || isnan(value))
            continue;
        uint32_t x = (uint32_t)fmin(width - 1, (times[i] - range.start) * per_ms);
        least[x] = isnan(least[x]) || value < least[x] ? value : least[x];
        most[x] = isnan(most[x]) || value > most[x] ? value : most[x];
    }
    memory_release(times);
    return 0;
}
