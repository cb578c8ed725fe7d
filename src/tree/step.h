/* One step from a view to the next: what filters and transforms have in common. Used inside src/tree/ only.
 *
 * A step is begun with a list of what it changes; everything it may need is allocated then, so that the passes over the stacks
 * cannot fail. Then it fills the changed arrays of `to` and, for each stack of `from`, `map`: the stack of `to` that its
 * samples move to, INDEX_NONE if they are dropped. */
#ifndef SONDE_TREE_STEP_H
#define SONDE_TREE_STEP_H

#include "tree/view.h"

enum step_changes {
    STEP_ROWS = 1,          /* stacks are removed: all arrays are new, `to->count` starts at 0 */
    STEP_PREFIX = 2,        /* stacks get other parents */
    STEP_FUNC = 4,          /* stacks get other funcs */
    STEP_MAP = 8,           /* samples move */
    STEP_SAMPLES_ONLY = 16, /* … but causes of markers do not */
    STEP_STATE = 32,        /* a number for each stack is needed on the way */
};

struct step {
    const struct view *from;
    struct view *to;
    unsigned changes;
    uint32_t *map;
    uint32_t *state;
};

int step_begin(struct step *step, const struct view *from, unsigned changes, struct view *to, struct error *error);

/* Puts the maps of `from` and of the step together. On failure `to` is empty. */
int step_end(struct step *step, struct error *error);

/* STEP_ROWS: takes a stack of `from` over as the next row; `prefix` is a row of `to`. */
static inline uint32_t step_keep(struct step *step, uint32_t stack, uint32_t prefix)
{
    struct view *to = step->to;
    const struct view *from = step->from;
    uint32_t row = to->count++;
    to->prefix[row] = prefix;
    to->frame[row] = from->frame[stack];
    to->func[row] = from->func[stack];
    to->pair[row] = from->pair[stack];
    return row;
}

/* What a table by stack says of the parent; `of_root` for roots. */
static inline uint32_t of_prefix(const struct view *view, const uint32_t *table, uint32_t stack, uint32_t of_root)
{
    uint32_t prefix = view->prefix[stack];
    return prefix == INDEX_NONE ? of_root : table[prefix];
}

#endif
