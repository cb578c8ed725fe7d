/* Calls that the program asked for, to be made when everything up to now is in the recording.
 *
 * A loop of the background thread that began before a call was asked for may have passed what it waits for, so a whole loop has
 * to follow. A call goes through three places:
 *
 *     active->after_sampling     asked for since the last loop
 *     taken                      before this loop
 *     due                        before an earlier one
 *
 * Only the background thread moves and makes them; the first place is guarded by the core lock, which is not held while calls
 * are made: they are the program's code. */
#ifndef SONDE_CAPTURE_CONTROL_AFTER_SAMPLING_H
#define SONDE_CAPTURE_CONTROL_AFTER_SAMPLING_H

#include "capture/core/core.h"

/* Begins as zeros. */
struct after_sampling {
    size_t taken_count, due_count;
    unsigned due_loops; /* since they are due: a thread may never answer */
    struct after_sampling_call taken[CALLBACKS_MAX], due[CALLBACKS_MAX];
};

/* In a loop, when answers have been collected, and before threads are asked again; `answered`: all have. True if those that are
 * due can be made. */
bool after_sampling_advance(struct after_sampling *calls, struct active_state *active, bool answered);

/* Some are still to be made. Also by another thread, while the background thread sleeps. */
static inline bool after_sampling_pending(const struct after_sampling *calls)
{
    return calls->taken_count > 0 || calls->due_count > 0;
}

/* Without the lock: makes those that are due; while the recording is paused, those that were just taken, since there is nothing
 * to wait for; all of them, when it is over. */
void after_sampling_call_due(struct after_sampling *calls);
void after_sampling_call_paused(struct after_sampling *calls);
void after_sampling_call_stopped(struct after_sampling *calls);

#endif
