/* What folded stacks count by a strategy, for export_folded(). */
#ifndef SONDE_CLI_FOLDED_WEIGHTS_H
#define SONDE_CLI_FOLDED_WEIGHTS_H

#include "export/exporter.h"
#include "tree/strategy.h"
#include "tree/view.h"

struct folded_counted {
    struct folded_weights weights; /* for export_folded() */
    enum strategy strategy;
    struct view whole;
};

/* `counted` needs no initialisation, must not move, and is to be freed unless this fails. */
int folded_counted_init(struct folded_counted *counted, const struct profile *profile, enum strategy strategy,
                        struct error *error);
void folded_counted_free(struct folded_counted *counted);

#endif
