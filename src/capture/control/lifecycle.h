/* Start, stop and pause: everything that makes a session begin and end.
 *
 * Any thread may call these, but not while it holds the core lock and not in a signal handler. Callbacks of state changes run
 * on the calling thread, without locks. */
#ifndef SONDE_CAPTURE_CONTROL_LIFECYCLE_H
#define SONDE_CAPTURE_CONTROL_LIFECYCLE_H

#include "capture/core/core.h"

/* 0 or a negative errno; what is wrong is logged. A session that runs is stopped first, its data is discarded. */
int lifecycle_start(const struct sonde_start_options *options);
/* The same, but a session that runs with the same settings goes on. */
int lifecycle_ensure_started(const struct sonde_start_options *options);
void lifecycle_stop(void);
/* The same, and waits a moment for threads that are writing: nothing of the session is mapped any more. */
void lifecycle_stop_and_unmap(void);
void lifecycle_pause(void);
void lifecycle_resume(void);
void lifecycle_pause_sampling(void);
void lifecycle_resume_sampling(void);
/* At the end of the process: writes what SONDE_SHUTDOWN asked for, then stops. Only the first call does anything. */
void lifecycle_shutdown(void);

/* Before any session: what the background thread does for it. */
void lifecycle_init(void);

/* Under the core lock, where nothing is recorded. 0 or a negative errno; what is wrong is logged. */
struct settings;
int lifecycle_begin(const struct core_locked *locked, const struct settings *settings);

/* What begins and ends with every session in libsonde-preload alone, under the core lock; NULL = nothing does. `end` is also
 * called where a session could not begin. */
struct session_guest {
    void (*begin)(const struct core_locked *locked);
    void (*end)(const struct core_locked *locked);
    void (*forked)(void); /* in the child, whose parent had begun: no session runs */
};
extern const struct session_guest *lifecycle_guest;

/* The calling thread is about to replace the program (exec), or (false) the attempt failed. Possible in the child of a vfork().
 */
void lifecycle_replace(bool begins);

/* At _exit(), which may be in a signal handler: what was recorded ends here. Callbacks and atexit() have no part in it. */
void lifecycle_exit(void);

#endif
