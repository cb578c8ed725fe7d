/* The clocks of the system, in nanoseconds. */
#ifndef SONDE_COMMON_CLOCK_H
#define SONDE_COMMON_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* clock_gettime() of the C library itself: a library that tells a program another time (faketime) stands in front of it, and
 * is not asked. Found at the first call. */
typedef int clock_reader(clockid_t clock, struct timespec *time);
extern clock_reader *_Atomic clock_reader_now;

/* For who begins before the C library does: to look it up would make it begin there and then, without the arguments of the
 * program. Until clock_find() the kernel is asked. */
void clock_ask_kernel(void);
void clock_find(void);

/* 0 where there is no such clock. Safe in a signal handler, but for the first call. */
static inline uint64_t clock_read(clockid_t clock)
{
    struct timespec time;
    /* Relaxed: whoever finds it finds the same. */
    clock_reader *reader = atomic_load_explicit(&clock_reader_now, memory_order_relaxed);
    return reader(clock, &time) == 0 ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec : 0;
}

#endif
