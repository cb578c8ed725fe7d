/* A session in the test's own process, looked at when it is over. */
#ifndef SONDE_TESTS_RECORDING_H
#define SONDE_TESTS_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts one in a folder of its own. NULL = default features, all threads. */
void recording_start(const char *features, const char *threads);

/* Ends it and returns what is in its file, as text (support/session_dump.h), to be freed. The folder is removed. */
char *recording_stop(void);

/* The statistic (enum session_statistic) of the recording that was stopped last. */
uint64_t recording_statistic(int statistic);

/* The first line that matches, as a shell would match file names (fnmatch); NULL where none does. Valid until the next call. */
const char *line_like(const char *text, const char *pattern);
size_t lines_like(const char *text, const char *pattern);

/* Fail the test, and show the text, where it is not so. */
void assert_line(const char *text, const char *pattern);
void assert_no_line(const char *text, const char *pattern);

/* Waits until the sampler has looked at everything at least once from now on. */
void wait_for_tick(void);

#endif
