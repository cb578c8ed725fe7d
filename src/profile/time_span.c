#include "profile/time_span.h"

#include <math.h>

/* Only times that are numbers move the ends. */
static inline void cover(struct time_span *span, double time)
{
    if (!(span->start <= time) && !isnan(time))
        span->start = time;
    if (!(span->end >= time) && !isnan(time))
        span->end = time;
}

static void cover_times(struct time_span *span, const struct column *column, bool is_deltas)
{
    double block[COLUMN_BLOCK_ROWS], time = 0;
    size_t row = 0;
    for (size_t count; (count = column_next_times(column, is_deltas, row, &time, block)) > 0; row += count)
        for (size_t i = 0; i < count; i++)
            cover(span, block[i]);
}

/* The first and the last are enough where the importer has looked at all. */
static void cover_samples(struct time_span *span, const struct sample_table *samples)
{
    if (samples->times_ascend && sample_count(samples) > 0) {
        cover(span, column_get_number(&samples->time, 0));
        cover(span, samples->last_time);
    } else {
        cover_times(span, &samples->time, samples->time_is_deltas);
    }
}

/* What the first row stands for may have begun before it; of the others it begins with the row before at the earliest. */
static void cover_first_row(struct time_span *span, const struct sample_table *samples)
{
    if (sample_count(samples) > 0 && sample_table_weights_precede(samples))
        cover(span, column_get_number(&samples->time, 0) - column_get_number(&samples->weight, 0));
}

/* A time that its phase does not use may be any number. */
static void cover_markers(struct time_span *span, const struct marker_table *markers)
{
    int64_t phase[COLUMN_BLOCK_ROWS];
    double start[COLUMN_BLOCK_ROWS], end[COLUMN_BLOCK_ROWS];
    size_t count = marker_count(markers);
    for (size_t first = 0; first < count; first += COLUMN_BLOCK_ROWS) {
        size_t rows = count - first < COLUMN_BLOCK_ROWS ? count - first : COLUMN_BLOCK_ROWS;
        column_read(&markers->phase, first, rows, phase);
        column_read_numbers(&markers->start, first, rows, start);
        column_read_numbers(&markers->end, first, rows, end);
        for (size_t i = 0; i < rows; i++) {
            if (phase[i] != MARKER_END)
                cover(span, start[i]);
            if (phase[i] == MARKER_INTERVAL || phase[i] == MARKER_END)
                cover(span, end[i]);
        }
    }
}

/* A thread's own, if it is known when that ended. */
static void cover_life(struct time_span *span, const struct thread *thread)
{
    if (isnan(thread->unregister_time))
        return;
    cover(span, thread->register_time);
    cover(span, thread->unregister_time);
}

struct time_span profile_time_span(const struct profile *profile)
{
    struct time_span span = {NAN, NAN};
    for (size_t i = 0; i < profile->threads.count; i++) {
        const struct thread *thread = &profile->threads.items[i];
        cover_samples(&span, &thread->samples);
        cover_first_row(&span, &thread->samples);
        cover_markers(&span, &thread->markers);
    }
    for (size_t i = 0; i < profile->counters.rows.count; i++) {
        const struct counter *counter = &profile->counters.rows.items[i];
        cover_times(&span, &counter->time, counter->time_is_deltas);
    }
    bool is_empty = isnan(span.start);
    for (size_t i = 0; i < profile->threads.count && is_empty; i++)
        cover_life(&span, &profile->threads.items[i]);
    return span;
}

/* ---- the span of the Firefox Profiler ---- */

static void cover_moment(struct time_span *span, double time, double interval)
{
    span->start = fmin(span->start, time);
    span->end = fmax(span->end, time + interval);
}

static double last_time(const struct sample_table *samples)
{
    if (!samples->time_is_deltas)
        return column_get_number(&samples->time, sample_count(samples) - 1);
    if (!isnan(samples->last_time))
        return samples->last_time;
    double block[COLUMN_BLOCK_ROWS], time = 0;
    for (size_t row = 0, rows; (rows = column_next_times(&samples->time, true, row, &time, block)) > 0; row += rows)
        continue;
    return time;
}

static void cover_allocations(struct time_span *span, const struct allocation_table *allocations, double interval)
{
    size_t count = column_count(&allocations->time);
    if (count == 0)
        return;
    span->start = fmin(span->start, column_get_number(&allocations->time, 0));
    span->end = fmax(span->end, column_get_number(&allocations->time, count - 1) + interval);
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
    /* Tables are in the order of time, so only the first and the last row count. */
    if (sample_count(&thread->samples) > 0) {
        span.start = fmin(span.start, column_get_number(&thread->samples.time, 0));
        span.end = fmax(span.end, last_time(&thread->samples) + interval);
    } else {
        cover_marker_moments(&span, &thread->markers, interval);
    }
    cover_allocations(&span, &thread->js_allocations, interval);
    cover_allocations(&span, &thread->native_allocations, interval);
    cover_allocations(&span, &thread->page_faults, interval);
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
