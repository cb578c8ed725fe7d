/* The abbreviations of a unit: what its entries are made of.
 *
 * Nearly all entries (types, variables, parameters) are met only to get past them. So each abbreviation is prepared once for
 * that: how many bytes its values take, in one number where all of them have fixed sizes, as nearly always:
 *
 *     entry     code | name strp | file data1 | line data1 | type ref4 | location exprloc | external flag
 *     prepared         fixed: 10 bytes .............................. | step: exprloc, then 1 byte
 */
#ifndef SONDE_SYMBOLS_DWARF_ABBREV_H
#define SONDE_SYMBOLS_DWARF_ABBREV_H

#include "common/vec.h"
#include "symbols/dwarf/form.h"
#include "symbols/dwarf/work.h"

/* What an entry means for the search for functions. */
enum dwarf_scope {
    SCOPE_OTHER,
    SCOPE_OPEN, /* holds functions: a unit, a namespace */
    SCOPE_BLOCK,
    SCOPE_FUNCTION,
    SCOPE_INLINED,
};

struct dwarf_attribute {
    uint16_t name, form;
    int64_t constant; /* of FORM_implicit_const */
};

/* A value whose size is in the data, and how many bytes of fixed size follow it. */
struct dwarf_step {
    uint16_t form;
    uint32_t fixed;
};

struct dwarf_abbrev {
    uint64_t code;
    uint32_t fixed; /* bytes before the first step */
    uint32_t first_step, step_count;
    uint32_t first_attribute, attribute_count;
    uint16_t tag;
    uint8_t scope; /* enum dwarf_scope */
    bool has_children;
    bool has_code;         /* may name addresses */
    bool unreadable;       /* has a form nobody knows */
    uint8_t sibling_form;  /* where the next sibling is, for entries with children; 0 = nobody says */
    uint32_t sibling_back; /* how many bytes before the end of the entry that stands */
};

struct dwarf_abbrevs {
    VEC(struct dwarf_abbrev) items; /* codes 1, 2, 3 … first, then all others by code */
    VEC(struct dwarf_attribute) attributes;
    VEC(struct dwarf_step) steps;
    size_t dense; /* how many are at index code - 1 */
    struct dwarf_sizes sizes;
    uint64_t offset; /* in the section, of the table that is prepared here */
    const char *section;
    bool complete;
};

/* A zeroed value is empty. */
void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs);

/* Prepares the table at `offset`; nothing to do where it is prepared already. With `only` != 0 it ends with that code: all that
 * is needed for the first entry of a unit. 0, -ENOMEM, or -EINVAL where the table is damaged. */
int dwarf_abbrevs_read(struct dwarf_abbrevs *abbrevs, struct slice section, uint64_t offset, struct dwarf_sizes sizes,
                       uint64_t only, struct dwarf_work *work);

/* For codes that are not dense. */
const struct dwarf_abbrev *dwarf_abbrevs_search(const struct dwarf_abbrevs *abbrevs, uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrevs_find(const struct dwarf_abbrevs *abbrevs, uint64_t code)
{
    return code - 1 < abbrevs->dense ? &abbrevs->items.items[code - 1] : dwarf_abbrevs_search(abbrevs, code);
}

/* `i` must be below the entry's attribute_count. */
static inline const struct dwarf_attribute *dwarf_abbrev_attribute(const struct dwarf_abbrevs *abbrevs,
                                                                   const struct dwarf_abbrev *abbrev, uint32_t i)
{
    return &abbrevs->attributes.items[abbrev->first_attribute + i];
}

void dwarf_abbrev_skip_steps(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev,
                             struct byte_reader *cursor);

/* Gets past the values of an entry. */
static inline void dwarf_abbrev_skip(const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev,
                                     struct byte_reader *cursor)
{
    byte_reader_take(cursor, abbrev->fixed);
    if (abbrev->step_count > 0)
        dwarf_abbrev_skip_steps(abbrevs, abbrev, cursor);
}

#endif
