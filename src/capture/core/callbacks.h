/* Who wants to know when the state of the profiler changes.
 *
 * Guarded by a lock of its own, which is not held while a callback runs: a callback may add and remove callbacks, also
 * itself. A callback that is being removed while it runs on another thread may still be running when the removal returns. */
#ifndef SONDE_CAPTURE_CORE_CALLBACKS_H
#define SONDE_CAPTURE_CORE_CALLBACKS_H

#include "sonde/api.h"

/* `states` has a bit (1 << SONDE_STARTED …) for each change of interest. Called at once with SONDE_ALREADY_ACTIVE if a session
 * runs. 0, or -ENOSPC. */
int callbacks_add(unsigned states, void (*call)(void *data, enum sonde_state_change change), void *data, uintptr_t id);

/* Every callback of that id; each is told so with SONDE_REMOVING_CALLBACK. */
void callbacks_remove(uintptr_t id);

/* Not with the core lock held. */
void callbacks_run(enum sonde_state_change change);

/* Around fork; the child has no callbacks. */
void callbacks_fork_prepare(void);
void callbacks_fork_done(bool child);

#endif
