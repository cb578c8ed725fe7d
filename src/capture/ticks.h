/* The ticks of a session: one for each loop of the sampler, and those that it sleeps through.
 *
 * A session has a tick in every interval, whether the sampler looked at threads or not: who reads it need not know how lazy the
 * sampler was. The ones without a loop are written later, with the times at which they were due, by the sampler when it has
 * woken up, or before that by somebody who is about to write something that comes after them. */
#ifndef SONDE_CAPTURE_TICKS_H
#define SONDE_CAPTURE_TICKS_H

#include "capture/sample.h"

/* Guarded by the core lock, and `left` is 0 while the sampler does not sleep. */
struct slept_ticks {
    uint64_t next, left; /* the next one that is not written, and how many there are */
    uint64_t rows;       /* of each: threads, all as before */
    bool thrifty;        /* they are left out to spare threads that work (thrift.h) */
};

/* Begins a tick, due at `time` and written at `now`. */
void tick_put(struct sampling *sampling, uint64_t time, uint64_t now);

/* Writes those before `time`, with the rows of each, and returns how many they were. While the recording is paused there are
 * none: they pass unwritten. */
uint64_t slept_ticks_put(struct slept_ticks *slept, struct sampling *sampling, uint64_t time, bool paused);

#endif
