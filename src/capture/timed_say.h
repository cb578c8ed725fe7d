/* What a thread with a timer of its own (own_timer.h) says of itself: it puts it into its ring, for the sampler.
 *
 *     its timer went off                            its stack
 *     it is about to wait for a child process       its stack, unless it said so just now: many waits are short
 *     … and that is over                            only that: from here on it runs, wherever that may be
 *
 * With the last two the sampler need not look at a thread that works, waits, and works again: it is told. Only timers that go
 * by the CPU time are like that; the others find out themselves that a thread waits, and stop.
 *
 * All functions: the calling thread is `thread`. Errno stays. */
#ifndef SONDE_CAPTURE_TIMED_SAY_H
#define SONDE_CAPTURE_TIMED_SAY_H

#include "capture/registration.h"

/* In the handler of signal `number`, whose third argument is `context`; NULL = a wait of the program took it. Returns what it
 * put into the ring; NULL = nothing. */
const struct timed_sample *timed_say_sample(struct registration *thread, int number, void *context);

/* Outside of it. */
void timed_say_wait(struct registration *thread);
void timed_say_goes_on(struct registration *thread);

#endif
