#include "export/cut.h"

#include "common/count.h"
#include "markers/marker_list.h"

#include <math.h>

static bool cuts_time(const struct profile_cut *cut)
{
    return !isnan(cut->start) || !isnan(cut->end);
}

/* NaN, a row without a time, is never within. */
static bool is_within(const struct profile_cut *cut, double time)
{
    return !isnan(time) && !(time < cut->start) && !(time >= cut->end);
}

static bool touches(const struct profile_cut *cut, double start, double end)
{
    double first = isnan(start) ? end : start, last = isnan(end) ? start : end;
    return !isnan(first) && !(last < cut->start) && !(first >= cut->end);
}

/* ---- rows ---- */

/* Times become absolute: a difference to a row that goes says nothing. */
static bool cut_rows(const struct profile_cut *cut, struct column *columns, size_t width, struct column *time,
                     bool *time_is_deltas)
{
    size_t count = column_count(time);
    double *times = memory_array(count, sizeof *times);
    bool *keep = memory_array(count, sizeof *keep);
    struct column absolute;
    column_init(&absolute, COLUMN_NUMBERS, time->arena);
    absolute.origin = time->origin;
    bool done = times && keep;
    if (done) {
        column_read_times(time, *time_is_deltas, times);
        for (size_t i = 0; i < count; i++) {
            keep[i] = is_within(cut, times[i]);
            column_append_number(&absolute, times[i]);
        }
        done = column_seal(&absolute);
        column_free(time);
        *time = absolute;
        *time_is_deltas = false;
        done = done && columns_keep(columns, width, keep, count);
    }
    memory_release(times);
    memory_release(keep);
    return done;
}

static bool cut_allocations(const struct profile_cut *cut, struct allocation_table *table)
{
    bool time_is_deltas = false;
    return cut_rows(cut, table->columns, ALLOCATION_COLUMNS, &table->time, &time_is_deltas);
}

static bool cut_samples(const struct profile_cut *cut, struct sample_table *samples)
{
    samples->last_time = NAN;
    samples->times_ascend = false;
    return cut_rows(cut, samples->columns, SAMPLE_COLUMNS, &samples->time, &samples->time_is_deltas);
}

/* ---- markers ---- */

/* Start and end of a marker stay, or go, together. */
static int mark_markers(const struct profile_cut *cut, const struct marker_catalog *catalog, struct thread_index thread,
                        bool *keep, struct error *error)
{
    struct marker_list list;
    int failed = marker_list_collect(&list, catalog, thread, false, error);
    for (size_t i = 0; i < list.items.count && !failed; i++) {
        const struct marker *marker = &list.items.items[i];
        if (!touches(cut, marker->start, marker->end))
            continue;
        if (marker_exists(marker->row))
            keep[marker->row.i] = true;
        if (marker_exists(marker->start_row))
            keep[marker->start_row.i] = true;
    }
    marker_list_free(&list);
    return failed;
}

/* `keep` has a place for each marker of each thread, one thread after the other: all are looked at before any goes, since
 * messages are put together of what several threads say. */
static int choose_markers(const struct profile_cut *cut, const struct profile *profile, bool *keep, struct error *error)
{
    struct marker_catalog catalog;
    int failed = marker_catalog_init(&catalog, profile, error);
    for (size_t i = 0; i < profile->threads.count && !failed; i++) {
        failed = mark_markers(cut, &catalog, thread_at(i), keep, error);
        keep += marker_count(&profile->threads.items[i].markers);
    }
    marker_catalog_free(&catalog);
    return failed;
}

static size_t count_markers(const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->threads.count; i++)
        count += marker_count(&profile->threads.items[i].markers);
    return count;
}

static int cut_markers(const struct profile_cut *cut, struct profile *profile, struct error *error)
{
    bool *all = memory_zeroed(count_markers(profile), sizeof *all), *keep = all;
    if (!all)
        return error_out_of_memory(error);
    int failed = choose_markers(cut, profile, all, error);
    for (size_t i = 0; i < profile->threads.count && !failed; i++) {
        struct marker_table *markers = &profile->threads.items[i].markers;
        size_t count = marker_count(markers);
        if (!columns_keep(markers->columns, MARKER_COLUMNS, keep, count))
            failed = error_out_of_memory(error);
        keep += count;
    }
    memory_release(all);
    return failed;
}

/* ---- time ---- */

static bool cut_counter(const struct profile_cut *cut, struct counter *counter)
{
    struct column columns[] = {counter->time, counter->count, counter->number};
    bool done = cut_rows(cut, columns, COUNT(columns), &columns[0], &counter->time_is_deltas);
    counter->time = columns[0];
    counter->count = columns[1];
    counter->number = columns[2];
    return done;
}

static int cut_time(const struct profile_cut *cut, struct profile *profile, struct error *error)
{
    int failed = cut_markers(cut, profile, error);
    bool done = true;
    for (size_t i = 0; i < profile->threads.count && done && !failed; i++) {
        struct thread *thread = &profile->threads.items[i];
        done = cut_samples(cut, &thread->samples) && cut_allocations(cut, &thread->js_allocations) &&
               cut_allocations(cut, &thread->native_allocations) && cut_allocations(cut, &thread->page_faults);
    }
    for (size_t i = 0; i < profile->counters.rows.count && done && !failed; i++)
        done = cut_counter(cut, &profile->counters.rows.items[i]);
    if (!isnan(cut->start) && !isnan(profile->meta.profiling_start_time))
        profile->meta.profiling_start_time = fmax(profile->meta.profiling_start_time, cut->start);
    if (!isnan(cut->end) && !isnan(profile->meta.profiling_end_time) && profile->meta.profiling_end_time != 0)
        profile->meta.profiling_end_time = fmin(profile->meta.profiling_end_time, cut->end);
    return done ? failed : error_out_of_memory(error);
}

/* ---- threads ---- */

/* The thread that stands for the process of a counter: the same one, or the first that stays of that process. */
static struct thread_index thread_of_counter(const struct profile_cut *cut, const struct profile *profile,
                                             const struct counter *counter)
{
    struct thread_index found = thread_none();
    for (size_t i = cut->thread_count; i > 0; i--) {
        struct thread_index thread = cut->threads[i - 1];
        if (thread.i == counter->main_thread.i)
            return thread_at(i - 1);
        if (profile->threads.items[thread.i].pid.i == counter->pid.i)
            found = thread_at(i - 1);
    }
    return found;
}

static void cut_counters(const struct profile_cut *cut, struct profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->counters.rows.count; i++) {
        struct counter *counter = &profile->counters.rows.items[i];
        counter->main_thread = thread_of_counter(cut, profile, counter);
        if (thread_exists(counter->main_thread))
            profile->counters.rows.items[kept++] = *counter;
        else
            counter_free(counter);
    }
    profile->counters.rows.count = kept;
}

static void cut_threads(const struct profile_cut *cut, struct profile *profile)
{
    size_t kept = 0;
    cut_counters(cut, profile);
    for (size_t i = 0; i < profile->threads.count; i++) {
        if (kept < cut->thread_count && cut->threads[kept].i == i)
            profile->threads.items[kept++] = profile->threads.items[i];
        else
            thread_free(&profile->threads.items[i]);
    }
    profile->threads.count = kept;
}

int profile_cut(struct profile *profile, const struct profile_cut *cut, struct func_changes *changes, struct error *error)
{
    int failed = cuts_time(cut) ? cut_time(cut, profile, error) : 0;
    if (failed)
        return failed;
    cut_threads(cut, profile);
    return profile_compact(profile, &cut->roots, changes, error);
}
