/* The language runtimes that the process has in it: found by the names that their modules export, told to the session, and
 * asked for the frames of a thread whose stack is being taken. */
#ifndef SONDE_CAPTURE_RUNTIME_PROVIDERS_H
#define SONDE_CAPTURE_RUNTIME_PROVIDERS_H

#include "runtime/hotspot/frames.h"
#include "runtime/runtime.h"
#include "unwind/module_list.h"

/* A module has come, or has gone. Under the core lock; not in a handler: asks the dynamic linker. */
void providers_note_module(const struct unwind_module *module, bool loaded, uint64_t now_ns);

/* A session has begun: it is told of those that are known already. Under the core lock. */
void providers_begin(uint64_t features, uint64_t now_ns);

/* Names of methods are found out beside the program's threads: there is a runtime that has some. Under the core lock. */
bool providers_need_background(void);

/* Tells of methods that were met on stacks since: some of them, in the background thread, and at the end of a session the rest.
 * Under the core lock. */
void providers_loop(uint64_t now_ns);
void providers_end(void);

/* In a forked child. */
void providers_forked(void);

/* The hook (unwind.h) for a walk that begins now: it adds the frames of code that only its runtime knows how to leave. Safe in
 * a signal handler. */
struct unwind_hook providers_hook(struct hotspot_pass *pass, struct raw_stack *raw, struct unwind_memory *memory);

/* Adds the frames of all others to a stack whose native frames are there. Safe in a signal handler. */
void providers_walk(struct runtime_walk *walk);

/* The thread is at a place where it may lock and allocate: runtimes that have to be asked for what they know are asked, on
 * their own threads. By libsonde-preload; in other programs nobody asks, and the code that such a runtime makes has no names.
 */
void providers_ask(void);

#endif
