#include "markers/statistics.h"

#include <stdlib.h>

static uint32_t row_of(struct marker_statistics *statistics, struct string_index name)
{
    uint32_t row;
    for (struct map_probe probe = map_probe(&statistics->by_name, hash_u64(name.i)); map_probe_next(&probe, &row);)
        if (string_same(statistics->rows.items[row].name, name))
            return row;
    struct name_statistics fresh = {
        .name = name, .total = NAN, .min = NAN, .average = NAN, .max = NAN, .self = NAN, .median = NAN, .p95 = NAN};
    row = (uint32_t)statistics->rows.count;
    if (!vec_push(&statistics->rows, fresh) || !map_insert(&statistics->by_name, hash_u64(name.i), row))
        return INDEX_NONE;
    return row;
}

bool marker_statistics_add_number(struct marker_statistics *statistics, struct string_index name, double number)
{
    uint32_t row = row_of(statistics, name);
    if (row == INDEX_NONE)
        return false;
    statistics->rows.items[row].count++;
    if (isnan(number))
        return true;
    statistics->rows.items[row].intervals++;
    return vec_push(&statistics->durations, ((struct marker_duration){row, number}));
}

bool marker_statistics_add_self(struct marker_statistics *statistics, struct string_index name, double self)
{
    uint32_t row = row_of(statistics, name);
    if (row == INDEX_NONE || isnan(self))
        return row != INDEX_NONE;
    double *sum = &statistics->rows.items[row].self;
    *sum = (isnan(*sum) ? 0 : *sum) + self;
    return true;
}

bool marker_statistics_add(struct marker_statistics *statistics, const struct marker *marker)
{
    return marker_statistics_add_number(statistics, marker->name, marker->end - marker->start);
}

static int compare_durations(const void *a, const void *b)
{
    const struct marker_duration *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

/* The smallest duration that at least this share of them does not exceed. */
static double quantile(const double *sorted, size_t count, double share)
{
    double rank = ceil((double)count * share);
    return sorted[rank > 1 ? (size_t)rank - 1 : 0];
}

static void take_quantiles(struct name_statistics *row, const double *sorted)
{
    if (row->intervals == 0)
        return;
    row->median = quantile(sorted, row->intervals, 0.5);
    row->p95 = quantile(sorted, row->intervals, 0.95);
}

/* Summed from the shortest on, so that the sum does not depend on the order of the markers. */
static bool sum_up(struct marker_statistics *statistics)
{
    statistics->sorted = memory_array(statistics->durations.count + 1, sizeof *statistics->sorted);
    if (!statistics->sorted)
        return false;
    if (statistics->durations.count > 1)
        qsort(statistics->durations.items, statistics->durations.count, sizeof *statistics->durations.items, compare_durations);
    for (size_t i = 0; i < statistics->durations.count; i++) {
        const struct marker_duration *duration = &statistics->durations.items[i];
        struct name_statistics *row = &statistics->rows.items[duration->row];
        bool first = isnan(row->min);
        row->first = first ? i : row->first;
        statistics->sorted[i] = duration->ms;
        row->total = (first ? 0 : row->total) + duration->ms;
        row->min = first ? duration->ms : row->min;
        row->max = duration->ms;
    }
    for (size_t i = 0; i < statistics->rows.count; i++) {
        struct name_statistics *row = &statistics->rows.items[i];
        row->average = row->total / (double)row->intervals;
        take_quantiles(row, statistics->sorted + row->first);
    }
    return true;
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
    size_t count = statistics->rows.count;
    if (!sum_up(statistics))
        return false;
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
    memory_release(statistics->sorted);
    map_free(&statistics->by_name);
}
