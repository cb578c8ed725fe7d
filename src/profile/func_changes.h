/* What became of a profile's funcs when symbols came: whoever remembers funcs (a selected node, a transform) goes on with
 * their successors. */
#ifndef SONDE_PROFILE_FUNC_CHANGES_H
#define SONDE_PROFILE_FUNC_CHANGES_H

#include "common/vec.h"

#include <stdint.h>

/* Func f of the profile before is the sequence funcs[start[f] .. start[f + 1]) after, outer first: a func whose addresses have
 * calls inlined into them is several now. Empty where nothing changed for it, and where its frames went different ways: it has
 * no one successor then and stays itself. */
struct func_changes {
    VEC(uint32_t) start; /* one more than there were funcs; empty = no changes at all */
    VEC(uint32_t) funcs;
    uint32_t count_after; /* so many funcs there are now */
};

/* A zeroed value has no changes. */
void func_changes_free(struct func_changes *changes);

struct func_sequence {
    const uint32_t *funcs;
    size_t count;
};

/* What stands for `*func` afterwards, one func at least; the sequence may point at `*func`, which changes then. Numbers behind
 * the funcs of the profile (which others reserve, one for each resource, say) stay behind them. */
struct func_sequence func_changes_of(const struct func_changes *changes, uint32_t *func);

#endif
