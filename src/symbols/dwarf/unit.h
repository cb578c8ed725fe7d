/* Units: where each begins and ends, and what its first entry says of all others.
 *
 *     file ─▶ heads of all its units (nothing else of them is read)
 *               └▶ unit: abbreviations, and the bases that indices in its entries count from
 */
#ifndef SONDE_SYMBOLS_DWARF_UNIT_H
#define SONDE_SYMBOLS_DWARF_UNIT_H

#include "symbols/dwarf/abbrev.h"
#include "symbols/dwarf/input.h"

struct dwarf_unit_head {
    uint64_t offset, end; /* in .debug_info */
    uint64_t abbrev_offset;
    uint64_t id; /* of a skeleton and of its split unit, where the head has it (version 5) */
    struct dwarf_sizes sizes;
    uint8_t type;        /* enum dwarf_unit_type */
    uint8_t first_entry; /* from `offset` on */
};

/* One file's sections and its units in the order of the file. */
struct dwarf_file {
    struct dwarf_sections sections;
    const struct dwarf_file *alternate; /* or NULL */
    VEC(struct dwarf_unit_head) units;
    size_t damaged; /* heads that make no sense */
};

/* Fills `units`. 0 or -ENOMEM. */
int dwarf_file_read(struct dwarf_file *file);
void dwarf_file_free(struct dwarf_file *file);

/* The unit that an offset in .debug_info is in, or NULL. */
const struct dwarf_unit_head *dwarf_file_unit_at(const struct dwarf_file *file, uint64_t offset);

/* A unit whose entries can be read. */
struct dwarf_unit {
    const struct dwarf_file *file; /* NULL = closed */
    struct dwarf_unit_head head;
    struct dwarf_abbrevs abbrevs;

    uint16_t tag;
    bool has_children;
    struct dwarf_value low_pc, high_pc, ranges;
    uint64_t base_address; /* what ranges count from: low_pc, or 0 */
    bool has_lines;
    uint64_t line_offset;
    struct slice comp_dir;
    struct slice dwo_name; /* of the file that has the entries; empty = they are here */
    uint64_t dwo_id;
    uint64_t addr_base, str_offsets_base, rnglists_base;
    uint64_t ranges_base;     /* what offsets in AT_ranges count from */
    uint64_t dwo_ranges_base; /* … in the split unit, before version 5 */
};

enum dwarf_depth { DWARF_FIRST_ENTRY, DWARF_ALL_ENTRIES };

/* Reads the first entry, and the abbreviations that it needs, or all. `unit` is zeroed, or another one of which the memory is
 * used again. 0, -ENOMEM or -EINVAL. */
int dwarf_unit_open(struct dwarf_unit *unit, const struct dwarf_file *file, const struct dwarf_unit_head *head,
                    enum dwarf_depth depth, struct dwarf_work *work);
void dwarf_unit_free(struct dwarf_unit *unit);

/* An entry of the unit, by where it stands in .debug_info: its abbreviation, and the cursor at its values. NULL where there is
 * none, or it cannot be read. */
const struct dwarf_abbrev *dwarf_unit_entry(const struct dwarf_unit *unit, uint64_t offset, struct byte_reader *values);

/* What values mean in a unit. Texts are empty where they cannot be found; an address is then false. */
struct slice dwarf_unit_text(const struct dwarf_unit *unit, struct dwarf_value value);
bool dwarf_unit_address(const struct dwarf_unit *unit, struct dwarf_value value, uint64_t *address);
bool dwarf_unit_indexed_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *address);

/* The file and the offset in its .debug_info that a value refers to. */
bool dwarf_unit_reference(const struct dwarf_unit *unit, struct dwarf_value value, const struct dwarf_file **file,
                          uint64_t *offset);

#endif
