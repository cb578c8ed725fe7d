/* The modules of a profile: how well their functions are known, how many samples that affects, and what would help. */
#ifndef SONDE_CLI_MODULES_H
#define SONDE_CLI_MODULES_H

#include "profile/module_facts.h"
#include "symbols/symbolicate.h"

struct module_row {
    struct lib_index lib;
    size_t samples; /* have a frame in it, of all threads */
    double share;   /* of all samples that have a stack */
    enum symbol_status status;
    struct slice detail; /* may be empty */
    bool is_noted;       /* it was looked for; otherwise the status is what its frames look like */
};

struct module_list {
    VEC(struct module_row) rows; /* those with frames, most samples first */
};

/* False when the heap is empty. */
bool module_list_collect(const struct profile *profile, struct module_list *list);
void module_list_free(struct module_list *list);

/* For people: "names only", "was rebuilt since the recording". */
const char *module_status_text(enum symbol_status status);

/* What to do about it, one line; empty where nothing is to be done. */
const char *module_advice(const struct profile *profile, const struct module_row *row);

#endif
