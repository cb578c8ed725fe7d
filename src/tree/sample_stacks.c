#include "tree/sample_stacks.h"

#include "tree/rows.h"

#include <math.h>

/* Those that the view's filters of time leave out. */
static int drop_by_time(const struct view *view, const struct sample_table *samples, uint32_t *stacks, struct error *error)
{
    if (!view->times)
        return 0;
    size_t count = sample_count(samples);
    double *times = memory_array(count, sizeof *times);
    if (!times)
        return error_out_of_memory(error);
    sample_table_read_times(samples, times);
    struct row_selection all = {
        .range = {-INFINITY, INFINITY},
        .preview = {-INFINITY, INFINITY},
        .times = view->times,
    };
    struct rows rows;
    int status = rows_select(&all, times, count, &rows, error);
    for (size_t i = 0; i < count && status == 0; i++)
        if (rows.dropped[i])
            stacks[i] = INDEX_NONE;
    memory_release(rows.dropped);
    memory_release(times);
    return status;
}

int sample_stacks_read(const struct view *whole, const struct view *view, struct thread_index thread, bool exclude_idle,
                       uint32_t *stacks, struct error *error)
{
    const struct profile *profile = whole->profile;
    const struct sample_table *samples = &profile->threads.items[thread.i].samples;
    struct category_index idle = category_list_find(&profile->categories, &profile->strings, SLICE("Idle"));
    size_t count = sample_count(samples);
    bool is_hidden = view->hidden_threads && view->hidden_threads[thread.i];
    column_read_u32(&samples->stack, 0, count, stacks);
    for (size_t i = 0; i < count; i++) {
        bool is_idle = exclude_idle && stacks[i] != INDEX_NONE && pair_category(whole->pair[stacks[i]]) == idle.i;
        stacks[i] = is_idle || is_hidden ? INDEX_NONE : view_sample_stack(view, stacks[i]);
    }
    return drop_by_time(view, samples, stacks, error);
}
