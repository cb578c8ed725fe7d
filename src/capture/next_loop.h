/* When the sampler loops again: in the next tick, or in a later one.
 *
 *     something is still to be done          the next tick
 *     nobody works, or only by timers        as idle.h says
 *     threads work, and looks are dear       as thrift.h says
 *
 * Ticks between two loops are in the session all the same; how they are written depends on which of these it was. All
 * functions: under the core lock; but next_loop_look() looks at nothing that ends with the session. */
#ifndef SONDE_CAPTURE_NEXT_LOOP_H
#define SONDE_CAPTURE_NEXT_LOOP_H

#include "capture/idle.h"
#include "capture/sample.h"
#include "capture/thrift.h"

struct next_loop {
    struct idle idle; /* its user begins it when it knows whether there is an alarm */
    struct thrift thrift;
    uint64_t shift;       /* of its looks against those of other processes, in ticks */
    uint64_t ticks;       /* from this loop to the next … */
    bool timed;           /* … in which threads take samples by themselves … */
    bool thrifty;         /* … or which are left out to spare them … */
    bool announced;       /* … or in which all wait, and will call */
    uint64_t look_cpu_ns; /* the sampler's CPU clock when the cost of looks was last reckoned */
};

/* While the session is there for sure: it may be over before the thread runs for the first time. */
void next_loop_begin(struct next_loop *next, struct sampling *sampling);

/* How many ticks after the one at `time` threads are looked at, if they work. */
uint64_t next_loop_look(const struct next_loop *next, const struct sampling *sampling, uint64_t time);

/* When threads have been looked at: what that cost. `cpu_ns` is what the sampler's CPU clock showed before. */
void next_loop_reckon(struct next_loop *next, struct sampling *sampling, uint64_t cpu_ns);

/* At the end of the loop of the tick at `time`. `urgent`: something is to be done as soon as possible. What the looks found is
 * used up; the next loop begins anew. */
void next_loop_decide(struct next_loop *next, struct sampling *sampling, uint64_t time, bool urgent);

#endif
