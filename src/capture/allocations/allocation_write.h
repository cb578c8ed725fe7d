/* Writes down what libsonde-allocations has sampled: ALLOCATION and FREE entries, in the chunk that has the thread's markers.
 */
#ifndef SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_WRITE_H
#define SONDE_CAPTURE_ALLOCATIONS_ALLOCATION_WRITE_H

#include "allocations/library.h"

extern const struct allocation_recorder allocation_recorder;

#endif
