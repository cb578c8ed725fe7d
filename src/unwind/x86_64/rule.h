/* A rule: how to get from a frame to its caller, in 8 bytes.
 *
 * It is made from the unwind tables for one address (rule_make) and kept in the cache. Nearly all code needs one kind:
 *
 *     RULE_FRAME       cfa = register + offset
 *                      rbx = *(cfa − 8·n) for its n in `saved` if n ≠ 0, and so rbp, r12, r13, r14, r15
 *                      pc  = *(cfa − 8)
 *                      sp  = cfa
 *
 *     RULE_END         this is the outermost frame
 *     RULE_NONE        the tables say nothing: follow the frame pointer
 *     RULE_ROW         what does not fit the above: signal frames, a CFA that is read from memory, registers saved far away.
 *                      The tables are read again and applied in full (row_step.h)
 *     RULE_SIGNAL      code that returns from a signal handler and has no tables (as in musl):
 *                      all registers = those in the ucontext at sp
 *
 * The CFA can be relative to any register: rsp mostly, rbp where there is a frame pointer, r10 or r13 while a function realigns
 * its stack, rbx in _dl_runtime_resolve, rcx in functions that end an exception. */
#ifndef SONDE_UNWIND_X86_64_RULE_H
#define SONDE_UNWIND_X86_64_RULE_H

#include "unwind/cfa_program.h"
#include "unwind/memory.h"

enum rule_kind {
    RULE_NONE,
    RULE_END,
    RULE_ROW,
    RULE_SIGNAL,
    RULE_FRAME,
};

/* The order of the four bits in `saved`, lowest first. */
enum { RULE_SAVED_COUNT = 6 };
static const uint8_t rule_saved_registers[RULE_SAVED_COUNT] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12–r15 */

struct unwind_rule {
    uint32_t kind : 3;
    uint32_t cfa_register : 5;
    uint32_t saved : 4 * RULE_SAVED_COUNT;
    int32_t offset;
};
_Static_assert(sizeof(struct unwind_rule) == sizeof(uint64_t), "a rule is one word of the cache");

/* The shortest rule for a row at `address`, in code that `memory` can read. */
struct unwind_rule rule_make(const struct eh_frame_table *table, const struct frame_description *description,
                             const struct cfa_row *row, uint64_t address, const struct unwind_memory *memory);

/* For an address in a module whose tables do not mention it. The code itself is looked at, where `memory` can read it. */
struct unwind_rule rule_without_tables(uint64_t address, const struct unwind_memory *memory);

#endif
