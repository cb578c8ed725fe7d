/* One look at one thread: what happened to it since the last one, and what is written about that.
 *
 * CPU time. The clock of a thread is read when it is looked at, and the sample says by how much it went on since the sample
 * before. All of it is kept, also what our own handler used up on the thread, so that the samples add up to the thread's clock.
 * The price is that a blocked thread which was interrupted shows a few microseconds at the next tick; it is not interrupted
 * again for that, because it is found at the same place (BLOCKED_SAME). */
#ifndef SONDE_CAPTURE_SAMPLE_H
#define SONDE_CAPTURE_SAMPLE_H

#include "capture/core.h"
#include "capture/parts.h"
#include "capture/stack_writer.h"

/* What all looks of a session share. */
struct sampling {
    struct stack_writer writer;
    struct session_file_header *header; /* statistics */
    const struct capture_parts *parts;  /* NULL = the base alone: the main thread, labels and pc */
    uint64_t generation, features, interval_ns;
    uint64_t tick;                    /* counts from 1 */
    uint64_t tick_time;               /* of the last TICK */
    uint64_t counts[STATISTIC_COUNT]; /* since the last sampling_flush() */
};

/* Before the next TICK: writes what the thread answered to the signal of this one. */
void sample_collect(struct sampling *sampling, struct registration *thread);

/* After a TICK. */
void sample_look(struct sampling *sampling, struct registration *thread);

static inline void sampling_count(struct sampling *sampling, enum session_statistic statistic, uint64_t amount)
{
    sampling->counts[statistic] += amount;
}

/* Adds the counts to the session's. */
void sampling_flush(struct sampling *sampling);

#endif
