/* What was found of each module, kept in the profile: `meta.sonde.symbols`, which other tools leave alone. Read by
 * profile/module_facts.h.
 *
 *     "sonde": { …, "symbols": [ { "name": "libc.so.6", "debugId": "…", "status": "exports-only", "detail": "" }, … ] } */
#ifndef SONDE_SYMBOLS_SYMBOL_NOTES_H
#define SONDE_SYMBOLS_SYMBOL_NOTES_H

#include "profile/profile.h"
#include "symbols/symbol_report.h"

/* Replaces what was noted before. False when the heap is empty; the profile is as it was then. */
bool symbol_notes_write(struct profile *profile, const struct symbol_report *report);

#endif
