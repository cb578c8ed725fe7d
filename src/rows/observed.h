/* What was observed of one thread: its samples, the looks at it, when it began and ended.
 *
 *     THREAD                                                     THREAD_END
 *     │ cpu 0                                                    │ cpu 9 ms
 *     ├────●──●──●────────┬──────────────────●─┬─────────────────┤
 *          samples        look                 look
 *                         cpu 4, ready 1       cpu 6, ready 1
 *
 * A stack is a number that whoever collects them understands. */
#ifndef SONDE_ROWS_OBSERVED_H
#define SONDE_ROWS_OBSERVED_H

#include "common/vec.h"
#include "session/entry.h"

#include <stdint.h>

#define OBSERVED_NO_STACK UINT32_MAX

struct observed_sample {
    uint64_t time;
    uint64_t event_delay_ns;
    uint32_t stack;
    uint32_t ticks;         /* 0: it is an event's */
    uint32_t skipped;       /* ticks before it in its own code that are no samples */
    uint64_t stands_for_ns; /* of an event, filled in by observed_sort: its period; 0 = not known */
    bool by_event, truncated, has_event_delay;
    bool in_call, in_fault; /* a tick in the kernel: in a system call, or in a page fault */
};

struct observed_look {
    uint64_t time, cpu_ns, ready_ns, runs;
    uint64_t waits; /* 0 = not looked up */
    uint32_t stack; /* OBSERVED_NO_STACK unless it was waiting and its stack could be read */
    uint8_t state;  /* enum look_state */
};

/* A THREAD entry: the first one, or one that says that more is wanted of the thread from now on. */
struct observed_begin {
    uint64_t time, cpu_ns;
};

/* From this time on, events are so far apart. */
struct observed_period {
    uint64_t time, period_ns;
};

struct observed {
    VEC(struct observed_begin) begins;
    VEC(struct observed_sample) samples;
    VEC(struct observed_look) looks;
    VEC(struct observed_period) periods;
    uint64_t start_cpu_ns; /* CPU time before its first begin that belongs to it, too: of the program … */
    uint64_t own_cpu_ns;   /* … and behind that of the library that records it; 0 = none */
    bool has_end;
    uint64_t end_ns, end_cpu_ns; /* CPU time 0 = not known */
    uint64_t kernel_ns;          /* CPU time in the kernel, as the kernel's ticks found it when it was last looked up … */
    uint64_t kernel_of_ns;       /* … of so much CPU time; 0 = never */
};

static inline bool observed_is_in_kernel(const struct observed_sample *sample)
{
    return !sample->by_event && (sample->in_call || sample->in_fault);
}

/* All return false when out of memory. A zeroed struct is empty. */
bool observed_begin(struct observed *observed, uint64_t time, uint64_t cpu_ns);
bool observed_sample(struct observed *observed, const struct sample_entry *entry, uint32_t stack);
bool observed_look(struct observed *observed, const struct look_entry *entry, uint32_t stack);
void observed_end(struct observed *observed, const struct thread_end_entry *entry);

/* The CPU time of the thread, as far as it was ever seen. */
uint64_t observed_last_cpu(const struct observed *observed);

/* Brings everything in order of time (the chunks of a session overlap), and tells events what they stand for. */
void observed_sort(struct observed *observed);

void observed_free(struct observed *observed);

#endif
