/* Samples per address of native code: where in a function the processor was.
 *
 * Code of a function is where it was compiled to: in its own symbol, or, where it was inlined, in those of its callers.
 *
 *     stack       draw ▷ blend (inlined) ▷ mix (inlined)        three frames, one address: 0x1234 of the symbol draw
 *     of draw     0x1234 self and total      what was inlined into a function is code of it
 *     of blend    0x1234 self and total
 *     of mix      0x1234 self and total
 */
#ifndef SONDE_TREE_ADDRESS_TIMINGS_H
#define SONDE_TREE_ADDRESS_TIMINGS_H

#include "tree/weigh.h"

struct address_row {
    uint32_t native_symbol;
    uint64_t address; /* relative to the library; of a caller an address inside of its call instruction */
    double self, total;
};

struct address_timings {
    VEC(struct address_row) rows; /* ascending native symbols, then addresses */
    size_t without_symbol;        /* frames of the function whose symbol is not known, and which have no row */
};

/* All frames of one function: self where the sample ended at the address, total where it was anywhere on the stack (once,
 * however often). Addresses that come to nothing are left out. `timings` needs no initialisation. */
int address_timings_of_func(const struct view *view, const struct stack_weights *weights, uint32_t func,
                            struct address_timings *timings, struct error *error);

/* How much of a symbol's code is worth a look, from its start: all of it, and whatever was sampled behind its end, which is
 * code of it, whatever the symbol says. `rows` are those of the symbol, at least one. */
uint64_t address_timings_extent(const struct native_symbol *symbol, const struct address_row *rows, size_t count);

void address_timings_free(struct address_timings *timings);

#endif
