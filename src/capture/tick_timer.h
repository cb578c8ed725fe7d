/* Sleeps from tick to tick, for the least that the kernel can do it.
 *
 * A thread that calls clock_nanosleep() in every tick makes the kernel set the CPU's own timer twice: when it goes off, to the
 * next thing that is known then, its own tick in some milliseconds; and back to ours when we sleep again. In a virtual machine
 * that takes 3 µs each time, as much as all our looks at two threads. So there are two timers that take turns: when one goes
 * off, the one for the next tick is already set, and the kernel goes straight to that.
 *
 *     tick        0      1      2      3
 *     timer 0     off ────────▶ off ────────▶
 *     timer 1  ────────▶ off ────────▶ off
 *
 * To set both costs more than one sleep saves, so they begin when some ticks in a row came as they should: on a busy machine,
 * where many are missed, it is clock_nanosleep() all the same. */
#ifndef SONDE_CAPTURE_TICK_TIMER_H
#define SONDE_CAPTURE_TICK_TIMER_H

#include <stdint.h>

struct tick_timer {
    int fd[2];       /* timerfds, among the highest descriptors; -1 = none: clock_nanosleep() */
    uint64_t due[2]; /* when each goes off next; 0 = it is not set */
    uint64_t interval_ns;
    uint64_t last;    /* the time of the sleep before … */
    unsigned regular; /* … and how many in a row were an interval long */
};

void tick_timer_begin(struct tick_timer *timer, uint64_t interval_ns);
void tick_timer_end(struct tick_timer *timer);

/* Until `time` (clock_now()). */
void tick_timer_sleep(struct tick_timer *timer, uint64_t time);

#endif
