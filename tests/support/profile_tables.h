/* The tables of a profile in the form of the import vectors, to be compared as text. */
#ifndef SONDE_TESTS_PROFILE_TABLES_H
#define SONDE_TESTS_PROFILE_TABLES_H

#include "support/json_document.h"

#include "profile/profile.h"

/* `expected` has `interval`, `startTime`, `symbolicated`, `categories`, `libs`, `resources`, `funcs`, `frames` and `threads`;
 * of threads everything but `threadCPUPercent`, `markers` and `tree` is compared. Fails the test with the first table that is
 * not the same, both as JSON. */
void assert_profile_tables(const struct profile *profile, const struct json_document *document, const uint8_t *expected);

#endif
