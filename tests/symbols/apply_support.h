/* Profiles without symbols, and answers for them, at random. */
#ifndef SONDE_TESTS_SYMBOLS_APPLY_SUPPORT_H
#define SONDE_TESTS_SYMBOLS_APPLY_SUPPORT_H

#include "support/random_profile.h"

#include "symbols/apply.h"

enum { APPLY_LIBS = 5 };

/* A random profile whose native frames are of APPLY_LIBS libs: some have symbols from before, some are inlined, and funcs are
 * shared between libs. Finished. */
void random_native_profile(struct profile *profile, struct random *random);

/* As an importer leaves it: each address has a func of its own. Labels stand between them. Sample i of the only thread is on
 * stack i. Finished. */
void raw_profile(struct profile *profile, struct random *random);

/* Answers for most of the addresses of a lib: always the same ones for the same `seed`. */
void random_answers(struct symbol_answers *answers, struct module_addresses addresses, uint32_t lib, uint64_t seed);

/* Applies the libs whose bits are set, at once. */
void apply_at_once(struct profile *profile, uint32_t libs, uint64_t seed);

/* One step. `changes` may be NULL. */
int apply_lib(struct symbolication *symbolication, uint32_t lib, uint64_t seed, struct func_changes *changes,
              struct error *error);

/* The next order of `items`, which were ascending at first; false after the last one. */
bool next_order(uint32_t *items, size_t count);

#endif
