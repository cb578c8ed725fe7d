/* The label stack of a thread: what the program says it is doing.
 *
 * The thread pushes and pops; its own signal handler reads, so plain program order is enough for the handler, and a signal
 * fence keeps the compiler from reordering: a frame is filled in before `depth` counts it. */
#ifndef SONDE_CAPTURE_LABELS_H
#define SONDE_CAPTURE_LABELS_H

#include "sonde/api.h"

#include <stdatomic.h>
#include <stdint.h>

enum { LABEL_STACK_ROOM = 256 };

struct label_frame {
    const char *label;   /* static, never NULL */
    const char *dynamic; /* may be NULL; lives as long as the frame */
    const void *stack_address;
    sonde_category category;
    uint32_t flags; /* SONDE_LABEL_… */
};

struct label_stack {
    _Atomic uint32_t depth; /* may be above LABEL_STACK_ROOM: deeper labels are counted but not kept */
    struct label_frame frames[LABEL_STACK_ROOM];
};

#endif
