/* The modules of the program: who needs them to unwind, and that the session learns of each. */
#ifndef SONDE_CAPTURE_MODULE_WATCH_H
#define SONDE_CAPTURE_MODULE_WATCH_H

#include "capture/full.h"
#include "unwind/unwind.h"

/* A part of libsonde. */
extern const struct full_part module_watch;

/* Looks for them, unless that was done before. Under the core lock. */
void module_watch_begin(uint64_t now_ns);

/* The same, and libraries that came since then, if the dynamic linker can be asked. In a signal handler with its third
 * argument, else NULL. False: nothing is known yet. */
bool module_watch_expect(uint64_t now_ns, const void *context);

/* All that unwinding needs is fetched now (sandbox.h). Under the core lock. */
void module_watch_shut_in(void);

/* To unwind with; its `modules` are NULL while none are known. Safe in a signal handler. */
const struct unwind *module_watch_unwind(void);

#endif
