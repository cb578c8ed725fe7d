#include "import/v8_samples.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

static int compare_samples(const void *a, const void *b)
{
    const struct v8_sample *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void v8_samples_sort(struct v8_samples *samples)
{
    bool is_sorted = true;
    for (size_t i = 1; i < samples->rows.count; i++)
        is_sorted &= samples->rows.items[i - 1].time <= samples->rows.items[i].time;
    if (!is_sorted)
        qsort(samples->rows.items, samples->rows.count, sizeof *samples->rows.items, compare_samples);
}

void v8_samples_thin(struct v8_samples *samples, double last)
{
    size_t kept = 0;
    for (size_t i = 0; i < samples->rows.count; i++) {
        struct v8_sample sample = samples->rows.items[i];
        if (!(sample.time - last >= V8_THIN_INTERVAL))
            continue;
        last = sample.time;
        samples->rows.items[kept++] = sample;
    }
    samples->rows.count = kept;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

bool v8_samples_interval(const struct v8_samples *samples, double *interval)
{
    *interval = NAN;
    double *distances = memory_array(samples->rows.count + 1, sizeof *distances);
    size_t count = 0;
    if (!distances)
        return false;
    for (size_t i = 1; i < samples->rows.count; i++) {
        double distance = samples->rows.items[i].time - samples->rows.items[i - 1].time;
        if (distance > 0)
            distances[count++] = distance;
    }
    if (count > 0) {
        qsort(distances, count, sizeof *distances, compare_numbers);
        /* Sums of whole µs have digits that mean nothing. */
        *interval = round(distances[count / 2] * 1e6) / 1e6;
    }
    memory_release(distances);
    return true;
}

void v8_samples_append(const struct v8_samples *samples, bool weighted, double alone, struct sample_table *table)
{
    size_t count = samples->rows.count;
    for (size_t i = 0; i < count; i++) {
        const struct v8_sample *sample = &samples->rows.items[i];
        column_append_index(&table->stack, sample->stack);
        column_append_number(&table->time, sample->time);
        if (!weighted)
            continue;
        double next = i + 1 < count ? samples->rows.items[i + 1].time
                      : count > 1   ? sample->time + (sample->time - samples->rows.items[0].time) / (double)(count - 1)
                                    : sample->time + alone;
        column_append_number(&table->weight, next - sample->time);
    }
    if (weighted)
        table->weight_type = WEIGHT_TRACING_MS;
}
