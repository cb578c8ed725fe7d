/* The name of a function, which is seldom where the function is: an inlined one refers to the abstract one, that to a
 * declaration in its class, and any of these can be in another unit (after link-time optimisation) or in another file (after
 * dwz).
 *
 *     inlined_subroutine ─ abstract_origin ─▶ subprogram ─ specification ─▶ subprogram in class_type: linkage_name, name
 */
#ifndef SONDE_SYMBOLS_DWARF_NAMES_H
#define SONDE_SYMBOLS_DWARF_NAMES_H

#include "symbols/dwarf/unit.h"

/* Other units that names were found in: some are kept open, as the next name is probably there, too. */
enum { DWARF_OPEN_UNITS = 32 };

struct dwarf_names {
    struct dwarf_unit others[DWARF_OPEN_UNITS];
};

/* A zeroed value is empty. */
void dwarf_names_free(struct dwarf_names *names);

/* The units of `file` are about to become others. */
void dwarf_names_forget(struct dwarf_names *names, const struct dwarf_file *file);

/* Where a plain name stands. The unit is that of the caller, or open until the next name is looked for. */
struct dwarf_place {
    const struct dwarf_unit *unit; /* NULL: it is a linkage name, or there is none */
    uint64_t entry;
};

/* The linkage name if there is one, else the plain name, else an empty text. 0 or -ENOMEM. */
int dwarf_names_find(struct dwarf_names *names, const struct dwarf_unit *unit, uint64_t entry, struct slice *name,
                     struct dwarf_place *at, struct dwarf_work *work);

#endif
