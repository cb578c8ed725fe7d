/* A whole profile as text, to compare two of them: every table, strings spelled out, one value a line. */
#ifndef SONDE_TESTS_PROFILE_DUMP_H
#define SONDE_TESTS_PROFILE_DUMP_H

#include "profile/profile.h"

/* What some comparisons leave out. */
enum dump_omission {
    DUMP_ALL = 0,
    DUMP_NO_IMPLEMENTATION = 1, /* of frames */
    DUMP_NO_DISPLAY = 2,        /* of counters */
};

/* To be given to memory_release(). Fails the test when it cannot be made. */
char *profile_dump(const struct profile *profile, unsigned omissions);

/* Fails the test with the first lines that are not the same. */
void assert_same_dump(const char *actual, const char *expected);
void assert_same_tables(const struct profile *actual, const struct profile *expected, unsigned omissions);

#endif
