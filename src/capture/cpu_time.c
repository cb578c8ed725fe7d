#include "capture/cpu_time.h"

#include "capture/clock.h"

enum { USUAL_READINGS = 16, TOO_LONG = 8, AT_FIRST_NS = 5000 };

/* A reading that takes no longer is a good one. Under the core lock, as all here. */
static uint64_t longest_ns = AT_FIRST_NS;

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

/* What a reading usually takes is learnt from the first ones that are needed anyway: many processes do not live for more. */
static void learn(uint64_t ns)
{
    static uint64_t took[USUAL_READINGS];
    static unsigned count;
    if (count == USUAL_READINGS)
        return;
    took[count++] = ns;
    if (count < USUAL_READINGS)
        return;
    sort(took, USUAL_READINGS);
    longest_ns = TOO_LONG * took[USUAL_READINGS / 2] + 1;
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
    if (!read_once(clock, reading))
        return false;
    uint64_t took = reading->time - before;
    learn(took);
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
    /* At first nothing is known, also not how long it had not run when our clock began. */
    bool is_first = last.off_ns == 0 && last.cpu_ns == 0;
    if (is_first || now->cpu_ns - last.cpu_ns < LONG_NS)
        return false;
    /* Readings are some 100 ns apart from the moments they are of, either way. */
    int64_t off = (int64_t)(watch->off_ns - last.off_ns), ours = (int64_t)(our_cpu_ns - last.our_cpu_ns);
    return off < SURE_NS || (off - ours < SURE_NS && ours - off < SURE_NS);
}
