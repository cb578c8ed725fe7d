/* The order of the entries of a thread: by start; of those that start together the one that ends last comes first, because the
 * others are within it; else as in the file. */
#ifndef SONDE_TRACE_EVENT_SORT_H
#define SONDE_TRACE_EVENT_SORT_H

#include "trace/trace.h"

/* Traces are nearly in order, and such take one pass. False when the heap is empty; the events are as they were then. */
bool events_sort(struct trace_event *events, size_t count);

#endif
