/* Work of a known length by the CPU clock of the thread, however busy the machine is. */
#ifndef SONDE_TESTS_CPU_WORK_H
#define SONDE_TESTS_CPU_WORK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline void work_ms(unsigned ms)
{
    volatile unsigned sink = 0;
    for (uint64_t until = cpu_ns() + ms * UINT64_C(1000000); cpu_ns() < until;)
        for (unsigned i = 0; i < 10000; i++)
            sink += i;
}

#endif
