/* --during MARKER: the times at which a marker lasts. */
#ifndef SONDE_CLI_DURING_H
#define SONDE_CLI_DURING_H

#include "cli/threads.h"
#include "markers/marker.h"
#include "tree/marker_ranges.h"

/* Markers of that name, else those that a search for it finds; of the chosen threads, else of all: what one thread works on
 * may be said by another. `ranges` is empty before, and to be freed in any case. -ENOENT where there is none, or none with an
 * end. */
int during_find(const struct profile *profile, const struct thread_list *threads, const char *text, struct time_ranges *ranges,
                struct error *error);

bool during_touches(const struct time_ranges *ranges, const struct marker *marker);

#endif
