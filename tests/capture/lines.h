/* Looking for lines in the text of a session (support/session_dump.h). */
#ifndef SONDE_TESTS_LINES_H
#define SONDE_TESTS_LINES_H

#include <stddef.h>

/* The first line that matches, as a shell would match file names (fnmatch); NULL where none does. Valid until the next call. */
const char *line_like(const char *text, const char *pattern);
size_t lines_like(const char *text, const char *pattern);

/* How often `part` is in `text`. */
unsigned count_of(const char *text, const char *part);

/* Fail the test, and show the text, where it is not so. */
void assert_line(const char *text, const char *pattern);
void assert_no_line(const char *text, const char *pattern);

#endif
