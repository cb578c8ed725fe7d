/* DWARF 2 to 5: which functions an address is in, inlined ones included, and on which lines.
 *
 * Addresses are asked for in one sorted batch, so that each unit with an address in it is read once, front to back, and no
 * other unit is read at all. Units are independent of each other: several threads share the work. Nothing is indexed ahead.
 *
 * The sections stay in their files (mapped) and are never trusted: every offset is checked against its section, every chain of
 * references has a length limit, and what cannot be read costs the names of that unit, nothing else. */
#ifndef SONDE_SYMBOLS_DWARF_LOOKUP_H
#define SONDE_SYMBOLS_DWARF_LOOKUP_H

#include "common/error.h"
#include "symbols/dwarf/call.h"
#include "symbols/dwarf/input.h"

/* Called once for each address for which something is known, in ascending order, on the caller's thread. `calls` are innermost
 * first; the last one is the function that is not inlined. False ends the lookup. */
typedef bool dwarf_found(void *data, size_t address_index, const struct dwarf_call *calls, size_t count);

/* `addresses` are ascending, as in the file (not relative). 0, -ENOMEM, or -ECANCELED where `found` said so. Damaged units are
 * left out and counted in *damaged. */
int dwarf_lookup(const struct dwarf_sections *sections, const struct dwarf_files *files, const uint64_t *addresses,
                 size_t count, dwarf_found *found, void *data, size_t *damaged, struct error *error);

#endif
