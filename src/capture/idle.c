#include "capture/idle.h"

enum {
    LONGEST_NS = 48000000,
    LONGEST_WITHOUT_ALARM_NS = 4000000,
    VERY_QUIET_NS = 400000000, /* then sleeps may be twice as long */
    AFTER_NS = 8000000,
    AFTER_TICKS = 8, /* at least */
    AFTER_DOUBLINGS = 13,
    LOSSLESS_SLEEPS = 16, /* times after_ns, until that is halved */
    SEEN_SHARE = 64,
    CREDIT_NS = 16000000,
    DEBT_INTERVALS = 2,
    LONGEST_TIMED = 16, /* ticks */
    FIRST_BY_CPU = 32,
    NOISE_SHARE = 4, /* of the interval: a thread that wakes up, finds nothing to do and goes on sleeping */
};
static const uint64_t sample_every_ns = 10000000000; /* that may be lost */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void idle_begin(struct idle *idle, uint64_t interval_ns, bool has_alarm)
{
    uint64_t after = interval_ns * AFTER_TICKS;
    *idle = (struct idle){.interval_ns = interval_ns,
                          .longest = (has_alarm ? LONGEST_NS : LONGEST_WITHOUT_ALARM_NS) / interval_ns,
                          .shortest_ns = after > AFTER_NS ? after : AFTER_NS};
    idle->after_ns = idle->shortest_ns;
}

static void allow(struct idle *idle, uint64_t ns)
{
    idle->allowed_ns += (int64_t)least(ns, CREDIT_NS);
    if (idle->allowed_ns > CREDIT_NS)
        idle->allowed_ns = CREDIT_NS;
}

static void sleep_was_bad(struct idle *idle)
{
    idle->after_ns = least(idle->after_ns * 2, idle->shortest_ns << AFTER_DOUBLINGS);
    idle->slept_ns = 0;
    /* It need not be paid for in full. */
    int64_t debt = -DEBT_INTERVALS * (int64_t)idle->interval_ns;
    if (idle->allowed_ns < debt)
        idle->allowed_ns = debt;
}

static void sleep_was_good(struct idle *idle, uint64_t ns)
{
    idle->slept_ns = idle->allowed_ns < 0 ? 0 : idle->slept_ns + ns;
    if (idle->slept_ns < LOSSLESS_SLEEPS * idle->after_ns || idle->after_ns == idle->shortest_ns)
        return;
    idle->after_ns /= 2;
    idle->slept_ns = 0;
}

static void judge_sleep(struct idle *idle, const struct idle_finding *finding, uint64_t ns)
{
    bool since_unknown = finding->elsewhere && !finding->alarmed && ns > finding->ran_ns;
    uint64_t charge = since_unknown ? ns : finding->ran_ns;
    /* Any number of threads may have run, but more than all that can be allowed makes no difference. */
    idle->allowed_ns -= (int64_t)least(charge, UINT32_MAX);
    if (charge > 0 && idle->allowed_ns < -(int64_t)idle->interval_ns)
        sleep_was_bad(idle);
    else
        sleep_was_good(idle, ns);
}

/* And have been no trouble. */
static bool all_will_call(const struct idle *idle, const struct idle_finding *finding)
{
    return finding->others && !finding->unannounced && !finding->works && !finding->timed &&
           idle->after_ns == idle->shortest_ns;
}

/* There are only threads that take samples by themselves. */
static uint64_t longest_timed(const struct idle *idle, const struct idle_finding *finding)
{
    if (finding->by_cpu && finding->all_wait)
        return idle->longest * 4;
    if (!finding->by_cpu || finding->unsteady)
        return least(idle->longest, LONGEST_TIMED);
    return least(idle->longest * 2, finding->ticks * 2 > FIRST_BY_CPU ? finding->ticks * 2 : FIRST_BY_CPU);
}

uint64_t idle_next(struct idle *idle, const struct idle_finding *finding)
{
    if (idle->longest < 2)
        return 1;
    uint64_t ns = finding->ticks * idle->interval_ns;
    bool slept = finding->ticks > 1 && !finding->thrifty && !finding->called;
    allow(idle, ns * idle->interval_ns / sample_every_ns);
    if (slept)
        judge_sleep(idle, finding, ns);
    else
        allow(idle, finding->ran_ns / SEEN_SHARE);
    uint64_t noise = slept ? idle->interval_ns / NOISE_SHARE : 0;
    idle->quiet_ns = finding->works || finding->ran_ns > noise ? 0 : idle->quiet_ns + ns;
    if (finding->timed && !finding->others && !finding->works)
        return longest_timed(idle, finding);
    if (all_will_call(idle, finding))
        return idle->longest * 2;
    if (idle->quiet_ns < idle->after_ns)
        return 1;
    uint64_t longest = idle->quiet_ns < VERY_QUIET_NS ? idle->longest : idle->longest * 2;
    if (finding->timed)
        longest = least(longest, LONGEST_TIMED);
    return finding->ran_ns ? 2 : least(finding->ticks * 2, longest);
}
