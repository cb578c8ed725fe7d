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

#include "unwind/eh_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODULE_BUILD_ID_MAX = 32 };

struct unwind_module {
    uint64_t start, end; /* lowest PT_LOAD … end of the highest, as mapped */
    uint64_t bias;       /* mapped address − address in the file */
    uint32_t id;         /* never used again for another module of this process */
    const char *path;    /* "[vdso]" for the vdso */
    uint8_t build_id[MODULE_BUILD_ID_MAX];
    uint8_t build_id_length;        /* 0 = none */
    struct eh_frame_table eh_frame; /* ours alone; without an index where the module has no tables */
};

struct unwind_module_list {
    size_t count;
    const struct unwind_module *modules[]; /* sorted by start; they do not overlap */
};

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

/* The module that holds `address`, or NULL. */
const struct unwind_module *unwind_module_find(const struct unwind_module_list *list, uint64_t address);

/* Puts the module at its place in a list that nobody reads yet and that has room for it; false where it would overlap another.
 */
bool unwind_module_list_insert(struct unwind_module_list *list, const struct unwind_module *module);

/* Whether this very module, not only one at its addresses, stands in the list. */
bool unwind_module_list_has(const struct unwind_module_list *list, const struct unwind_module *module);

#endif
