/* Profiles drawn as text, one column a sample, the root on top:
 *
 *     0              1    5
 *     A              A    B[cat:Layout]
 *     B[lib:libB]    Cjs
 *
 * Cells start where those of the first row do, with two spaces or more between them; an empty cell ends its column. Where the
 * first row is all numbers it gives the times of the samples (a column with a time only is a sample without a stack),
 * otherwise they are 0, 1, 2 … Names that end in `js` are scripts, of category JavaScript unless they say another; names that
 * end in `-relevantForJS` are that; names that are hexadecimal numbers (`0x1f`) are at that address. Behind a name may stand,
 * in any order:
 *
 *     [cat:NAME]           category
 *     [lib:NAME]           library
 *     [file:NAME]          source
 *     [line:N]             line
 *     [address:HEX]        address in the library
 *     [inl:N]              inline depth
 *     [sym:NAME:HEX:HEX]   native symbol: name, address, size (may be empty)
 *
 * Functions are told apart by name, library and file; frames by all the rest, too. */
#ifndef SONDE_TESTS_TEXT_PROFILE_H
#define SONDE_TESTS_TEXT_PROFILE_H

#include "profile/profile.h"

/* A profile of one thread with the eight usual categories, finished, to be given to profile_free(). */
void text_profile(struct profile *profile, const char *samples);

/* The same in steps, for several threads: open, add threads, profile_finish(). */
void text_profile_open(struct profile *profile);
struct thread *text_profile_add_thread(struct profile *profile, const char *samples);

#endif
