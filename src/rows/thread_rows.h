/* The rows of a thread: what it did all the time, each row with a stack and the time that it stands for.
 *
 * The time between two observations of a thread's clocks is what it ran, what it wanted to run and had no CPU, and what it
 * waited. How much there was of each the kernel has counted; where it went, samples and looks tell:
 *
 *     from                                               to
 *     ├──────────────── wall time ───────────────────────┤
 *     │ CPU time            │ ready │ waiting            │
 *       shared by samples     one     the stack of the look
 *                             row     at its end, or half of
 *                                     it of the one before
 *
 * Whatever the samples are, the weights of the rows add up to the clocks. Rows come in order of time. */
#ifndef SONDE_ROWS_THREAD_ROWS_H
#define SONDE_ROWS_THREAD_ROWS_H

#include "rows/observed.h"
#include "rows/pauses.h"

enum thread_row_kind {
    ROW_CPU,         /* a sample: CPU time */
    ROW_WAIT,        /* a look: waiting time */
    ROW_READY,       /* it wanted a CPU, at or behind the stack on which it was seen last */
    ROW_KERNEL,      /* CPU time used in the kernel, nobody knows where: has no stack */
    ROW_NOT_SAMPLED, /* CPU time of which nothing is known: has no stack */
};

struct thread_row {
    uint64_t time; /* the end of what it stands for */
    uint64_t weight_ns;
    uint32_t stack;  /* OBSERVED_NO_STACK = none */
    uint32_t sample; /* of ROW_CPU: which one of the samples it is */
    enum thread_row_kind kind;
};

/* What the rows add up to, and what is known but in no row. */
struct thread_sums {
    uint64_t cpu_ns, waiting_ns, ready_ns; /* as the clocks say, but for what is gone */
    uint64_t kernel_ns, not_sampled_ns;    /* of the CPU time: rows without a stack */
    uint64_t truncated_ns;                 /* of the CPU time: rows with a truncated stack */
    uint64_t unseen_ns;                    /* of the waiting time: no stack was ever seen, and there is no row */
    uint64_t gone_ns;                      /* time whose samples or looks were recycled, in none of the above */
    uint64_t runs, runs_wall_ns;           /* how often it got a CPU, between the first look and the last; and that time */
};

struct thread_rows {
    VEC(struct thread_row) rows;
    struct thread_sums sums;
};

/* What holds for all threads of a process. */
struct rows_recording {
    uint64_t interval_ns;
    uint64_t tick_ns;            /* 0 = not known */
    const struct pauses *pauses; /* may be NULL */
    bool samples_recycled;       /* the oldest chunks of samples are gone … */
    bool looks_recycled;         /* … or those of looks */
};

/* `observed` is brought in order of time. `rows` must be zeroed, and is to be freed in any case. False when out of memory. */
bool thread_rows_make(struct observed *observed, const struct rows_recording *recording, struct thread_rows *rows);

void thread_rows_free(struct thread_rows *rows);

#endif
