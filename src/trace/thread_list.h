/* The threads and processes of a trace, found by their numbers while it is read. */
#ifndef SONDE_TRACE_THREAD_LIST_H
#define SONDE_TRACE_THREAD_LIST_H

#include "trace/trace.h"

struct thread_list {
    struct map threads, processes; /* to rows of trace.threads and trace.processes */
    uint32_t last_thread;          /* asked for, + 1; most events are of the thread that the one before was of */
};

/* A zeroed list is empty. Both add what is new and say NULL when the heap is empty. A thread brings its process with it. */
struct trace_thread *thread_list_get(struct thread_list *list, struct trace *trace, int64_t pid, int64_t tid);
struct trace_process *thread_list_process(struct thread_list *list, struct trace *trace, int64_t pid);

void thread_list_free(struct thread_list *list);

#endif
