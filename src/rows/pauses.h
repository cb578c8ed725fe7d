/* When a process was not recorded in between: pauses of either kind, as its entries tell. */
#ifndef SONDE_ROWS_PAUSES_H
#define SONDE_ROWS_PAUSES_H

#include "common/vec.h"
#include "session/entry.h"

/* In order of time, and without overlap; a pause that is not over ends with UINT64_MAX. */
struct pause_range {
    uint64_t start, end;
};

struct pauses {
    VEC(struct pause_range) ranges;
    uint32_t depth; /* both kinds of pauses can be on at once */
};

/* ENTRY_PAUSE … ENTRY_RESUME_SAMPLING, in order. A zeroed struct has no pauses. False when out of memory. */
bool pauses_add(struct pauses *pauses, enum entry_kind kind, uint64_t time);

/* How much of [from, to) was paused. */
uint64_t pauses_between(const struct pauses *pauses, uint64_t from, uint64_t to);

void pauses_free(struct pauses *pauses);

#endif
