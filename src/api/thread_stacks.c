#include "api/thread_stacks.h"

#include "tree/sample_stacks.h"

static bool make_arrays(struct thread_stacks *stacks, size_t count)
{
    stacks->node = memory_array(count, sizeof *stacks->node);
    stacks->shared = memory_array(count, sizeof *stacks->shared);
    stacks->time = memory_array(count, sizeof *stacks->time);
    stacks->start = stacks->precede ? memory_array(count, sizeof *stacks->start) : stacks->time;
    return stacks->node && stacks->shared && stacks->time && stacks->start;
}

static uint32_t levels_shared(const struct thread_stacks *stacks, const struct ancestors *ancestors, size_t row)
{
    uint32_t before = stacks->node[row - 1], node = stacks->node[row];
    if (before == INDEX_NONE || node == INDEX_NONE)
        return 0;
    return before == node ? ancestors->nodes->depth[node] + 1 : ancestors_shared(ancestors, before, node);
}

static void fill_rows(struct thread_stacks *stacks, const struct call_node_table *nodes, const struct ancestors *ancestors)
{
    for (size_t row = stacks->first; row < stacks->end; row++) {
        uint32_t stack = stacks->node[row];
        stacks->node[row] = stack == INDEX_NONE ? INDEX_NONE : nodes->of_stack[stack];
        stacks->shared[row] = row > stacks->first ? levels_shared(stacks, ancestors, row) : 0;
        uint32_t levels = thread_stacks_levels(stacks, nodes, row);
        stacks->levels = levels > stacks->levels ? levels : stacks->levels;
    }
}

int thread_stacks_read(const struct view *whole, const struct answer *answer, const struct row_selection *selection,
                       const struct ancestors *ancestors, struct thread_index thread, struct thread_stacks *stacks,
                       struct error *error)
{
    const struct sample_table *samples = &whole->profile->threads.items[thread.i].samples;
    size_t count = sample_count(samples);
    *stacks = (struct thread_stacks){
        .thread = thread,
        .interval = whole->profile->meta.interval,
        .precede = sample_table_weights_precede(samples),
    };
    int status = make_arrays(stacks, count) ? 0 : error_out_of_memory(error);
    if (status == 0 && count > 0) {
        sample_table_read_times(samples, stacks->time);
        if (stacks->precede)
            sample_table_read_starts(samples, stacks->start);
        stacks->first = times_lower_bound(stacks->time, 0, count, selection->range.start);
        stacks->end = times_lower_bound(stacks->time, stacks->first, count, selection->range.end);
        status = sample_stacks_read(whole, &answer->view, thread, selection->exclude_idle, stacks->node, error);
    }
    if (status == 0)
        fill_rows(stacks, &answer->nodes, ancestors);
    else
        thread_stacks_free(stacks);
    return status;
}

void thread_stacks_free(struct thread_stacks *stacks)
{
    if (stacks->start != stacks->time)
        memory_release(stacks->start);
    memory_release(stacks->node);
    memory_release(stacks->shared);
    memory_release(stacks->time);
    *stacks = (struct thread_stacks){0};
}

size_t thread_stacks_bytes(const struct thread_stacks *stacks, const struct profile *profile)
{
    size_t count = sample_count(&profile->threads.items[stacks->thread.i].samples);
    return count * (2 * sizeof *stacks->node + (stacks->precede ? 2 : 1) * sizeof *stacks->time);
}
