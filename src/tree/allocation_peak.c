#include "tree/allocation_peak.h"

#include "tree/allocation_rows.h"
#include "tree/strategy.h"

/* Tables whose rows are taken in the order of time: a heap, the earliest next row first. */
struct table {
    struct allocation_rows rows;
    size_t next;
    double end; /* of the process: the last of its moments, where that is known */
    struct allocation_sum live;
};

struct tables {
    VEC(struct table *) heap;
};

static double next_time(const struct table *table)
{
    return table->next < table->rows.rows.end ? table->rows.time[table->next] : table->end;
}

static void sift_down(struct tables *tables)
{
    struct table **heap = tables->heap.items;
    size_t count = tables->heap.count;
    for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && next_time(heap[child + 1]) < next_time(heap[child]))
            child++;
        if (next_time(heap[at]) <= next_time(heap[child]))
            return;
        struct table *later = heap[at];
        heap[at] = heap[child];
        heap[child] = later;
    }
}

static bool add_table(struct tables *tables, struct table *table)
{
    if (!vec_push(&tables->heap, table))
        return false;
    struct table **heap = tables->heap.items;
    for (size_t at = tables->heap.count - 1, up; at > 0 && next_time(heap[at]) < next_time(heap[up = (at - 1) / 2]); at = up) {
        struct table *earlier = heap[at];
        heap[at] = heap[up];
        heap[up] = earlier;
    }
    return true;
}

double allocation_process_end(const struct thread *thread)
{
    return fmin(isnan(thread->process_shutdown_time) ? INFINITY : thread->process_shutdown_time,
                isnan(thread->unregister_time) ? INFINITY : thread->unregister_time);
}

static void table_free(struct table *table)
{
    if (table)
        allocation_rows_free(&table->rows);
    memory_release(table);
}

static int open_table(struct tables *tables, const struct thread *thread, const struct row_selection *selection,
                      struct error *error)
{
    struct row_selection of_bytes = *selection;
    of_bytes.blocks = false;
    struct table *table = memory_zeroed(1, sizeof *table);
    if (table)
        table->end = allocation_process_end(thread);
    int status =
        table ? allocation_rows_read(&thread->native_allocations, &of_bytes, &table->rows, error) : error_out_of_memory(error);
    if (status == 0) {
        table->next = table->rows.rows.first;
        if (table->next < table->rows.rows.end) {
            if (add_table(tables, table))
                return 0;
            status = error_out_of_memory(error);
        }
    }
    table_free(table);
    return status;
}

/* ---- adding up ---- */

static void sum_add(struct allocation_sum *sum, const struct allocation_rows *rows, size_t row, int sign)
{
    struct allocation_count count = allocation_rows_count(rows, row);
    double bytes = fabs(count.weight);
    if (isnan(bytes))
        return;
    double size = rows->size ? rows->size[row] : bytes;
    sum->bytes += sign * bytes;
    sum->blocks += sign * (rows->size && size > 0 ? bytes / size : 1);
    sum->uncertainty.variance += sign * count.uncertainty.variance;
    sum->uncertainty.sampled += sign * count.uncertainty.sampled;
}

static void sum_take(struct allocation_sum *sum, const struct allocation_sum *less)
{
    sum->bytes -= less->bytes;
    sum->blocks -= less->blocks;
    uncertainty_take(&sum->uncertainty, less->uncertainty);
}

static int take_row(struct table *table, struct allocation_peak *peak, struct allocation_sum *live, struct error *error)
{
    struct allocation_rows *rows = &table->rows;
    size_t row = table->next++, freed;
    if (!allocation_rows_match(rows, row, &freed))
        return error_out_of_memory(error);
    if (freed != SIZE_MAX) {
        sum_add(&peak->left, rows, freed, -1);
        sum_add(&table->live, rows, freed, -1);
        sum_add(live, rows, freed, -1);
    }
    if (!allocation_rows_is_free(rows, row)) {
        sum_add(&peak->left, rows, row, 1);
        sum_add(&table->live, rows, row, 1);
        sum_add(live, rows, row, 1);
        sum_add(&peak->allocated, rows, row, 1);
    }
    return 0;
}

static int take_all(struct tables *tables, struct allocation_peak *peak, struct error *error)
{
    struct allocation_sum live = {0};
    int status = 0;
    while (tables->heap.count > 0 && status == 0) {
        struct table *table = tables->heap.items[0];
        bool has_row = table->next < table->rows.rows.end;
        double time = next_time(table);
        if (has_row) {
            peak->start = peak->any ? peak->start : time;
            peak->end = time;
            peak->any = true;
            status = take_row(table, peak, &live, error);
        }
        if (!has_row || (table->next >= table->rows.rows.end && isinf(table->end))) {
            if (!has_row)
                sum_take(&live, &table->live);
            tables->heap.items[0] = tables->heap.items[--tables->heap.count];
            table_free(table);
        }
        sift_down(tables);
        /* A moment is over when all of it is known. */
        bool is_over = tables->heap.count == 0 || next_time(tables->heap.items[0]) != time;
        if (is_over && live.bytes > peak->at.bytes) {
            peak->time = time;
            peak->at = live;
        }
    }
    return status;
}

int allocation_peak_find(const struct profile *profile, const struct row_selection *selection, struct allocation_peak *peak,
                         struct error *error)
{
    struct tables tables = {0};
    int status = 0;
    *peak = (struct allocation_peak){.start = NAN, .end = NAN, .time = NAN};
    for (size_t i = 0; i < selection->thread_count && status == 0; i++) {
        const struct thread *thread = &profile->threads.items[selection->threads[i].i];
        if (strategy_is_of_thread(profile, thread, STRATEGY_NATIVE_PEAK) && row_selection_has(selection, selection->threads[i]))
            status = open_table(&tables, thread, selection, error);
    }
    if (status == 0)
        status = take_all(&tables, peak, error);
    for (size_t i = 0; i < tables.heap.count; i++)
        table_free(tables.heap.items[i]);
    vec_free(&tables.heap);
    return status;
}

double allocation_span_start(const struct row_selection *selection, const struct allocation_peak *peak)
{
    double start = fmax(selection->range.start, selection->preview.start);
    return isfinite(start) ? start : peak->start;
}

double allocation_span_end(const struct row_selection *selection, const struct allocation_peak *peak)
{
    double end = fmin(selection->range.end, selection->preview.end);
    return isfinite(end) ? end : peak->end;
}
