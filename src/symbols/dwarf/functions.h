/* The functions that addresses of a unit are in, inlined ones included.
 *
 * Entries are walked front to back. One that has addresses asked for becomes a node, and is entered; others are passed over:
 *
 *     unit
 *     ├ subprogram main        1000..1080   asked: 1010, 1044     node 0
 *     │ ├ inlined draw_all     1008..1060                         node 1, parent 0
 *     │ │ └ inlined blend      1040..1050   only 1044             node 2, parent 1
 *     │ └ inlined report       1060..1070   nobody asked          -
 *     ├ subprogram unused      1080..1090   nobody asked          -
 *     └ class_type …                                              passed over
 *
 *     1010 ─▶ node 1 ─▶ node 0        1044 ─▶ node 2 ─▶ node 1 ─▶ node 0
 */
#ifndef SONDE_SYMBOLS_DWARF_FUNCTIONS_H
#define SONDE_SYMBOLS_DWARF_FUNCTIONS_H

#include "symbols/dwarf/unit.h"

enum { DWARF_NO_NODE = -1, DWARF_DEEPEST = 512 };

struct dwarf_node {
    uint64_t entry;                /* where it is in .debug_info */
    int32_t parent;                /* the function it is inlined into; DWARF_NO_NODE for one that is not inlined */
    uint32_t depth;                /* how many parents */
    uint64_t start;                /* where its code begins; 0 = unknown, or inlined */
    uint32_t call_file, call_line; /* where it was called */
    bool has_call_file;
    bool named;
    struct slice name, lambda; /* once they were looked for */
};

struct dwarf_functions {
    VEC(struct dwarf_node) nodes;
    VEC(int32_t) innermost; /* by address: its innermost node, or DWARF_NO_NODE */
    VEC(int32_t) levels;    /* while walking: the node around each level of entries */
    VEC(uint64_t) missing;  /* addresses that were not found where functions usually are */
    VEC(size_t) missing_indexes;
};

void dwarf_functions_free(struct dwarf_functions *functions);

/* `addresses` are ascending. 0, -ENOMEM, or -EINVAL where the unit is damaged; what was found before that stays. */
int dwarf_functions_find(struct dwarf_functions *functions, const struct dwarf_unit *unit, const uint64_t *addresses,
                         size_t count, struct dwarf_work *work);

#endif
