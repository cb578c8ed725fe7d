/* When the next loop begins. Times are clock_now(). */
#ifndef SONDE_CAPTURE_SCHEDULE_H
#define SONDE_CAPTURE_SCHEDULE_H

#include <stdint.h>

struct schedule {
    uint64_t interval_ns;
    uint64_t next;      /* when the last loop should have begun */
    uint64_t missed_ns; /* time given up, of which no whole interval has been counted yet */
};

/* After a loop: until when to sleep, and in *missed how many ticks are given up. Still in the future: until then, but at least
 * a quarter of the interval, so that a loop which came late can be made up for without taking the CPU for itself. Past: the
 * schedule begins anew one interval from now. */
static inline uint64_t schedule_next(struct schedule *schedule, uint64_t now, uint64_t *missed)
{
    *missed = 0;
    schedule->next += schedule->interval_ns;
    if (schedule->next > now) {
        uint64_t soonest = now + schedule->interval_ns / 4;
        return schedule->next > soonest ? schedule->next : soonest;
    }
    schedule->missed_ns += now + schedule->interval_ns - schedule->next;
    *missed = schedule->missed_ns / schedule->interval_ns;
    schedule->missed_ns %= schedule->interval_ns;
    schedule->next = now + schedule->interval_ns;
    return schedule->next;
}

/* After a long sleep that began with schedule_next(): how many ticks have passed meanwhile, `most` at most. The next loop
 * begins at schedule->next. */
static inline uint64_t schedule_skip(struct schedule *schedule, uint64_t now, uint64_t most)
{
    uint64_t late = now > schedule->next ? now - schedule->next : 0;
    uint64_t passed = late / schedule->interval_ns + (late % schedule->interval_ns != 0);
    if (passed > most)
        passed = most;
    schedule->next += passed * schedule->interval_ns;
    return passed;
}

/* After that, where the sleep took longer than it should: how many more ticks are over, `most` at most. Without this they are
 * given up. */
static inline uint64_t schedule_skip_late(struct schedule *schedule, uint64_t now, uint64_t most)
{
    uint64_t passed = now > schedule->next ? (now - schedule->next) / schedule->interval_ns : 0;
    if (passed > most)
        passed = most;
    schedule->next += passed * schedule->interval_ns;
    return passed;
}

#endif
