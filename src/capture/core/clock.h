/* The clock of a recording: nanoseconds of CLOCK_MONOTONIC since the start of the process. */
#ifndef SONDE_CAPTURE_CORE_CLOCK_H
#define SONDE_CAPTURE_CORE_CLOCK_H

#include "common/clock.h"

/* CLOCK_MONOTONIC at the start of the process; set before anything else runs, and again in a forked child. */
extern uint64_t clock_origin;

/* CPU time that the calling thread had used before a recording began to begin on it: what it uses from there to its entry of
 * the session is ours. 0 = not known. */
extern uint64_t clock_begin_cpu;

/* Takes it from the kernel's books (/proc/self/stat), or the present moment where they are closed. */
void clock_set_origin(void);
/* The same moment since 1970. */
uint64_t clock_origin_realtime(void);

/* CLOCK_MONOTONIC, which costs no system call; or its coarse form, where the program has forbidden itself the instruction that
 * reads the time of the CPU (sandbox.h). */
extern clockid_t clock_source;

static inline uint64_t clock_now(void)
{
    return clock_read(clock_source) - clock_origin;
}

/* How far the ticks of the kernel are apart. */
uint64_t clock_kernel_tick_ns(void);

#endif
