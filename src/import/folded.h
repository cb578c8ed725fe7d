/* Folded stacks, the text that flame graphs are drawn from: one line a stack, root first, and how often it was seen.
 *
 *     main;parse;read_token 12
 *     main;parse;java.lang.String.equals_[j] 3
 *
 * A count of N makes N samples one millisecond apart, in the order of the lines. Where a count has a fraction, each line is
 * one sample that weighs its count. Blank lines are passed over; any other line without a count is an error. */
#ifndef SONDE_IMPORT_FOLDED_H
#define SONDE_IMPORT_FOLDED_H

#include "common/byte_source.h"
#include "common/error.h"
#include "profile/profile.h"

/* Many tools count nanoseconds or bytes, not samples. Where the counts of a file add up to more than this, each line becomes
 * one sample that weighs its count instead; totals and the time range stay what they would have been. */
enum { FOLDED_MAX_SAMPLES = 10 * 1000 * 1000 };

/* True where `start`, the first bytes of a file (all of it, or some thousand at least), looks like folded stacks in all of its
 * lines. Tables of names and numbers do, too: ask for other formats first. */
bool folded_recognise(struct slice start);

/* Reads a whole file into an empty profile, as import_profile() does. */
int folded_import(struct byte_source *source, struct profile *profile, struct error *error);

/* The same with another limit than FOLDED_MAX_SAMPLES, for tests. */
int folded_import_up_to(uint64_t max_samples, struct byte_source *source, struct profile *profile, struct error *error);

#endif
