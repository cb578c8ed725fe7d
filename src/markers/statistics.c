#include "markers/statistics.h"

#include <stdlib.h>

static uint32_t row_of(struct marker_statistics *statistics, struct string_index name)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&statistics->by_name, hash_u64(name.i)); map_probe_next(&probe, &row);)
        if (string_same(statistics->rows.items[row].name, name))
            return row;
    struct name_statistics fresh = {.name = name, .total = NAN, .min = NAN, .average = NAN, .max = NAN};
    row = (uint32_t)statistics->rows.count;
    if (!vec_push(&statistics->rows, fresh) || !map_insert(&statistics->by_name, hash_u64(name.i), row))
        return INDEX_NONE;
    return row;
}

bool marker_statistics_add(struct marker_statistics *statistics, const struct marker *marker)
{
    uint32_t row = row_of(statistics, marker->name);
    if (row == INDEX_NONE)
        return false;
    statistics->rows.items[row].count++;
    if (!marker_has_end(marker))
        return true;
    statistics->rows.items[row].intervals++;
    return vec_push(&statistics->durations, ((struct marker_duration){row, marker->end - marker->start}));
}

static int compare_durations(const void *a, const void *b)
{
    const struct marker_duration *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

/* Summed from the shortest on, so that the sum does not depend on the order of the markers. */
static void sum_up(struct marker_statistics *statistics)
{
    if (statistics->durations.count > 1)
        qsort(statistics->durations.items, statistics->durations.count, sizeof *statistics->durations.items, compare_durations);
    for (size_t i = 0; i < statistics->durations.count; i++) {
        const struct marker_duration *duration = &statistics->durations.items[i];
        struct name_statistics *row = &statistics->rows.items[duration->row];
        bool first = isnan(row->min);
        row->total = (first ? 0 : row->total) + duration->ms;
        row->min = first ? duration->ms : row->min;
        row->max = duration->ms;
    }
    for (size_t i = 0; i < statistics->rows.count; i++)
        statistics->rows.items[i].average = statistics->rows.items[i].total / (double)statistics->rows.items[i].intervals;
}

struct ranked {
    struct name_statistics row;
    size_t place;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->row.count != y->row.count)
        return x->row.count > y->row.count ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

bool marker_statistics_finish(struct marker_statistics *statistics)
{
    sum_up(statistics);
    size_t count = statistics->rows.count;
    if (count < 2)
        return true;
    struct ranked *ranked = memory_array(count, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){statistics->rows.items[i], i};
    qsort(ranked, count, sizeof *ranked, compare_ranks);
    for (size_t i = 0; i < count; i++)
        statistics->rows.items[i] = ranked[i].row;
    memory_release(ranked);
    return true;
}

void marker_statistics_free(struct marker_statistics *statistics)
{
    vec_free(&statistics->rows);
    vec_free(&statistics->durations);
    map_free(&statistics->by_name);
}
