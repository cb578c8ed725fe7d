/* Stacks that are captured now and put into a marker later. They outlive sessions and threads. */
#ifndef SONDE_CAPTURE_MARKERS_BACKTRACES_H
#define SONDE_CAPTURE_MARKERS_BACKTRACES_H

#include "capture/markers/marker_stack.h"

/* Fills in *stack with what was captured and returns it; valid as long as the backtrace. */
const struct marker_stack *backtrace_stack(const sonde_backtrace *backtrace, struct marker_stack *stack);

#endif
