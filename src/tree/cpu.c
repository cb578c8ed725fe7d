#include "tree/cpu.h"

#include <math.h>

/* The most of a delta that a millisecond between two samples had. */
static int most_per_ms(const struct sample_table *samples, double *most, struct error *error)
{
    size_t count = sample_table_has(&samples->cpu_delta) ? sample_count(samples) : 0;
    if (count == 0)
        return 0;
    double *times = memory_array(count, sizeof *times);
    if (!times)
        return error_out_of_memory(error);
    sample_table_read_times(samples, times);
    for (size_t i = 1; i < count; i++) {
        double delta = column_get_number(&samples->cpu_delta, i), elapsed = times[i] - times[i - 1];
        if (elapsed != 0 && delta / elapsed > *most)
            *most = delta / elapsed;
    }
    memory_release(times);
    return 0;
}

int cpu_reference_per_ms(const struct profile *profile, double *reference, struct error *error)
{
    int status = 0;
    *reference = 0;
    switch (profile->meta.cpu_unit) {
    case CPU_UNKNOWN:
        break;
    case CPU_NANOSECONDS:
        *reference = 1e6;
        break;
    case CPU_MICROSECONDS:
        *reference = 1e3;
        break;
    case CPU_CYCLES:
        for (size_t i = 0; i < profile->threads.count && status == 0; i++)
            status = most_per_ms(&profile->threads.items[i].samples, reference, error);
        break;
    }
    return status;
}

void cpu_percents(const double *deltas, const double *times, size_t count, double reference, uint8_t *percent)
{
    percent[0] = 0;
    for (size_t i = 1; i < count; i++) {
        double possible = reference * (times[i] - times[i - 1]);
        bool known = !isnan(deltas[i]) && possible != 0;
        percent[i] = known ? (uint8_t)fmax(0, fmin(100, floor(100 * deltas[i] / possible + 0.5))) : 100;
    }
    percent[count] = 0;
}
