/* The layout of a HotSpot, read from the tables that the VM exports. */
#ifndef SONDE_RUNTIME_HOTSPOT_TABLES_H
#define SONDE_RUNTIME_HOTSPOT_TABLES_H

#include "runtime/hotspot/memory.h"

/* Reads the tables by `reader`, which needs no layout. `address_of` gives the addresses of exported variables, 0 = there is
 * none. head.module_start and _end are already filled in. False: this is no HotSpot, or its tables are not what they should be;
 * head.is_known says whether it can be walked. Not in a signal handler: takes some 100 microseconds, with reader->pages. */
bool hotspot_layout_make(struct hotspot_layout *layout, struct hotspot_reader *reader,
                         uint64_t (*address_of)(void *data, const char *name), void *data);

#endif
