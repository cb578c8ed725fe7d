/* A session in the test's own process, looked at when it is over. */
#ifndef SONDE_TESTS_RECORDING_H
#define SONDE_TESTS_RECORDING_H

#include "lines.h"
#include "sonde/api.h"

#include <stdint.h>

/* Starts one in a folder of its own, which the options then name. */
void recording_start_with(struct sonde_start_options *options);
/* The same with the usual options. NULL = default features, all threads. */
void recording_start(const char *features, const char *threads);

/* What is in its file by now, as text; to be freed. */
char *recording_text(void);

/* Ends it if it still runs, and removes the folder if there is one. */
void recording_end(void);

/* Ends it and returns what is in its file, as text (support/session_dump.h), to be freed. The folder is removed. */
char *recording_stop(void);

/* The statistic (enum session_statistic) of the recording that was stopped last. */
uint64_t recording_statistic(int statistic);

/* Waits until the background thread has made a whole loop from now on: counters are sampled, chunks supplied. */
void wait_for_loop(void);

#endif
