/* Symbols change the shape of a profile, not only its names: functions that were one per address become one, inlined calls
 * become frames of their own.
 *
 *     before      0x1210   0x1214   0x1300          funcs are addresses
 *     answers     draw     draw     draw ▷ blend    draw starts at 0x1200; at 0x1300 blend is inlined into it
 *     after       draw     draw     draw, blend     two funcs; the stack of 0x1300 has one frame more
 *
 * Modules can be applied one by one, in any order: what comes out depends only on which have been applied. To that end the
 * tables as they were before any symbols are kept, and every step begins with them. */
#ifndef SONDE_SYMBOLS_APPLY_H
#define SONDE_SYMBOLS_APPLY_H

#include "profile/profile.h"
#include "symbols/answers.h"

struct symbolication;

/* `profile` is finished and outlives it; nobody else changes it meanwhile. NULL when the heap is empty. */
struct symbolication *symbolication_begin(struct profile *profile, struct error *error);
void symbolication_end(struct symbolication *symbolication);

/* The addresses of a module that the profile's frames have, ascending, each once; and how many samples (of all threads) have a
 * frame in it. Lives until the end. */
struct module_addresses {
    const uint64_t *addresses;
    size_t count;
    size_t samples;
};
struct module_addresses symbolication_addresses(const struct symbolication *symbolication, struct lib_index lib);

/* Which funcs became which in one step: func f of the profile before is the sequence funcs[start[f] .. start[f + 1]) after,
 * outer first; empty where its frames went different ways and it has no one successor (it stays itself in paths then). */
struct func_changes {
    VEC(uint32_t) start;
    VEC(uint32_t) funcs;
};
void func_changes_free(struct func_changes *changes);

/* One step: the answers of one module. They are the symbolication's afterwards. `changes` (zeroed before) may be NULL. */
int symbolication_apply(struct symbolication *symbolication, struct lib_index lib, struct symbol_answers *answers,
                        struct func_changes *changes, struct error *error);

#endif
