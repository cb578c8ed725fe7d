/* A whole profile gets its symbols: each module that frames are in is asked for, the one with the most samples first, and all
 * answers are applied at once. Nothing is read from a module without frames. */
#ifndef SONDE_SYMBOLS_SYMBOLICATE_H
#define SONDE_SYMBOLS_SYMBOLICATE_H

#include "common/progress.h"
#include "profile/profile.h"
#include "symbols/request.h"
#include "symbols/symbol_report.h"

#include <stdatomic.h>

struct symbolication;

/* Who shows a profile meanwhile does not wait for the last module. */
struct symbolicate_step {
    struct symbolication *symbolication; /* to be updated (apply.h), whenever that suits */
    const struct symbol_report *report;  /* of which the first `done` modules have had their turn */
    size_t done, module;                 /* … `module` just now */
    bool is_last;                        /* nothing follows, and there was no module */
};

struct symbolicate_options {
    const struct symbol_search *search;
    bool mangled;            /* names of functions as they are in the file */
    uint32_t pid;            /* of the recorded process; 0 = unknown */
    const atomic_bool *stop; /* set by a signal: servers are not waited for any longer; NULL = never */
    /* Called after each module, and once at the end, when the answers and notes that the profile does not have yet go to it:
     * that is left to whoever is called. An error ends it all. NULL: the profile changes once, at the end. */
    int (*step)(void *context, const struct symbolicate_step *step, struct error *error);
    void *step_context;
    struct progress *progress; /* moves once per module and shows its name meanwhile; NULL = none */
};

/* `report` (zeroed before) may be NULL. The report is kept in the profile, too (see symbol_notes.h). 0 unless memory runs out;
 * the profile is then without symbols. */
int symbolicate_profile(struct profile *profile, const struct symbolicate_options *options, struct symbol_report *report,
                        struct error *error);

#endif
