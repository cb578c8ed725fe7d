/* From raw markers to markers: starts and ends are joined, and some types are put together in ways of their own.
 *
 *     raw      name   phase          markers
 *      0       A      start            A  0…3
 *      1       B      moment     ──▶   B  1
 *      2       A      start            A  2…(end of the thread), incomplete
 *      3       A      end
 *
 * An end closes the last open start of its name; payload fields of the end win over those of the start. A start without an
 * end lasts until the end of the thread's range; an end without a start began with it. A time that should be there and is
 * not is that of the range, too.
 *
 *   - Network: the marker with STATUS_START opens a request by its id, any other status closes it.
 *   - CompositorScreenshot: lasts until the next one of the same window.
 *   - IPC: both sides of a message make a marker from when it was sent to when it was received (see ipc.h). */
#ifndef SONDE_MARKERS_DERIVE_H
#define SONDE_MARKERS_DERIVE_H

#include "markers/marker.h"

/* Adds the markers of a thread to `list`, whose `raw` is set, in the order in which they were complete. False when the heap is
 * empty. */
bool markers_derive(struct marker_list *list, const struct marker_catalog *catalog, struct thread_index thread,
                    struct time_span range);

#endif
