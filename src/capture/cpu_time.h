/* The CPU clock of another thread, and the time at which it showed that. */
#ifndef SONDE_CAPTURE_CPU_TIME_H
#define SONDE_CAPTURE_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct cpu_time {
    uint64_t cpu_ns;
    uint64_t time; /* clock_now() just after */
};

/* `before`: clock_now() just before. Reads again, once, where the first reading took so long that the two do not belong
 * together: the sampler was preempted. False when the thread is gone. */
bool cpu_time_read(clockid_t clock, uint64_t before, struct cpu_time *reading);

/* What the clocks showed when a thread was last looked at. Zero: never. */
struct cpu_watch {
    uint64_t cpu_ns;     /* its CPU clock */
    uint64_t off_ns;     /* how long it had not run so far */
    uint64_t our_cpu_ns; /* the CPU time of whoever looks */
};

/* Since the last look the thread has always been on a CPU, or has only made room for whoever looks, whose CPU clock shows
 * `our_cpu_ns` now. Then it is not blocked: the clocks prove it as well as /proc would, at a tenth of the price. Both say
 * nothing about the last microseconds. A thread that ran for some microseconds only is not said to have: where the looks follow
 * each other at once, as on a busy machine, one that works so shortly and waits again has clocks like that, too. */
bool cpu_watch_ran(struct cpu_watch *watch, const struct cpu_time *now, uint64_t our_cpu_ns);

#endif
