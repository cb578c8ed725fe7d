/* Symbols for a profile that is shown already: module by module, the one with the most samples first, in a thread of its own.
 *
 *     late symbols        look for the symbols of a module … and of the next …        all are there
 *                                           │ update: between two asks                  │
 *     the api's thread    ask   ask   ask   profile and api changed   ask   ask   ask   changed   ask
 *
 * The profile is changed in the thread that asks the api, and by nobody else, so that neither waits for a lock: others may read
 * it only there, or after late_symbols_wait(). It changes at most twice a second, and less often where a change takes long. */
#ifndef SONDE_SERVER_LATE_SYMBOLS_H
#define SONDE_SERVER_LATE_SYMBOLS_H

#include "server/profiles.h"
#include "symbols/symbolicate.h"

struct late_symbols;

struct late_symbols_options {
    struct served_profile *served; /* where the profile is asked, and who is told */
    struct profile *profile;
    struct api *api;
    struct symbolicate_options symbolicate; /* but for `step` and `stop` */
};

/* All that the options point to stays until the end. In the thread that asks the api. NULL with `error` filled. Pages are told:
 *
 *     {"event": "symbols", "file": 0, "module": "libc.so.6", "state": "full", "done": 3, "total": 12, "share": 0.93}
 *     {"event": "generation", "file": 0, "generation": 2, "reason": "symbols", "done": false}
 *
 * `share` is that of the modules that had their turn, by samples. */
struct late_symbols *late_symbols_begin(const struct late_symbols_options *options, struct error *error);

/* Returns when the profile changes no more. By any thread but the one that asks the api. */
void late_symbols_wait(struct late_symbols *late);

/* Ends it, also where it is not done, before the server is stopped. False where it has not ended after so many milliseconds:
 * then all has to stay as it is until the process ends. */
bool late_symbols_stop(struct late_symbols *late, unsigned milliseconds);

/* After that, when nobody waits. NULL is fine. */
void late_symbols_free(struct late_symbols *late);

#endif
