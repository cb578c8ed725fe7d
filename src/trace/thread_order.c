#include "trace/thread_order.h"

#include <math.h>
#include <stdlib.h>

int trace_find_processes(const struct trace *trace, uint32_t *out, struct error *error)
{
    struct map by_pid = {0};
    for (size_t i = 0; i < trace->processes.count; i++)
        if (!map_insert(&by_pid, hash_u64((uint64_t)trace->processes.items[i].pid), (uint32_t)i)) {
            map_free(&by_pid);
            return error_out_of_memory(error);
        }
    for (size_t i = 0; i < trace->threads.count; i++) {
        int64_t pid = trace->threads.items[i].pid;
        uint32_t row;
        out[i] = 0;
        for (struct map_probe probe = map_probe(&by_pid, hash_u64((uint64_t)pid)); map_probe_next(&probe, &row);)
            if (trace->processes.items[row].pid == pid)
                out[i] = row;
    }
    map_free(&by_pid);
    return 0;
}

/* Counters are the process's, and take no thread of their own where there is another one. */
static bool has_own_content(const struct trace *trace, const struct trace_thread *thread)
{
    return thread->events.count > 0 || thread->has_markers ||
           (thread->profile != INDEX_NONE && trace->profiles.items[thread->profile].samples.count > 0);
}

static int compare_threads(const void *a, const void *b)
{
    const struct ordered_thread *x = a, *y = b;
    if (x->process_order != y->process_order)
        return x->process_order < y->process_order ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->thread_order != y->thread_order)
        return x->thread_order < y->thread_order ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* These are the first of their process, but do not always say so. */
static double usual_order(struct slice name)
{
    return slice_is(name, "CrBrowserMain") || slice_is(name, "CrGpuMain") ? -1 : 0;
}

static bool add_threads(struct thread_order *order, const struct trace *trace, const struct string_table *strings,
                        const uint32_t *process_of, bool *has_content)
{
    for (size_t i = 0; i < trace->threads.count; i++)
        has_content[process_of[i]] |= has_own_content(trace, &trace->threads.items[i]);
    for (size_t i = 0; i < trace->threads.count; i++) {
        const struct trace_thread *thread = &trace->threads.items[i];
        const struct trace_process *process = &trace->processes.items[process_of[i]];
        bool has_counters_alone = thread->has_counters && !has_content[process_of[i]];
        if (!has_own_content(trace, thread) && !has_counters_alone)
            continue;
        struct slice name = string_table_get(strings, thread->name);
        struct ordered_thread ordered = {
            .process_order = isnan(process->sort_index) ? 0 : process->sort_index,
            .thread_order = isnan(thread->sort_index) ? usual_order(name) : thread->sort_index,
            .process = process_of[i],
            .thread = (uint32_t)i,
        };
        if (!vec_push(&order->threads, ordered))
            return false;
    }
    if (order->threads.count > 0)
        qsort(order->threads.items, order->threads.count, sizeof *order->threads.items, compare_threads);
    return true;
}

int thread_order_find(struct thread_order *order, const struct trace *trace, const struct string_table *strings,
                      struct error *error)
{
    uint32_t *process_of = memory_array(trace->threads.count + 1, sizeof *process_of);
    bool *has_content = memory_zeroed(trace->processes.count + 1, sizeof *has_content);
    int status = process_of && has_content ? trace_find_processes(trace, process_of, error) : error_out_of_memory(error);
    if (status == 0 && !add_threads(order, trace, strings, process_of, has_content))
        status = error_out_of_memory(error);
    memory_release(process_of);
    memory_release(has_content);
    return status;
}

void thread_order_free(struct thread_order *order)
{
    vec_free(&order->threads);
}
