/* Whether a thread can be made where a thread stands, maybe in its signal handler. */
#ifndef SONDE_CAPTURE_THREAD_PLACE_H
#define SONDE_CAPTURE_THREAD_PLACE_H

#include "capture/raw_stack.h"

/* How it got there. */
enum thread_place {
    PLACE_CALLED,      /* the program has called us; but maybe in a handler of its own */
    PLACE_INTERRUPTED, /* by our signal … */
    PLACE_WAITS,       /* … and it waits in a system call */
};

/* To make one takes memory from the program's allocator and locks of the C library and the dynamic linker. So a function of
 * theirs that a signal interrupted, or that called what was interrupted, rules it out; but for those that begin every program,
 * and for the youngest where the thread waits: those that wait hold none of these. */
bool thread_place_is_free(const struct raw_stack *raw, enum thread_place place);

#endif
