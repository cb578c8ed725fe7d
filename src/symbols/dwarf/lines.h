/* The lines of addresses: the program of a unit's line table, run once.
 *
 * A program makes rows of ascending addresses, in sequences (one a section) that are in any order. An address has the last row
 * at or before it in its sequence. Rows are not kept: each sequence is merged with the addresses asked for as it is made.
 *
 *     rows        1000 a.c:5      1008 a.c:6      1010 b.h:90      1020 end
 *     asked             1004                           1017
 *     answers           a.c:5                          b.h:90
 */
#ifndef SONDE_SYMBOLS_DWARF_LINES_H
#define SONDE_SYMBOLS_DWARF_LINES_H

#include "symbols/dwarf/line_files.h"

struct dwarf_row {
    uint64_t file;
    uint32_t line;
    bool known;
};

/* What each opcode that makes a row adds to it. */
struct dwarf_special {
    uint32_t address;
    int32_t line;
};

struct dwarf_lines {
    struct dwarf_line_files files;
    VEC(struct dwarf_row) rows; /* by address */
    struct dwarf_special specials[256];
};

void dwarf_lines_free(struct dwarf_lines *lines);

/* `addresses` are ascending. 0, -ENOMEM, or -EINVAL where the table is damaged; what was found before that stays. */
int dwarf_lines_find(struct dwarf_lines *lines, const struct dwarf_unit *unit, const uint64_t *addresses, size_t count,
                     struct dwarf_work *work);

#endif
