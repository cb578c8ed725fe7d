/* Start, stop and pause: everything that makes a session begin and end.
 *
 * Any thread may call these, but not while it holds the core lock and not in a signal handler. Callbacks of state changes run
 * on the calling thread, without locks. */
#ifndef SONDE_CAPTURE_LIFECYCLE_H
#define SONDE_CAPTURE_LIFECYCLE_H

#include "capture/core.h"

/* 0 or a negative errno; what is wrong is logged. A session that runs is stopped first, its data is discarded. */
int lifecycle_start(const struct sonde_start_options *options);
/* The same, before the program begins: the session may be put off until there is something to record (follow.h). */
int lifecycle_start_with_program(const struct sonde_start_options *options);
/* The same, but a session that runs with the same settings goes on. */
int lifecycle_ensure_started(const struct sonde_start_options *options);
void lifecycle_stop(void);
/* Stops only that session: for the sampler, which may be about to learn that it is stale. */
void lifecycle_stop_generation(uint64_t generation);
void lifecycle_pause(void);
void lifecycle_resume(void);
void lifecycle_pause_sampling(void);
void lifecycle_resume_sampling(void);
/* At the end of the process: writes what SONDE_SHUTDOWN asked for, then stops. Only the first call does anything. */
void lifecycle_shutdown(void);

/* What the sampler calls once per loop, last, without locks: stops the session when its duration is over or the disk is full,
 * and makes a scheduled dump. May end the session. */
void lifecycle_after_loop(uint64_t generation);

/* The next moment at which that has something to do, if nobody works until then. UINT64_MAX = none. */
uint64_t lifecycle_next_deadline(const struct core_locked *locked);

/* What is wanted of a thread of this name, as bits THREAD_CPU …; 0 = nothing, or nothing is recorded. */
uint32_t lifecycle_thread_features(const struct core_locked *locked, const char *name);

/* What follow.h does under the core lock, where nothing is recorded: begins a session whose sampler will be `thread` (NULL =
 * one is made for it), and has it begin paused. */
struct settings;
int lifecycle_begin(const struct core_locked *locked, const struct settings *settings, const pthread_t *thread,
                    struct error *error);
void lifecycle_begin_paused(const struct core_locked *locked);
/* … and ends one that has no sampler, in a signal handler: nobody is told. Without the lock. */
void lifecycle_stop_quietly(void);

/* At _exit(), which may be in a signal handler: what was recorded ends here. Callbacks and atexit() have no part in it. */
void lifecycle_exit(void);

/* --- parts of other files that take part in the start of a session, under the core lock ------------------------------- */

/* Each writes anew, into CHUNK_KEPT, what the session's entries will refer to. */
void categories_begin(const struct core_locked *locked);
void marker_types_begin(const struct core_locked *locked);
void counters_begin(const struct core_locked *locked);

#endif
