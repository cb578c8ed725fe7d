#include "trace/thread_list.h"

#include <math.h>

struct trace_process *thread_list_process(struct thread_list *list, struct trace *trace, int64_t pid)
{
    uint64_t hash = hash_u64((uint64_t)pid);
    uint32_t row;
    for (struct map_probe probe = map_probe(&list->processes, hash); map_probe_next(&probe, &row);)
        if (trace->processes.items[row].pid == pid)
            return &trace->processes.items[row];
    struct trace_process process = {
        .pid = pid, .name = STRING_NONE, .url = STRING_NONE, .labels = STRING_NONE, .sort_index = NAN};
    row = (uint32_t)trace->processes.count;
    if (row >= INDEX_NONE - 1 || !vec_push(&trace->processes, process) || !map_insert(&list->processes, hash, row))
        return NULL;
    return &trace->processes.items[row];
}

static struct trace_thread *add_thread(struct thread_list *list, struct trace *trace, uint64_t hash, int64_t pid, int64_t tid)
{
    struct trace_thread thread = {.pid = pid, .tid = tid, .name = STRING_NONE, .profile = INDEX_NONE, .sort_index = NAN};
    uint32_t row = (uint32_t)trace->threads.count;
    if (row >= INDEX_NONE - 1 || !thread_list_process(list, trace, pid) || !vec_push(&trace->threads, thread) ||
        !map_insert(&list->threads, hash, row))
        return NULL;
    list->last_thread = row + 1;
    return &trace->threads.items[row];
}

struct trace_thread *thread_list_get(struct thread_list *list, struct trace *trace, int64_t pid, int64_t tid)
{
    if (list->last_thread != 0) {
        struct trace_thread *last = &trace->threads.items[list->last_thread - 1];
        if (last->pid == pid && last->tid == tid)
            return last;
    }
    uint64_t hash = hash_combine((uint64_t)pid, (uint64_t)tid);
    uint32_t row;
    for (struct map_probe probe = map_probe(&list->threads, hash); map_probe_next(&probe, &row);) {
        struct trace_thread *thread = &trace->threads.items[row];
        if (thread->pid == pid && thread->tid == tid) {
            list->last_thread = row + 1;
            return thread;
        }
    }
    return add_thread(list, trace, hash, pid, tid);
}

void thread_list_free(struct thread_list *list)
{
    map_free(&list->threads);
    map_free(&list->processes);
}
