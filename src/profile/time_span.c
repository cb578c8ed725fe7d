#include "profile/time_span.h"

#include <math.h>

static void cover(struct time_span *span, double time)
{
    span->start = fmin(span->start, time);
    span->end = fmax(span->end, time);
}

static void cover_all(struct time_span *span, const double *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cover(span, times[i]);
}

static int cover_samples(struct time_span *span, const struct sample_table *samples, struct error *error)
{
    size_t count = sample_count(samples);
    if (count == 0)
        return 0;
    double *times = memory_array(count, sizeof *times);
    if (!times)
        return error_out_of_memory(error);
    sample_table_read_times(samples, times);
    cover_all(span, times, count);
    memory_release(times);
    return 0;
}

static int cover_counter(struct time_span *span, const struct counter *counter, struct error *error)
{
    size_t count = column_count(&counter->time);
    if (count == 0)
        return 0;
    double *times = memory_array(count, sizeof *times);
    if (!times)
        return error_out_of_memory(error);
    counter_read_times(counter, times);
    cover_all(span, times, count);
    memory_release(times);
    return 0;
}

/* A time that its phase does not use may be any number. */
static void cover_markers(struct time_span *span, const struct marker_table *markers)
{
    for (size_t i = 0; i < marker_count(markers); i++) {
        int64_t phase = column_get(&markers->phase, i);
        if (phase != MARKER_END)
            cover(span, column_get_number(&markers->start, i));
        if (phase == MARKER_INTERVAL || phase == MARKER_END)
            cover(span, column_get_number(&markers->end, i));
    }
}

int thread_time_span(const struct thread *thread, struct time_span *span, struct error *error)
{
    *span = (struct time_span){NAN, NAN};
    cover_markers(span, &thread->markers);
    return cover_samples(span, &thread->samples, error);
}

int profile_time_span(const struct profile *profile, struct time_span *span, struct error *error)
{
    *span = (struct time_span){NAN, NAN};
    int status = 0;
    for (size_t i = 0; i < profile->threads.count && status == 0; i++) {
        struct time_span of_thread;
        status = thread_time_span(&profile->threads.items[i], &of_thread, error);
        cover(span, of_thread.start);
        cover(span, of_thread.end);
    }
    for (size_t i = 0; i < profile->counters.rows.count && status == 0; i++)
        status = cover_counter(span, &profile->counters.rows.items[i], error);
    return status;
}

/* ---- the span of the Firefox Profiler ---- */

static void cover_moment(struct time_span *span, double time, double interval)
{
    span->start = fmin(span->start, time);
    span->end = fmax(span->end, time + interval);
}

/* Tables are in the order of time, so only the first and the last row count. Deltas are summed up one by one, as everywhere. */
static void cover_ends(struct time_span *span, const struct column *time, bool deltas, double interval)
{
    size_t count = column_count(time);
    if (count == 0)
        return;
    double last = column_get_number(time, count - 1);
    if (deltas) {
        last = 0;
        double block[COLUMN_BLOCK_ROWS];
        for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
            size_t rows = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
            column_read_numbers(time, first, rows, block);
            for (size_t i = 0; i < rows; i++)
                last += block[i];
        }
    }
    span->start = fmin(span->start, column_get_number(time, 0));
    span->end = fmax(span->end, last + interval);
}

static void cover_marker_moments(struct time_span *span, const struct marker_table *markers, double interval)
{
    for (size_t i = 0; i < marker_count(markers); i++) {
        int64_t phase = column_get(&markers->phase, i);
        if (phase != MARKER_END)
            cover_moment(span, column_get_number(&markers->start, i), interval);
        if (phase == MARKER_INTERVAL || phase == MARKER_END)
            cover_moment(span, column_get_number(&markers->end, i), interval);
    }
}

struct time_span thread_root_span(const struct thread *thread, double interval)
{
    struct time_span span = {INFINITY, -INFINITY};
    if (sample_count(&thread->samples) > 0)
        cover_ends(&span, &thread->samples.time, thread->samples.time_is_deltas, interval);
    else
        cover_marker_moments(&span, &thread->markers, interval);
    cover_ends(&span, &thread->js_allocations.time, false, interval);
    cover_ends(&span, &thread->native_allocations.time, false, interval);
    return span;
}

struct time_span profile_root_span(const struct profile *profile)
{
    const struct meta *meta = &profile->meta;
    if (!isnan(meta->profiling_start_time) && !isnan(meta->profiling_end_time) && meta->profiling_end_time != 0)
        return (struct time_span){meta->profiling_start_time, meta->profiling_end_time};
    struct time_span span = {INFINITY, -INFINITY};
    for (size_t i = 0; i < profile->threads.count; i++) {
        struct time_span thread = thread_root_span(&profile->threads.items[i], meta->interval);
        span.start = fmin(span.start, thread.start);
        span.end = fmax(span.end, thread.end);
    }
    return span;
}
