/* Names that a profile came with, from a profiler that looked them up when the program ran: `perf script` text. Symbols name
 * what that one called unknown, and tell where all functions are; its names and its inlined calls stay. */
#ifndef SONDE_SYMBOLS_GIVEN_NAMES_H
#define SONDE_SYMBOLS_GIVEN_NAMES_H

#include "profile/profile.h"
#include "symbols/answers.h"

bool given_names_are_kept(const struct profile *profile);

/* Whether it is a name: neither an address nor `[unknown]`. */
bool given_name_is_one(struct slice name);

/* Whether the file that the answers are from is another than that of which the names are: most functions begin elsewhere. */
bool given_names_contradict(const struct profile *profile, struct lib_index lib, const struct symbol_answers *answers);

#endif
