/* Which threads of a trace people get to see, and in which order: a thread has the same number whatever is asked of the trace.
 */
#ifndef SONDE_TRACE_THREAD_ORDER_H
#define SONDE_TRACE_THREAD_ORDER_H

#include "common/error.h"
#include "trace/trace.h"

struct ordered_thread {
    double process_order, thread_order; /* as the trace says */
    uint32_t process, thread;           /* rows of the trace */
};

struct thread_order {
    VEC(struct ordered_thread) threads;
};

/* Threads that have anything, sorted as viewers of traces sort them. `strings` are those of the trace. Fills a zeroed order,
 * which is to be freed in any case. */
int thread_order_find(struct thread_order *order, const struct trace *trace, const struct string_table *strings,
                      struct error *error);
void thread_order_free(struct thread_order *order);

/* The row of the process of each thread; `out` has room for them. */
int trace_find_processes(const struct trace *trace, uint32_t *out, struct error *error);

#endif
