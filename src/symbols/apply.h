/* Symbols change the shape of a profile, not only its names: functions that were one per address become one, inlined calls
 * become frames of their own.
 *
 *     before      0x1210   0x1214   0x1300          funcs are addresses
 *     answers     draw     draw     draw ▷ blend    draw starts at 0x1200; at 0x1300 blend is inlined into it
 *     after       draw     draw     draw, blend     two funcs; the stack of 0x1300 has one frame more
 *
 * Modules can be applied one by one, in any order: what comes out depends only on which have been applied (strings alone are
 * numbered as they come). To that end the tables as they were before any symbols are kept, and every step begins with them.
 *
 * Rows are reused as the Firefox Profiler does it, so that both number funcs alike. An address without an answer keeps the name
 * it has. One thing comes with the reuse that looks odd: such an address gets the file name that its old func's row has by
 * then, and that row may stand for another function already. */
#ifndef SONDE_SYMBOLS_APPLY_H
#define SONDE_SYMBOLS_APPLY_H

#include "profile/func_changes.h"
#include "profile/profile.h"
#include "symbols/answers.h"

struct symbolication;

/* `profile` is finished and outlives it; nobody else changes it meanwhile. NULL when the heap is empty. At the end the profile
 * stays as it is; the packed bytes of the tables as they were before stay in its arena until it is freed. */
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

/* Takes the answers of one module, which are the symbolication's afterwards (`answers` is empty then), also on failure. The
 * profile shows them with the next symbolication_update(). A module that had answers before gets the new ones instead. */
int symbolication_add(struct symbolication *symbolication, struct lib_index lib, struct symbol_answers *answers,
                      struct error *error);

/* Counts a module as done without changing it: for one that nothing is known of, in a profile that may have its names from
 * elsewhere. */
void symbolication_leave(struct symbolication *symbolication, struct lib_index lib);

/* Rebuilds the profile from all answers there are. Views of the profile are of no use afterwards. `changes` (zeroed before) may
 * be NULL. On failure the profile is what it was before the call. */
int symbolication_update(struct symbolication *symbolication, struct func_changes *changes, struct error *error);

/* One step: both at once. */
int symbolication_apply(struct symbolication *symbolication, struct lib_index lib, struct symbol_answers *answers,
                        struct func_changes *changes, struct error *error);

#endif
