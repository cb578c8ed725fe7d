/* The sampler, for the files that it consists of: sampler.c, its thread and its loop; sampler_ticks.c, the ticks between two
 * loops. */
#ifndef SONDE_CAPTURE_SAMPLER_PRIVATE_H
#define SONDE_CAPTURE_SAMPLER_PRIVATE_H

#include "capture/after_sampling.h"
#include "capture/long_sleep.h"
#include "capture/loop_times.h"
#include "capture/next_loop.h"
#include "capture/sample.h"
#include "capture/sampler.h"
#include "capture/schedule.h"
#include "capture/ticks.h"

/* What every loop needs, up to the writer in `sampling`, stands on one page: each page that is touched costs a recorded process
 * 2 µs. */
struct sampler {
    pthread_t thread;
    bool has_thread; /* else the process is alone (alone.h): it sleeps, as far as others are concerned */
    struct schedule schedule;
    struct next_loop next;
    struct long_sleep long_sleep;
    struct slept_ticks slept;
    uint32_t wait_ends;            /* before threads were looked at: announced_wait.h */
    uint64_t next_cpu, next_check; /* the ticks for these */
    bool ends_alone;               /* nobody joins it */
    bool begins_late;              /* after a first interval, which many processes do not live to see */
    _Atomic bool rests;            /* between two loops: it calls nobody. Relaxed: looked at when the session is over */
    uint64_t cpu_ns;               /* its CPU clock, when it was last read for the statistics */
    uint64_t missed;               /* ticks before this one */
    uint64_t last_victim;          /* for which stacks were stated anew */
    struct loop_times times;
    struct after_sampling calls;
    struct sampling sampling;
};

/* The last tick before `time`. */
uint64_t sampler_tick_before(uint64_t time, uint64_t interval_ns);

bool sampler_is_paused(const struct active_state *active);

/* Writes the ticks before `time` that it slept through. Answers have been collected, and clocks read. */
void sampler_put_slept_ticks(const struct core_locked *locked, struct sampler *sampler, uint64_t time);

/* Writes those up to now, with all that there is. False if it does not sleep. */
bool sampler_catch_up_with(const struct core_locked *locked, struct sampler *sampler);

/* What the thread has seen that looked at itself so far (alone.h) is written, as if the sampler had slept meanwhile. */
void sampler_adopt(const struct core_locked *locked, struct sampler *sampler);

#endif
