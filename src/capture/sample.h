/* One look at one thread: what happened to it since the last one, and what is written about that.
 *
 * CPU time. The clock of a thread is read when it is looked at, and the sample says by how much it went on since the sample
 * before. All of it is kept, also what our own handler used up on the thread, so that the samples add up to the thread's clock.
 * The price is that a blocked thread which was interrupted shows a few microseconds at the next tick; it is not interrupted
 * again for that, because it is found at the same place (BLOCKED_SAME).
 *
 * Idle threads. A look at a thread's clock is a system call: 0.3 µs, and a program may have hundreds of threads that do
 * nothing. The process has a clock, too, but that does not show what runs right now (only the scheduler's tick, every 4 ms,
 * adds it up), so one look at it cannot replace them. Instead a thread that has not run for long is not looked at in every
 * tick: after n ticks without work it is noticed at most n / 512 ticks late, and never more than 3, that it works again. No CPU
 * time is lost by that, only its first samples. The main thread, and threads that tell of their event delay, are looked at in
 * every tick: of an event that they handle the beginning counts. Eight threads blocked for a while: 0.6 µs a tick instead
 * of 2.4. (When no thread at all has run for a while, there are fewer loops: idle.h.) */
#ifndef SONDE_CAPTURE_SAMPLE_H
#define SONDE_CAPTURE_SAMPLE_H

#include "capture/core.h"
#include "capture/idle.h"
#include "capture/parts.h"
#include "capture/stack_writer.h"

/* As many threads are asked in one loop; and as many have timers: more than there are CPUs for. */
enum { ASKED_MAX = 1024, TIMED_MAX = 256 };

/* What all looks of a session share. What every loop needs stands together, before the large ones, of which most is never
 * touched. */
struct sampling {
    struct session_file_header *header; /* statistics */
    const struct capture_parts *parts;  /* NULL = the base alone: the main thread, labels and pc */
    uint64_t generation, features, interval_ns;
    uint64_t tick;                    /* counts from 1 */
    uint64_t tick_time;               /* of the last TICK */
    uint64_t our_off_ns;              /* how long the sampler itself has not run so far, in this loop */
    uint64_t counts[STATISTIC_COUNT]; /* since the last sampling_flush() */
    struct idle_finding finding;      /* what the looks of this loop add up to */
    bool all_were_idle;               /* for long, before this loop: a wait that begins anew would be that much longer */
    uint64_t kernel_tick_ns;
    uint64_t stride;           /* ticks from look to look (thrift.h) */
    uint64_t held_ns, answers; /* time in handlers, and how often, since somebody asked */
    size_t asked_count, timed_count, held_count;
    struct stack_writer writer;
    /* Who has been asked and has not answered yet. The registration of a thread that has ended stays where it is until
     * registry_collect() is called, and is never unmapped. */
    struct registration *asked[ASKED_MAX];
    struct registration *timed[TIMED_MAX]; /* timed.h */
    struct registration *held[ASKED_MAX];  /* who ran at the last look: their rows until the next are as that one (thrift.h) */
};

/* A thread that has used so much CPU time since it was asked, and still has not answered, blocks the signal. (One that has not
 * used any did not get a CPU: it stands where it stood, and its answer will say where.) */
static inline uint64_t sampling_patience_ns(const struct sampling *sampling)
{
    enum { SHORTEST = 10000000, INTERVALS = 5 };
    return sampling->interval_ns * INTERVALS > SHORTEST ? sampling->interval_ns * INTERVALS : SHORTEST;
}

/* Before the next TICK and before registry_collect(): writes what threads answered to the signals of this one. */
void sample_collect(struct sampling *sampling);

/* After ticks that were left out to spare threads: reads their clocks, then, after the TICK of each of these at `time`: their
 * rows. */
void sample_read_held(struct sampling *sampling);
void sample_put_held(struct sampling *sampling, uint64_t time);

/* A thread that this session has not seen. */
void sample_begin(const struct sampling *sampling, struct registration *thread);

/* After a TICK. */
void sample_look(struct sampling *sampling, struct registration *thread);

static inline void sampling_count(struct sampling *sampling, enum session_statistic statistic, uint64_t amount)
{
    sampling->counts[statistic] += amount;
}

/* Adds the counts to the session's. */
void sampling_flush(struct sampling *sampling);

#endif
