/* A row of a thread, the list of its rows, and what has to be known of the recording to make them (thread_rows.h). */
#ifndef SONDE_ROWS_THREAD_ROW_H
#define SONDE_ROWS_THREAD_ROW_H

#include "common/vec.h"
#include "rows/pauses.h"

#include <stdbool.h>
#include <stdint.h>

enum thread_row_kind {
    ROW_CPU,         /* a sample: CPU time */
    ROW_WAIT,        /* a look: waiting time; without a stack where nobody saw the wait */
    ROW_READY,       /* it wanted a CPU, at or behind the stack on which it was seen last */
    ROW_KERNEL,      /* CPU time used in the kernel, nobody knows where: has no stack */
    ROW_NOT_SAMPLED, /* CPU time of which nothing is known: has no stack */
    ROW_START,       /* CPU time before the thread could be recorded: exec, the dynamic linker. Has no stack */
    ROW_OWN,         /* CPU time that the library took to begin. Has no stack */
};

struct thread_row {
    uint64_t time; /* the end of what it stands for */
    uint64_t weight_ns;
    uint32_t stack;  /* OBSERVED_NO_STACK = none */
    uint32_t sample; /* of ROW_CPU: which one of the samples it is */
    enum thread_row_kind kind;
};

/* What the rows add up to, and what is in no row. */
struct thread_sums {
    uint64_t cpu_ns, waiting_ns, ready_ns;                /* as the clocks say, but for what is gone */
    uint64_t kernel_ns, not_sampled_ns, start_ns, own_ns; /* of the CPU time: rows without a stack */
    uint64_t truncated_ns;                                /* of the CPU time: rows with a truncated stack */
    uint64_t unseen_ns;                                   /* of the waiting time: rows without a stack */
    uint64_t gone_ns;                                     /* time whose samples or looks were recycled, in none of the above */
    uint64_t runs, runs_wall_ns; /* how often it got a CPU, between the first look and the last; and that time */
};

struct thread_rows {
    VEC(struct thread_row) rows;
    struct thread_sums sums;
};

/* What holds for all threads of a process. */
struct rows_recording {
    uint64_t interval_ns;
    uint64_t tick_ns;            /* 0 = not known */
    uint64_t end_ns;             /* of the process, as far as it is known; 0 = not */
    const struct pauses *pauses; /* may be NULL */
    bool samples_recycled;       /* the oldest chunks of samples are gone … */
    bool looks_recycled;         /* … or those of looks */
};

#endif
