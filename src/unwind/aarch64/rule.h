/* A rule: how to get from a frame to its caller, in 8 bytes.
 *
 * It is made from the unwind tables for one address (rule_make) and kept in the cache. Nearly all code needs one kind:
 *
 *     RULE_FRAME       cfa = register + 8·offset
 *                      x29 = *(cfa − 8·fp) if fp ≠ 0
 *                      x30 = *(cfa − 8·lr) if lr ≠ 0
 *                      pc  = x30, without its signature
 *                      sp  = cfa
 *                      x19–x28 are not known any more if others_saved
 *
 *     RULE_END         this is the outermost frame
 *     RULE_NONE        the tables say nothing: follow the frame pointer
 *     RULE_ROW         what does not fit the above: the tables are read again and applied in full (row_step.h)
 *     RULE_SIGNAL      code that returns from a signal handler, known by its two instructions, for it has no tables, or tables
 * that leave out the pc: all registers = those in the ucontext behind the siginfo at sp
 *
 * Compilers compute the CFA of this CPU from sp or x29 alone, so what else was saved need not be read. */
#ifndef SONDE_UNWIND_AARCH64_RULE_H
#define SONDE_UNWIND_AARCH64_RULE_H

#include "unwind/cfa_program.h"
#include "unwind/memory.h"

enum rule_kind {
    RULE_NONE,
    RULE_END,
    RULE_ROW,
    RULE_SIGNAL,
    RULE_FRAME,
};

enum {
    RULE_OFFSET_MAX = (1 << 19) - 1,
    RULE_WORDS_MAX = (1 << 18) - 1,
};

struct unwind_rule {
    uint64_t kind : 3;
    uint64_t cfa_register : 5;
    uint64_t others_saved : 1;
    uint64_t offset : 19;
    uint64_t fp : 18;
    uint64_t lr : 18;
};
_Static_assert(sizeof(struct unwind_rule) == sizeof(uint64_t), "a rule is one word of the cache");

/* The shortest rule for a row at `address`, in code that `memory` can read. */
struct unwind_rule rule_make(const struct eh_frame_table *table, const struct frame_description *description,
                             const struct cfa_row *row, uint64_t address, const struct unwind_memory *memory);

/* For an address in a module whose tables do not mention it. The code itself is looked at, where `memory` can read it. */
struct unwind_rule rule_without_tables(uint64_t address, const struct unwind_memory *memory);

#endif
