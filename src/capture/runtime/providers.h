/* The language runtimes that the process has in it: found by the names that their modules export, told to the session, and
 * asked for the frames of a thread whose stack is being taken. */
#ifndef SONDE_CAPTURE_RUNTIME_PROVIDERS_H
#define SONDE_CAPTURE_RUNTIME_PROVIDERS_H

#include "runtime/runtime.h"
#include "unwind/module_list.h"

/* A module has come, or has gone. Under the core lock; not in a handler: asks the dynamic linker. */
void providers_note_module(const struct unwind_module *module, bool loaded, uint64_t now_ns);

/* A session has begun: it is told of those that are known already. Under the core lock. */
void providers_begin(uint64_t features, uint64_t now_ns);

/* Adds the frames of all runtimes to a stack whose native frames are there. Safe in a signal handler. */
void providers_walk(struct runtime_walk *walk);

#endif
