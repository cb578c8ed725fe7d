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

#endif
