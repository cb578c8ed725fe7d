#include "capture/core/clock.h"

#include "common/proc_file.h"

#include <unistd.h>

uint64_t clock_origin, clock_begin_cpu;
clockid_t clock_source = CLOCK_MONOTONIC;

/* When the process started, in ticks since boot. 0 = unknown. */
static uint64_t start_ticks(void)
{
    enum { STARTTIME = 22 };
    char text[1024];
    uint64_t ticks = 0;
    const char *field = proc_file_read("/proc/self/stat", text, sizeof text) > 0 ? proc_stat_field(text, STARTTIME) : NULL;
    if (field)
        number_parse(field, 10, &ticks);
    return ticks;
}

void clock_set_origin(void)
{
    uint64_t now = clock_read(CLOCK_MONOTONIC);
    uint64_t since_boot = clock_read(CLOCK_BOOTTIME);
    long ticks_per_second = sysconf(_SC_CLK_TCK);
    uint64_t ticks = start_ticks();
    clock_origin = now;
    if (ticks == 0 || ticks_per_second <= 0)
        return;
    uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)ticks_per_second;
    uint64_t start = ticks > UINT64_MAX / tick_ns ? 0 : ticks * tick_ns;
    /* The time that the machine slept counts since boot only; the process may have slept with it. */
    if (start <= since_boot && since_boot - start <= now)
        clock_origin = now - (since_boot - start);
}

uint64_t clock_origin_realtime(void)
{
    return clock_read(CLOCK_REALTIME) - clock_now();
}

/* The coarse clock goes on in each of them. */
uint64_t clock_kernel_tick_ns(void)
{
    struct timespec tick;
    return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 ? (uint64_t)tick.tv_nsec : 0;
}
