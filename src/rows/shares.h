/* How the time of a window, between two observations of a thread's clocks, is shared out. */
#ifndef SONDE_ROWS_SHARES_H
#define SONDE_ROWS_SHARES_H

#include "rows/observed.h"
#include "rows/thread_row.h"

/* `whole` × `part` / `all`, where part ≤ all. */
static inline uint64_t proportion(uint64_t whole, uint64_t part, uint64_t all)
{
    return all > 0 ? (uint64_t)((unsigned __int128)whole * part / all) : 0;
}

/* ---- CPU time in the kernel: kernel_share.c ---- */

/* As the kernel's ticks found it. */
struct kernel_share {
    double most;          /* of the CPU time: the largest share that is likely */
    double outside_calls; /* of the CPU time: interrupts and the like */
    double in_calls;      /* of the kernel's time: in system calls and page faults */
};

void kernel_share_of(const struct observed *observed, struct kernel_share *share);

/* After the last window, where events looked: kernel time beyond what is likely goes back to the samples of user code. */
void kernel_share_limit(const struct kernel_share *share, const struct observed *observed, struct thread_rows *rows);

/* ---- CPU time: cpu_share.c ---- */

struct cpu_share {
    const struct observed *observed;
    struct kernel_share kernel;
    uint64_t interval_ns;
    uint64_t tick_ns;       /* what a tick stands for */
    uint64_t step_ns;       /* what a sample stands for when nothing else is known: the interval, or a tick */
    uint64_t debt_most;     /* samples may stand for so much more than was used, for a while */
    uint64_t unseen_most;   /* kernel time above this does not wait for a sample in a call any longer */
    int64_t carry;          /* CPU time that had no sample yet; below 0: samples stood for more than was used */
    uint64_t kernel_ns;     /* that was given to the kernel so far, where events look … */
    uint64_t outside_ns;    /* … and of that outside of calls */
    uint64_t owed_ns;       /* time outside of calls that is still to be taken off ticks in user code */
    uint64_t outside_carry; /* time outside of calls that had no row yet */
    size_t last_row;        /* of a sample; none is there yet, if it is beyond the last one */
    bool has_events;
    size_t first_event; /* the first sample by an event: until then only ticks look … */
    size_t last_event;  /* … and after the last one, where the recorder is gone */
};

void cpu_share_init(struct cpu_share *share, const struct observed *observed, const struct rows_recording *recording);

/* Weights of the samples [first, end) for a window with `cpu_ns` of CPU time; `weights` has that many. Kernel time that is to
 * have a row without a stack is returned. */
uint64_t cpu_share_window(struct cpu_share *share, size_t first, size_t end, uint64_t cpu_ns, uint64_t *weights);

/* What samples behind the last observation stand for. */
uint64_t cpu_share_estimate(const struct cpu_share *share, size_t first, size_t end);

/* CPU time without a sample. */
struct cpu_left {
    uint64_t kernel_ns, not_sampled_ns;
};

/* After the last window: what is left goes to the last sample, or is returned, for rows without a stack. */
struct cpu_left cpu_share_end(struct cpu_share *share, struct thread_rows *rows);

/* ---- waiting time, and ready time behind waits: wait_share.c ---- */

/* Of a window: the part that belongs to the wait before, and the part that belongs to the wait at its end. */
struct wait_parts {
    uint64_t before_ns, here_ns;
    uint64_t before_ready_ns, here_ready_ns; /* until it got a CPU behind it: at least LOOK_READY_LEAST_NS, or 0 */
    uint32_t before, here;                   /* stacks */
};

struct wait_share {
    bool waiting;            /* the last look found it waiting … */
    uint32_t stack;          /* … here … */
    uint64_t runs;           /* … after so many runs */
    uint32_t any;            /* the stack of the last wait that had one */
    uint64_t carry_ns;       /* waiting time that had no stack yet … */
    uint64_t carry_ready_ns; /* … and ready time behind waits */
};

void wait_share_init(struct wait_share *share);

/* `waiting_ns` of it since the last observation, and `ready_ns` behind waits; `look` is what was seen now. */
struct wait_parts wait_share_look(struct wait_share *share, const struct observed_look *look, uint64_t waiting_ns,
                                  uint64_t ready_ns);

/* The thread has ended, or was not recorded in between: all that has no stack yet goes to the wait seen last. */
struct wait_parts wait_share_end(struct wait_share *share, uint64_t waiting_ns);

#endif
