#include "tree/first_times.h"

#include <math.h>

/* The stacks and times of what a strategy counts; NULL when the heap is empty. */
static double *read_times(const struct thread *thread, enum strategy strategy, const struct column **stack)
{
    bool of_samples = strategy_is_of_samples(strategy);
    const struct allocation_table *allocations = strategy_table(strategy, thread);
    *stack = of_samples ? &thread->samples.stack : &allocations->stack;
    size_t count = column_count(*stack);
    double *times = memory_array(count, sizeof *times);
    if (times && of_samples)
        sample_table_read_times(&thread->samples, times);
    else if (times)
        column_read_numbers(&allocations->time, 0, count, times);
    return times;
}

static int thread_first_times(const struct thread *thread, const struct row_selection *selection, enum strategy strategy,
                              double *first, struct error *error)
{
    const struct column *stack;
    double *times = read_times(thread, strategy, &stack);
    if (!times)
        return error_out_of_memory(error);
    struct rows rows;
    int status = rows_select(selection, times, column_count(stack), &rows, error);
    for (size_t row = rows.first; row < rows.end && status == 0;) {
        int64_t stacks[COLUMN_BLOCK_ROWS];
        size_t piece = COLUMN_BLOCK_ROWS - row % COLUMN_BLOCK_ROWS;
        piece = piece < rows.end - row ? piece : rows.end - row;
        column_read(stack, row, piece, stacks);
        for (size_t i = 0; i < piece; i++)
            if (stacks[i] != COLUMN_ABSENT && !(rows.dropped && rows.dropped[row + i]) && times[row + i] < first[stacks[i]])
                first[stacks[i]] = times[row + i];
        row += piece;
    }
    memory_release(rows.dropped);
    memory_release(times);
    return status;
}

int stack_first_times(const struct view *whole, const struct row_selection *selection, enum strategy strategy, double *first,
                      struct error *error)
{
    int status = 0;
    for (uint32_t stack = 0; stack < whole->count; stack++)
        first[stack] = INFINITY;
    for (size_t i = 0; i < selection->thread_count && status == 0; i++) {
        const struct thread *thread = &whole->profile->threads.items[selection->threads[i].i];
        if (strategy_is_of_thread(whole->profile, thread, strategy))
            status = thread_first_times(thread, selection, strategy, first, error);
    }
    return status;
}

void call_node_first_times(const struct view *view, const struct call_node_table *nodes, const struct stack_weights *weights,
                           const double *first_of_stack, double *first)
{
    for (uint32_t node = 0; node < nodes->count; node++)
        first[node] = INFINITY;
    for (uint32_t source = 0; source < weights->count; source++) {
        uint32_t stack = weights->rows[source] > 0 ? view_sample_stack(view, source) : INDEX_NONE;
        if (stack != INDEX_NONE)
            first[nodes->of_stack[stack]] = fmin(first[nodes->of_stack[stack]], first_of_stack[source]);
    }
}

void first_times_add_up(const struct call_node_table *nodes, double *first)
{
    for (uint32_t node = nodes->count; node-- > 0;)
        if (nodes->parent[node] != INDEX_NONE)
            first[nodes->parent[node]] = fmin(first[nodes->parent[node]], first[node]);
}
