/* How often threads that run are looked at, where looks are dear.
 *
 * A look at a thread whose code and tables are in the caches takes it a microsecond. In a process that has just begun it may
 * take fifty, and where all CPUs are busy the sampler has to take its own time from somebody, too. With the feature `thrift`
 * (`sonde record` without --rate) a process spends about 1 % of the CPU time of its threads on being looked at, and not more:
 * the sampler looks at every tick at first (where CPUs are scarce, at every 16th), and as soon as it knows what that costs,
 * at every second, fourth … thirty-second one if need be. The ticks between are in the session, and so are their rows: threads
 * that ran have the stack of the look before, and an even share of the CPU time until the next. So what a profile says of a
 * function is the same, on average; what is lost is what took less time than lies between two looks.
 *
 *     cost       the time in handlers; and where CPUs are scarce, that of signals, and the CPU time of the sampler
 *     decided    after 4 answers, and where CPUs are not scarce after 16 ticks; and again and again. Where they are scarce
 *                also after 16 looks at which nobody ran
 *
 * Only figures here, no clocks and no threads. */
#ifndef SONDE_CAPTURE_THRIFT_H
#define SONDE_CAPTURE_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

/* Where CPUs are scarce. */
enum { THRIFT_FIRST_STRIDE = 16 };

struct thrift {
    bool on;                               /* it is wanted */
    uint64_t stride;                       /* ticks from one look to the next; since that was decided: */
    uint64_t looks, answers;               /* of the sampler; of threads that ran; and time: */
    uint64_t held_ns, sampler_ns, work_ns; /* in handlers; of the sampler; of the threads themselves */
};

/* What a loop adds to these. */
struct thrift_look {
    uint64_t answers;
    uint64_t held_ns, sampler_ns, work_ns;
    bool cpus_scarce;
};

/* How many ticks from `time_ns` on (CLOCK_MONOTONIC) the next look is: 1 to `stride`. By the clock of the machine, not from
 * when the process began: of many short processes that do the same, each is looked at in other moments. And not of all
 * processes at once, but for each by its own `shift`. */
uint64_t thrift_next_look(uint64_t stride, uint64_t time_ns, uint64_t interval_ns, uint64_t shift);

void thrift_begin(struct thrift *thrift, bool on, bool cpus_scarce);
void thrift_add(struct thrift *thrift, const struct thrift_look *look);

#endif
