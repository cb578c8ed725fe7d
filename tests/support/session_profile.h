/* A drawn session, read into a profile, and what became of it as text. */
#ifndef SONDE_TESTS_SESSION_PROFILE_H
#define SONDE_TESTS_SESSION_PROFILE_H

#include "profile/profile.h"

/* Reads what session_draw() makes of `text`. Fails the test where it cannot be read. */
void session_profile(const char *text, struct profile *profile);

/* The rows of a thread, one a line: `1.01 main;0x10 0.25ms cpu`, without `cpu` where it did not run, and `-` without a stack.
 * Where rows have no weights, `1.01 main;0x10 cpu=250000`. To be given to free(). */
char *session_profile_rows(const struct profile *profile, size_t thread);
void assert_rows(const struct profile *profile, size_t thread, const char *expected);

/* Its markers, one a line: `request interval 1 2 Other {"type":"HttpRequest","url":"a"} by 0x1000`. */
void assert_markers(const struct profile *profile, size_t thread, const char *expected);

/* What stands in meta under this key (or keys: `sonde/quality/lost`), as JSON. */
void assert_meta(const struct profile *profile, const char *path, const char *json);

#endif
