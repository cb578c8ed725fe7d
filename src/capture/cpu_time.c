#include "capture/cpu_time.h"

#include "capture/clock.h"

enum { CALIBRATION_READINGS = 16, TOO_LONG = 8 };

static uint64_t longest_ns; /* a reading that takes no longer is a good one; 0 = not known yet */

static void sort(uint64_t *values, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        uint64_t value = values[i];
        unsigned at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* Once per process, by the sampler: what a reading usually takes. */
static void calibrate(clockid_t clock)
{
    uint64_t took[CALIBRATION_READINGS];
    struct timespec ignored;
    for (unsigned i = 0; i < CALIBRATION_READINGS; i++) {
        uint64_t before = clock_now();
        clock_gettime(clock, &ignored);
        took[i] = clock_now() - before;
    }
    sort(took, CALIBRATION_READINGS);
    longest_ns = TOO_LONG * took[CALIBRATION_READINGS / 2] + 1;
}

static bool read_once(clockid_t clock, struct cpu_time *reading)
{
    struct timespec cpu;
    if (clock_gettime(clock, &cpu) != 0)
        return false;
    reading->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    reading->time = clock_now();
    return true;
}

bool cpu_time_read(clockid_t clock, uint64_t before, struct cpu_time *reading)
{
    if (!longest_ns)
        calibrate(clock);
    if (!read_once(clock, reading))
        return false;
    uint64_t took = reading->time - before;
    if (took <= longest_ns)
        return true;
    struct cpu_time again;
    before = reading->time;
    if (read_once(clock, &again) && again.time - before < took)
        *reading = again;
    return true;
}

bool cpu_watch_ran(struct cpu_watch *watch, const struct cpu_time *now, uint64_t our_cpu_ns)
{
    enum { SURE_NS = 2000, LONG_NS = 50000 };
    struct cpu_watch last = *watch;
    *watch = (struct cpu_watch){now->cpu_ns, now->time - now->cpu_ns, our_cpu_ns};
    if (now->cpu_ns - last.cpu_ns < LONG_NS)
        return false;
    /* Readings are some 100 ns apart from the moments they are of, either way. */
    int64_t off = (int64_t)(watch->off_ns - last.off_ns), ours = (int64_t)(our_cpu_ns - last.our_cpu_ns);
    return off < SURE_NS || (off - ours < SURE_NS && ours - off < SURE_NS);
}
