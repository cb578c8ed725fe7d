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
