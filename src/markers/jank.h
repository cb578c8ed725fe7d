/* Jank: times during which a thread did not get to its events, found in the samples' event delays. */
#ifndef SONDE_MARKERS_JANK_H
#define SONDE_MARKERS_JANK_H

#include "markers/marker.h"

/* The marker of an event that had waited for `delay` ms at `time`. All of them are alike but for their times. */
struct marker jank_marker(const struct marker_catalog *catalog, double time, double delay);

/* Adds a marker for every delay that grew to 50 ms or more, at the end of the list. False when the heap is empty. */
bool jank_find(struct marker_list *list, const struct marker_catalog *catalog, const struct thread *thread);

#endif
