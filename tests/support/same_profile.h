/* Whether two profiles are the same, table by table and row by row. */
#ifndef SONDE_TESTS_SAME_PROFILE_H
#define SONDE_TESTS_SAME_PROFILE_H

#include "profile/profile.h"

/* Strings are compared as text, so their numbers may differ; everything else must have the same rows in the same order. Packed
 * objects may have their keys in any order. How counters are drawn, and the parts of `meta` and of threads that are handed on
 * only, are not compared. Fails the test with the first difference. */
void assert_same_profile(const struct profile *actual, const struct profile *expected);

/* The same of two packed values. */
bool same_value(const struct profile *a, const uint8_t *at_a, const struct profile *b, const uint8_t *at_b);

#endif
