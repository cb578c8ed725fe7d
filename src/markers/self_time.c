#include "markers/self_time.h"

#include "profile/indices.h"

#include <math.h>
#include <stdlib.h>

static int compare_intervals(const void *left, const void *right)
{
    const struct nested_interval *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void take_away(struct nested_interval *around, const struct nested_interval *part)
{
    double from = fmax(around->covered, part->start);
    if (part->end <= from)
        return;
    around->self = fmax(around->self - (part->end - from), 0);
    around->covered = part->end;
}

void nested_intervals_measure(struct nested_interval *intervals, size_t count)
{
    if (count > 1)
        qsort(intervals, count, sizeof *intervals, compare_intervals);
    /* Those that may be around the next one, innermost first, are linked by `around`. One that ends earlier than a later one
     * is around nothing any more: whatever is inside it is inside that one, too. */
    uint32_t innermost = INDEX_NONE;
    for (size_t i = 0; i < count; i++) {
        struct nested_interval *interval = &intervals[i];
        while (innermost != INDEX_NONE && intervals[innermost].end < interval->end)
            innermost = intervals[innermost].around;
        interval->around = innermost;
        interval->covered = interval->start;
        interval->self = interval->end - interval->start;
        if (innermost != INDEX_NONE)
            take_away(&intervals[innermost], interval);
        innermost = (uint32_t)i;
    }
}
