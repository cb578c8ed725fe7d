/* How often threads that run are looked at, where looks are dear.
 *
 * A look at a thread whose code and tables are in the caches takes it a microsecond. In a process that has just begun it may
 * take fifty, and where all CPUs are busy the sampler has to take its own time from somebody, too. With the feature `thrift`
 * (`sonde record` without --rate) a process spends about 1 % of the CPU time of its threads on being looked at, and not more:
 * the sampler looks at every tick at first (where CPUs are scarce, after 4, 8 and 16 ticks), and as soon as it knows what
 * that costs, at every second, fourth, eighth or sixteenth one if need be. The ticks between are in the session, and so are
 * their rows: threads that ran have the stack of the look before, and an even share of the CPU time until the next. So what a
 * profile says of a function is the same, on average; what is lost is what took less time than lies between two looks.
 *
 *     cost       the time in handlers; and where CPUs are scarce, the CPU time of the sampler
 *     decided    after 4 looks, and where CPUs are not scarce after 16 ticks; and again and again
 *
 * Only figures here, no clocks and no threads. */
#ifndef SONDE_CAPTURE_THRIFT_H
#define SONDE_CAPTURE_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

struct thrift {
    bool on, decided;                      /* it is wanted; what looks cost has been known once */
    uint64_t stride;                       /* ticks from one look to the next */
    uint64_t looks;                        /* since that was decided; in them: */
    uint64_t held_ns, sampler_ns, work_ns; /* in handlers; of the sampler; of the threads themselves */
};

/* What a loop in which threads ran adds to these. */
struct thrift_look {
    uint64_t held_ns, sampler_ns, work_ns;
    bool cpus_scarce;
};

void thrift_begin(struct thrift *thrift, bool on, bool cpus_scarce);
void thrift_add(struct thrift *thrift, const struct thrift_look *look);

#endif
