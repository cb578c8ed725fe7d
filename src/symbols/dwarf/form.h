/* The values of attributes: how they are stored, and how to get past them. What they refer to is for unit.h to say. */
#ifndef SONDE_SYMBOLS_DWARF_FORM_H
#define SONDE_SYMBOLS_DWARF_FORM_H

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/section.h"

/* What the size of some forms depends on: the same for all entries of a unit. */
struct dwarf_sizes {
    uint8_t version;
    uint8_t address; /* 4 or 8 */
    uint8_t offset;  /* 4 or 8 */
};

static inline bool dwarf_sizes_same(struct dwarf_sizes a, struct dwarf_sizes b)
{
    return a.version == b.version && a.address == b.address && a.offset == b.offset;
}

struct dwarf_value {
    uint16_t form;       /* 0 = the attribute is not there */
    uint64_t number;     /* the constant, address, offset, index or reference */
    const uint8_t *text; /* of a string that stands here; `number` is its length then */
};

/* The size of values of a form, or -1 where it is in the data. */
int dwarf_form_size(unsigned form, struct dwarf_sizes sizes);

/* False for forms that nobody has heard of: what stands behind them cannot be found. */
bool dwarf_form_known(unsigned form);

/* Reads a value, whatever its form; `constant` is that of the abbreviation. */
struct dwarf_value dwarf_form_read(struct byte_reader *cursor, unsigned form, int64_t constant, struct dwarf_sizes sizes);

/* Gets past a value whose size is in the data. */
void dwarf_form_skip(struct byte_reader *cursor, unsigned form, struct dwarf_sizes sizes);

#endif
