#include "api/counter_values.h"

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
    /* What counts how much of something went by; all others count how much there is. */
    static const struct slice rates[] = {SLICE("CPU"), SLICE("Bandwidth"), SLICE("power")};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (slice_equal(profile_text(profile, counter->category), rates[i]))
            return false;
    return true;
}

/* How long the first row took: nobody says. It is no longer than since the zero of the profile, and rarely longer than what
 * comes after it; with the interval, which may be much shorter, its rate would stand out. */
static double first_elapsed(const double *times, size_t count, double interval)
{
    double most = times[0] > 0 ? times[0] : INFINITY;
    double next = count > 1 ? times[1] - times[0] : INFINITY;
    double least = fmin(most, next);
    return isfinite(least) ? fmax(least, interval) : interval;
}

int counter_values_read(const struct profile *profile, const struct counter *counter, struct counter_values *values)
{
    size_t count = column_count(&counter->time);
    *values = (struct counter_values){
        .count = count,
        .times = memory_array(count, sizeof(double)),
        .changes = memory_array(count, sizeof(double)),
        .values = memory_array(count, sizeof(double)),
    };
    if (!values->times || !values->changes || !values->values)
        return -ENOMEM;
    if (count == 0)
        return 0;
    column_read_times(&counter->time, counter->time_is_deltas, values->times);
    column_read_numbers(&counter->count, 0, count, values->changes);
    bool accumulated = counter_is_accumulated(profile, counter);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double change = values->changes[i];
        double elapsed =
            i > 0 ? values->times[i] - values->times[i - 1] : first_elapsed(values->times, count, profile->meta.interval);
        sum += isnan(change) ? 0 : change;
        values->values[i] = accumulated ? sum : elapsed > 0 ? change / elapsed * 1000 : 0;
        values->changes[i] = isnan(change) ? 0 : change;
    }
    return 0;
}

void counter_values_free(struct counter_values *values)
{
    memory_release(values->times);
    memory_release(values->changes);
    memory_release(values->values);
}

struct counter_summary counter_summary_of(const struct counter_values *values, bool accumulated, struct time_range range)
{
    struct counter_summary summary = {NAN, NAN, NAN, NAN};
    double sum = 0, elapsed = 0, change = 0;
    size_t count = 0;
    for (size_t i = 0; i < values->count; i++) {
        double value = values->values[i];
        if (!(values->times[i] >= range.start && values->times[i] < range.end) || isnan(value))
            continue;
        summary.least = fmin(summary.least, value);
        summary.most = fmax(summary.most, value);
        change += values->changes[i];
        /* Of the first row nobody knows how long it took. */
        sum += accumulated ? value : i > 0 ? values->changes[i] : 0;
        elapsed += i > 0 ? values->times[i] - values->times[i - 1] : 0;
        count++;
    }
    if (count > 0)
        summary.change = change;
    if (count > 0 && (accumulated || elapsed > 0))
        summary.mean = accumulated ? sum / (double)count : sum / elapsed * 1000;
    return summary;
}
