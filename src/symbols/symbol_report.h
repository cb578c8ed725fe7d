/* What was found of the modules of a profile. */
#ifndef SONDE_SYMBOLS_SYMBOL_REPORT_H
#define SONDE_SYMBOLS_SYMBOL_REPORT_H

#include "common/vec.h"
#include "profile/indices.h"
#include "symbols/request.h"

struct module_report {
    struct lib_index lib;
    size_t samples;             /* have a frame in it, of all threads */
    size_t addresses, answered; /* how many there are, and how many of them have a name now */
    struct symbol_outcome outcome;
};

struct symbol_report {
    VEC(struct module_report) modules; /* most samples first */
};

static inline void symbol_report_free(struct symbol_report *report)
{
    vec_free(&report->modules);
}

#endif
