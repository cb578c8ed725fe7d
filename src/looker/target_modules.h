/* The modules of another process, as its file `maps` tells them, and their unwind tables: what unwind_stack() needs to walk its
 * stacks.
 *
 * The kernel sends no notice when a process loads or unloads a module, and to read `maps` takes as long as some dozens of
 * looks. So `maps` is read again when a stack leads to an address in no module, and from time to time: soon after a change, and
 * ever more seldom while nothing changes. */
#ifndef SONDE_LOOKER_TARGET_MODULES_H
#define SONDE_LOOKER_TARGET_MODULES_H

#include "looker/image_cache.h"
#include "unwind/unwind.h"

struct target_modules;

typedef void target_modules_changed(void *data, const struct unwind_module *module, bool loaded);

/* NULL when there is no memory. Nothing is read before the first refresh. */
struct target_modules *target_modules_create(struct image_cache *cache);
void target_modules_free(struct target_modules *modules);

/* `changed` is called for each module that a refresh finds loaded or unloaded, and at once for the known ones. */
void target_modules_on_change(struct target_modules *modules, target_modules_changed *changed, void *data);

/* What unwind_stack() needs; valid until the next refresh. The cache of rules belongs to the modules. */
const struct unwind *target_modules_unwind(const struct target_modules *modules);

enum target_modules_reason {
    MODULES_BEFORE_LOOK, /* read if they never were, or not for a while */
    MODULES_MISSED,      /* an address was in no module: read, unless that was in vain a short while ago */
    MODULES_TOLD,        /* the caller knows of a change: read */
};

/* Reads what process `pid` has mapped, by the id of any of its threads that is alive, if there is a reason to. True: it is
 * another list than before. Where it cannot be read the old list stays. */
bool target_modules_refresh(struct target_modules *modules, pid_t pid, uint64_t now_ns, enum target_modules_reason reason);

#endif
