/* Holds the samples of a profile against what its target wrote down (kill_log.h). For kill_check.c. */
#ifndef SONDE_TESTS_CHAOS_KILL_SAMPLES_H
#define SONDE_TESTS_CHAOS_KILL_SAMPLES_H

#include "kill_check.h"

#include "profile/profile.h"

struct kill_samples;

struct kill_samples *kill_samples_begin(const struct kill_log *log, const struct profile *profile,
                                        void (*complain)(void *data, const char *what), void *data);

/* The rows of one thread: what they say must be true. */
void kill_samples_thread(struct kill_samples *samples, const struct thread *thread);

/* After all threads: what must be there is. */
void kill_samples_finish(struct kill_samples *samples, enum kill_wanted wanted, struct kill_figures *figures);

#endif
