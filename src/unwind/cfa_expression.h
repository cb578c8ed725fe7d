/* DWARF expressions, as call frame programs use them: small programs for a stack of numbers, which compute an address from
 * registers and memory. They occur in the tables of signal handlers' return code, of PLT stubs and of functions that realign
 * the stack. */
#ifndef SONDE_UNWIND_CFA_EXPRESSION_H
#define SONDE_UNWIND_CFA_EXPRESSION_H

#include "common/byte_reader.h"
#include "unwind/end.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

enum {
    EXPRESSION_STACK_MAX = 16,
    EXPRESSION_STEPS_MAX = 256, /* an expression can jump backwards */
};

/* Evaluates `program`; the stack starts with `*first` unless that is NULL. UNWIND_GOES_ON and a result, or why there is none:
 * UNWIND_NO_RULE for an expression that is wrong or unknown, UNWIND_UNREADABLE, UNWIND_NO_REGISTER. */
enum unwind_end cfa_expression_evaluate(struct byte_reader program, const struct unwind_registers *registers,
                                        struct unwind_memory *memory, const uint64_t *first, uint64_t *result);

#endif
