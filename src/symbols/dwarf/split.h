/* Split DWARF: the program has only skeletons of units, with their addresses and lines; the entries are in .dwo files that the
 * linker never saw, or in a .dwp that all of them were packed into.
 *
 *     program   skeleton: dwo_name, dwo_id ─┬▶ scene.dwo    unit with this id
 *               .debug_addr, .debug_line    └▶ program.dwp  cu_index: id ─▶ which part of each section
 */
#ifndef SONDE_SYMBOLS_DWARF_SPLIT_H
#define SONDE_SYMBOLS_DWARF_SPLIT_H

#include "symbols/dwarf/unit.h"

struct dwarf_split {
    struct dwarf_file file;
    struct dwarf_unit unit;
    struct dwarf_work work; /* of its own: these sections are not counted with the program's */
};

/* A zeroed value is empty. */
void dwarf_split_free(struct dwarf_split *split);

/* `sections` are those of the skeleton's .dwo or .dwp. Opens the unit with the skeleton's id in `split->unit`. 0, -ENOMEM, or
 * -EINVAL where it is not there or damaged. */
int dwarf_split_open(struct dwarf_split *split, const struct dwarf_unit *skeleton, const struct dwarf_sections *sections);

/* Narrows the sections of a .dwp to what belongs to one unit. False where it has no such unit. */
bool dwarf_split_narrow(struct dwarf_sections *sections, uint64_t id);

#endif
