/* What was found of each module, kept in the profile: `meta.sonde.symbols`, which other tools leave alone.
 *
 *     "sonde": { …, "symbols": [ { "name": "libc.so.6", "debugId": "…", "status": "exports-only", "detail": "" }, … ] } */
#ifndef SONDE_SYMBOLS_SYMBOL_NOTES_H
#define SONDE_SYMBOLS_SYMBOL_NOTES_H

#include "profile/profile.h"
#include "symbols/symbol_report.h"

/* Replaces what was noted before. False when the heap is empty; the profile is as it was then. */
bool symbol_notes_write(struct profile *profile, const struct symbol_report *report);

struct symbol_note {
    enum symbol_status status;
    struct slice detail; /* may be empty */
};

/* What is noted of a module; false where nothing is. */
bool symbol_notes_find(const struct profile *profile, struct lib_index lib, struct symbol_note *note);

#endif
