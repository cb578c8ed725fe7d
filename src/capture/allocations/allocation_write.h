/* Writes down what libsonde-allocations has sampled: ALLOCATION and FREE entries, in the chunk that has the thread's markers.
 *
 * Anything may call malloc(): the dynamic linker with its locks held, signal handlers in the middle of a marker, threads that
 * are not registered yet or no more. So no lock is taken here that somebody may hold who waits for the linker or for this
 * thread. Where the thread's own chunk cannot be used the entry goes into one that is begun and nobody's. */
#ifndef SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_WRITE_H
#define SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_WRITE_H

#include "allocations/library.h"

extern const struct allocation_recorder allocation_recorder;

/* In a forked child. */
void allocation_write_forked(void);

#endif
