/* The modules of the program: that the session learns of each, and that stacks are unwound with them. */
#ifndef SONDE_CAPTURE_SAMPLER_MODULE_WATCH_H
#define SONDE_CAPTURE_SAMPLER_MODULE_WATCH_H

#include "capture/core/full.h"
#include "unwind/unwind.h"

/* A part of libsonde. */
extern const struct full_part module_watch;

/* Looks which came and went, and tells the session. Under the core lock; not in a handler: asks the dynamic linker. */
void module_watch_refresh(uint64_t now_ns);

/* In a forked child. */
void module_watch_forked(void);

/* To unwind with; its `modules` are NULL while none are known. Safe in a signal handler. */
const struct unwind *module_watch_unwind(void);

/* The native stack of the calling thread: capture_parts.walk (parts.h). */
void walk_stack(const struct registration *thread, struct unwind_registers *registers, struct raw_stack *raw);

#endif
