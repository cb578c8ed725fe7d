/* Importers fed with texts of tests, and what came of it as text again. */
#ifndef SONDE_TESTS_IMPORT_TEXT_H
#define SONDE_TESTS_IMPORT_TEXT_H

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

typedef int import_function(struct byte_source *source, struct profile *profile, struct error *error);

/* Initialises `profile`, which is to be freed in any case. The text comes in pieces of `piece` bytes (0 = all at once). */
int import_text(import_function *import, struct slice text, size_t piece, struct profile *profile, struct error *error);

/* The same, where a failure fails the test. */
void assert_imports(import_function *import, struct slice text, struct profile *profile);

/* Fails the test unless the import fails with -EINVAL or -EBADMSG and a message that contains `message`. */
void assert_refused(import_function *import, struct slice text, const char *message);

/* The samples of a thread, one a line: time, weight if there is one, and the names of the stack from its root on.
 *
 *     0 main;parse
 *     1 x12 main
 */
void assert_samples(const struct profile *profile, size_t thread, const char *expected);

/* Reads `text` cut off after every byte (after `cuts` random ones where it is longer than that), in pieces of several sizes:
 * each time there must be a clean error or a profile whose tables are in order. */
void assert_truncations_are_clean(import_function *import, struct slice text, size_t cuts);

/* Makes every allocation fail in turn. */
void assert_import_survives_failing_allocations(import_function *import, struct slice text);

/* A whole file, unpacked, with a NUL after it; `text` is to be given to memory_release(). */
struct slice read_test_data(const char *path);

#endif
