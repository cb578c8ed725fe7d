/* /proc/kallsyms: "ADDRESS TYPE NAME", and a tab and "[MODULE]" where a symbol is not of the kernel itself. */
#ifndef SONDE_SYMBOLS_KALLSYMS_H
#define SONDE_SYMBOLS_KALLSYMS_H

#include "common/error.h"
#include "common/slice.h"

#include <stdint.h>

struct kernel_symbol {
    uint64_t start;
    struct slice name;   /* empty = no function is known to be there */
    struct slice module; /* in brackets; empty = the kernel itself */
};

/* Where the kernel itself begins (_text); 0 where it hides its addresses or does not say. */
uint64_t kallsyms_base(struct slice text);

/* What each of the ascending addresses is in: the last symbol before it, if that is a function. The texts are pieces of `text`,
 * whose lines may be in any order. */
void kallsyms_find(struct slice text, const uint64_t *addresses, size_t count, struct kernel_symbol *found);

#endif
