/* One module (the executable, a shared library, the vdso) with its unwind tables, and a list of modules sorted by address. */
#ifndef SONDE_UNWIND_MODULE_LIST_H
#define SONDE_UNWIND_MODULE_LIST_H

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

/* The module that holds `address`, or NULL. */
const struct unwind_module *unwind_module_find(const struct unwind_module_list *list, uint64_t address);

/* Puts the module at its place in a list that nobody reads yet and that has capacity for it; false where it would overlap
 * another.
 */
bool unwind_module_list_insert(struct unwind_module_list *list, const struct unwind_module *module);

/* Whether this very module, not only one at its addresses, stands in the list. */
bool unwind_module_list_has(const struct unwind_module_list *list, const struct unwind_module *module);

#endif
