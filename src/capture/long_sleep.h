/* A sleep of the sampler through many ticks, which ends early when the process works, or when somebody says so.
 *
 * The alarm is a timer of the process's CPU clock: it goes off when the process has used so much since the sampler fell
 * asleep, mostly a fraction of a millisecond. The kernel looks at such timers only at its own tick, and only while a thread of
 * the process runs: a burst is noticed after 4 ms (where the kernel's tick is 250 Hz), and one that is shorter may not be
 * noticed at all.
 *
 * Both alarm and call are a SIGSTKFLT to the sampler's thread, which blocks all signals and waits for this one. No system
 * raises it, nobody else gets it, and what the program does when it gets one of its own stays as it is: if the program ever
 * sends one to itself that would have to be fetched by a thread that waits for it, as we do, and we were given it instead, it
 * is sent once more, and there are no long sleeps any more. */
#ifndef SONDE_CAPTURE_LONG_SLEEP_H
#define SONDE_CAPTURE_LONG_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

/* Of CPU time: more than the sampler itself uses until it sleeps. */
enum { LONG_SLEEP_SOON_NS = 150000 };

struct long_sleep {
    int tid;     /* who sleeps */
    int timer;   /* of the kernel; -1 = none */
    bool is_set; /* … and it goes off when the process works */
    bool off;    /* the signal is the program's */
};

/* By the thread that will sleep. False: there is no alarm (a sandbox, or the limit of pending signals), only calls. */
bool long_sleep_begin(struct long_sleep *sleep);
void long_sleep_end(struct long_sleep *sleep);

/* Sleeps until `time` (clock_now()), or less; with the alarm when the process has used so much CPU time, 0 = without. True if
 * it went off. */
bool long_sleep_until(struct long_sleep *sleep, uint64_t time, uint64_t alarm_ns);

/* Any thread: ends the sleep, or the next one, if it has not begun. The second: of whoever sleeps in this process, if anybody
 * does; in a signal handler, too. */
void long_sleep_call(const struct long_sleep *sleep);
void long_sleep_call_anybody(void);

/* In a forked child: whoever sleeps or calls is the parent's. */
void long_sleep_forked(void);

#endif
