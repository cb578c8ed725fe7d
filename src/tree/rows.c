#include "tree/rows.h"

#include "tree/range.h"

#include <math.h>

static bool range_is_everything(const struct time_range *range)
{
    return range->start == -INFINITY && range->end == INFINITY;
}

bool rows_need_times(const struct row_selection *selection)
{
    return selection->times || !range_is_everything(&selection->range) || !range_is_everything(&selection->preview);
}

static void rows_cut(struct rows *rows, const double *times, const struct time_range *range)
{
    if (range_is_everything(range))
        return;
    rows->first = times_lower_bound(times, rows->first, rows->end, range->start);
    rows->end = times_lower_bound(times, rows->first, rows->end, range->end);
}

/* The first range that ends after `time`. */
static size_t range_after(const struct time_filter *filter, double time)
{
    size_t first = 0, end = filter->range_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (filter->ranges[middle].end <= time)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Rows mostly come in the order of time, so the range of one row is where to look for that of the next. */
static void rows_filter(struct rows *rows, const double *times, const struct time_filter *filter)
{
    size_t at = 0;
    double last = -INFINITY;
    for (size_t row = rows->first; row < rows->end; row++) {
        double time = times[row];
        if (time < last)
            at = range_after(filter, time);
        last = time;
        while (at < filter->range_count && filter->ranges[at].end <= time)
            at++;
        bool inside = at < filter->range_count && filter->ranges[at].start <= time;
        rows->dropped[row] |= inside == filter->outside;
    }
}

int rows_select(const struct row_selection *selection, const double *times, size_t count, struct rows *rows,
                struct error *error)
{
    *rows = (struct rows){.end = count};
    if (!times)
        return 0;
    rows_cut(rows, times, &selection->range);
    rows_cut(rows, times, &selection->preview);
    if (!selection->times)
        return 0;
    rows->dropped = memory_zeroed(count, 1);
    if (!rows->dropped)
        return error_out_of_memory(error);
    for (const struct time_filter *filter = selection->times; filter; filter = filter->before)
        rows_filter(rows, times, filter);
    return 0;
}
