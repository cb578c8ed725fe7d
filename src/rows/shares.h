/* How the time of a window, between two observations of a thread's clocks, is shared out. */
#ifndef SONDE_ROWS_SHARES_H
#define SONDE_ROWS_SHARES_H

#include "rows/thread_rows.h"

/* The i-th of `count` parts that together are `whole`. */
static inline uint64_t share_of(uint64_t whole, size_t i, size_t count)
{
    unsigned __int128 all = whole;
    return (uint64_t)(all * (i + 1) / count) - (uint64_t)(all * i / count);
}

/* `whole` × `part` / `all`, where part ≤ all. */
static inline uint64_t proportion(uint64_t whole, uint64_t part, uint64_t all)
{
    return all > 0 ? (uint64_t)((unsigned __int128)whole * part / all) : 0;
}

/* ---- CPU time: cpu_share.c ---- */

struct cpu_share {
    const struct observed *observed;
    uint64_t interval_ns;
    uint64_t step_ns;     /* what a sample stands for when nothing else is known: the interval, or a tick */
    uint64_t debt_most;   /* samples may stand for so much more than was used, for a while */
    uint64_t unseen_most; /* kernel time above this does not wait for a sample in a call any longer */
    int64_t carry;        /* CPU time that had no sample yet; below 0: samples stood for more than was used */
    size_t last_row;      /* of a sample; SIZE_MAX = none yet */
    bool has_events;
    size_t first_event; /* the first sample by an event: until then only ticks look */
};

void cpu_share_init(struct cpu_share *share, const struct observed *observed, const struct rows_recording *recording);

/* Weights of the samples [first, end) for a window with `cpu_ns` of CPU time; `weights` has that many. What is left, and is to
 * have a row without a stack, is returned. */
uint64_t cpu_share_window(struct cpu_share *share, size_t first, size_t end, uint64_t cpu_ns, uint64_t *weights);

/* What samples behind the last observation stand for. */
uint64_t cpu_share_estimate(const struct cpu_share *share, size_t first, size_t end);

/* After the last window: what is left goes to the last sample, or is returned, for a row without a stack. */
uint64_t cpu_share_end(struct cpu_share *share, struct thread_rows *rows);

/* ---- how much of it was used in the kernel: kernel_limit.c ---- */

/* After the last window. */
void kernel_limit_apply(const struct observed *observed, struct thread_rows *rows);

/* ---- waiting time: wait_share.c ---- */

/* Waiting time of a window: the part that belongs to the wait before, and the part that belongs to the wait at its end. */
struct wait_parts {
    uint64_t before_ns, here_ns;
    uint32_t before, here; /* stacks */
};

struct wait_share {
    bool waiting;      /* the last look found it waiting … */
    uint32_t stack;    /* … here … */
    uint64_t runs;     /* … after so many runs */
    uint32_t any;      /* the stack of the last wait that had one */
    uint64_t carry_ns; /* waiting time that had no stack yet */
};

void wait_share_init(struct wait_share *share);

/* `waiting_ns` of it since the last observation; `look` is what was seen now. */
struct wait_parts wait_share_look(struct wait_share *share, const struct observed_look *look, uint64_t waiting_ns);

/* The thread has ended, or was not recorded in between: all that has no stack yet goes to the wait seen last. */
struct wait_parts wait_share_end(struct wait_share *share, uint64_t waiting_ns);

#endif
