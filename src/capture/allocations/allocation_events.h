/* Writes down every allocation and every free, in a few bytes each (session/entry.h):
 *
 *     CALLER  CALL_PATH 0  ALLOCATED 0 …  FREED …  ALLOCATED 0 …  CALL_PATH 1  ALLOCATED 1 …         in the thread's chunk
 *
 * Stacks that were met since the last CALLER have a number, by their return addresses. Where the thread has another chunk,
 * where the table of these stacks is full, or where time seems to go back (a signal handler came in between) there is a new
 * CALLER, and the numbers begin anew. */
#ifndef SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_EVENTS_H
#define SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_EVENTS_H

#include "capture/core/core.h"

#include <stdint.h>

void events_allocated(uint64_t address, uint64_t size);
void events_freed(uint64_t address, uint64_t time);

/* The session ends: what threads have counted and not said yet. */
void events_count(const struct core_locked *locked);

#endif
