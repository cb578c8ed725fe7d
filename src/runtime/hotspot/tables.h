/* The layout of a HotSpot, read from the tables that the VM exports. */
#ifndef SONDE_RUNTIME_HOTSPOT_TABLES_H
#define SONDE_RUNTIME_HOTSPOT_TABLES_H

#include "runtime/hotspot/layout.h"

/* Reads the tables. `address_of` gives the addresses of exported variables, 0 = there is none. head.module_start and _end are
 * already filled in. False: this is no HotSpot, or its tables are not what they should be; head.is_known says whether it can be
 * walked. Not in a signal handler: takes a millisecond. */
bool hotspot_layout_make(struct hotspot_layout *layout, struct unwind_memory *memory,
                         uint64_t (*address_of)(void *data, const char *name), void *data);

#endif
