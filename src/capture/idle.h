/* How long the sampler may sleep while nobody works.
 *
 * A thread that wakes 1000 times a second takes 2 % of a core, even if it does nothing. So when no thread of the program has
 * run for a while, the sampler sleeps for 2, 4, 8 … ticks at once, up to 48 ms (what holds up a program for 50 ms, and people
 * notice, is seen at least once), or 96 ms when nobody has run for 0.4 s; and for one again as soon as somebody works. The
 * ticks that it slept through are in the session all the same, and say what is true of an idle program: everybody is as before.
 *
 * What can be lost are the samples of a burst of work that begins during such a sleep. An alarm (long_sleep.h) ends the sleep
 * after some milliseconds of it; a shorter one is found out by the CPU clocks afterwards, and its CPU time is not lost, only
 * the stacks. Whether that matters is reckoned in CPU time that nobody looked at, in a sleep, against what is allowed:
 *
 *     allowed    1/64 of the CPU time that was looked at, and one interval in 10 s: one sample, on average; 16 ms can be saved
 *     charged    the CPU time that the threads are found to have used in the sleep; the whole sleep, if the alarm was silent
 *                and one of them is blocked at another place, because nobody knows since when
 *
 * More than an interval charged beyond what is allowed: from now on the program has to be idle for twice as long before the
 * sampler sleeps (8 ms at first, a minute at most). When it has slept sixteen times as long as that and nothing was charged
 * beyond, half as long. So a program that works for half a millisecond every 100 ms is looked at in every tick after its first
 * second, one that does so once a second after its first ten, one that works for long has the first milliseconds of its bursts
 * unseen, and one that waits for hours costs nearly nothing.
 *
 * If all threads wait in such a way that they will say so when they go on (announced_wait.h), the sampler sleeps at once, for
 * 96 ms, and nothing is charged when it is called. What a signal handler does meanwhile is, and more than is allowed ends
 * this.
 *
 * Threads with timers of their own do not count: the sampler sleeps although they run, but only for 16 ticks, and without an
 * alarm, which would go off at once; and if there are no others, there is nothing to wait for before it does. Where they go by
 * the CPU time, and may not have waited unseen (timed.h), for 32, 64 and then 96 ms; and for 192 while all of them wait.
 *
 * Only figures here, no clocks and no threads. */
#ifndef SONDE_CAPTURE_IDLE_H
#define SONDE_CAPTURE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct idle {
    uint64_t interval_ns;
    uint64_t longest;            /* sleep, in ticks; twice as much when the program is very quiet */
    uint64_t shortest_ns;        /* … that after_ns can be */
    uint64_t after_ns, quiet_ns; /* the sampler sleeps when the program is quiet for so long; it is, for so long */
    int64_t allowed_ns;          /* less what was charged */
    uint64_t slept_ns;           /* without loss beyond that, since after_ns changed */
};

/* What a loop of the sampler found. */
struct idle_finding {
    uint64_t ticks;        /* since the loop before */
    uint64_t ran_ns;       /* CPU time of all threads since then, but for those with timers … */
    uint64_t timed_ran_ns; /* … and of these */
    bool works;            /* somebody is not where they were, or something is still to be done in the next tick */
    bool elsewhere;        /* somebody is blocked, and not where they were */
    bool alarmed;          /* the alarm ended the sleep */
    bool thrifty;     /* the ticks since the loop before were not slept through, but left out (thrift.h): they cost nothing */
    bool timed;       /* some run all the time, and take samples by themselves (timed.h), which must be fetched */
    bool others;      /* there are threads that do not … */
    bool unannounced; /* … and one that will not say when its wait is over (announced_wait.h), if it waits at all */
    bool called;      /* one that does so ended the sleep: nothing was lost */
    bool by_cpu;      /* those that take samples by themselves do so by their CPU time … */
    bool unsteady;    /* … and one of them does not any more … */
    bool all_wait;    /* … or all have said that they wait */
};

/* Without an alarm sleeps are so short that hardly more is lost than with it. */
void idle_begin(struct idle *idle, uint64_t interval_ns, bool has_alarm);

/* After a loop: in how many ticks the next one is due. 1 = there is no time for sleep. */
uint64_t idle_next(struct idle *idle, const struct idle_finding *finding);

#endif
