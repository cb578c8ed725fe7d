/* What a pprof profile of a profile counts: everything that it has, by stack. */
#ifndef SONDE_CLI_PPROF_COUNTS_H
#define SONDE_CLI_PPROF_COUNTS_H

#include "export/exporter.h"
#include "tree/weigh.h"

enum { PPROF_TYPES = 8 };

struct pprof_type_counted {
    enum strategy strategy;
    bool rows, blocks; /* counts them instead of what they weigh */
    double factor;     /* from ms, bytes or samples */
};

struct pprof_counted {
    struct pprof_counts counts; /* for export_pprof() */
    struct pprof_type_name names[PPROF_TYPES];
    struct pprof_type_counted types[PPROF_TYPES];
    char event[200]; /* of a profile that says itself what its samples are: a name and a unit */
    struct view whole;
};

/* `counted` needs no initialisation, must not move, and is to be freed unless this fails. */
int pprof_counted_init(struct pprof_counted *counted, const struct profile *profile, struct error *error);
void pprof_counted_free(struct pprof_counted *counted);

#endif
