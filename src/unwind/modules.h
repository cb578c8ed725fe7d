/* The loaded modules (executable, shared libraries, vdso) and their unwind tables.
 *
 * One thread at a time refreshes; any thread reads, also in a signal handler. A refresh makes
 * a new list and publishes it with one store; tables of modules that stayed are shared with the old list. What is no longer
 * listed is freed only when no reader that could have seen it is left (unwind_modules_enter … leave).
 *
 * The tables are copied out of the modules through the kernel, so dlclose() at any moment cannot pull them away. Those of
 * modules that never go, such as all that a program begins with, stay where they are. What was loaded since the last refresh
 * can be found by whoever asks for it (found_module.h). */
#ifndef SONDE_UNWIND_MODULES_H
#define SONDE_UNWIND_MODULES_H

#include "unwind/module_list.h"

#include <stdbool.h>
#include <stdint.h>

struct unwind_modules;

/* NULL when there is no memory. All memory comes straight from mmap, or with the library. `all_stay`: the modules of the first
 * refresh can never be unloaded, because the program is just being loaded. `program` is the path of the program, as
 * /proc/self/exe tells it, and must stay; NULL: it is looked up there. */
struct unwind_modules *unwind_modules_create(bool all_stay, const char *program);
void unwind_modules_free(struct unwind_modules *modules);

/* Looks whether anything was loaded or unloaded, and if so publishes a new list and calls `changed` for each module that
 * came (`loaded` true) or went. Cheap when nothing changed. One thread at a time, and not in a signal handler. 0, or a negative
 * errno (the old list stays). */
int unwind_modules_refresh(struct unwind_modules *modules,
                           void (*changed)(void *data, const struct unwind_module *module, bool loaded), void *data);

/* How often modules have gone; starts at 1. Rules of code found under one generation are no longer to be trusted under the
 * next. Safe in a signal handler. To be read before unwind_modules_enter: then the list is at least as new. */
uint64_t unwind_modules_generation(const struct unwind_modules *modules);

/* A reader's section: the list stays whole until the matching leave. Safe in a signal handler; never waits. */
const struct unwind_module_list *unwind_modules_enter(const struct unwind_modules *modules);
void unwind_modules_leave(const struct unwind_modules *modules);

#endif
