/* What a thread says of itself, and lets its handler ask. Behind the table of sonde/api.h: sonde/sonde.h says where and when
 * each may be called. */
#ifndef SONDE_CAPTURE_MARKERS_LABELS_H
#define SONDE_CAPTURE_MARKERS_LABELS_H

#include "sonde/api.h"

uint32_t label_push(const char *label, const char *dynamic, const void *stack_address, sonde_category category, unsigned flags);
void label_pop(uint32_t depth);

/* From here to label_pop() the library works for itself, on a thread of the program that waits for it: CPU time is shown below
 * "(profiler start)", as that of the start of a process. `stack_address` is the caller's __builtin_frame_address(0). */
uint32_t label_push_own(const void *stack_address);

void thread_set_runtime(sonde_runtime_walk *walk, void *runtime);
void thread_set_event_delay(uint64_t (*delay_ns)(void *loop), void *loop);

#endif
