/* Call frame programs: what the instructions of a CIE and an FDE say about the frame at one address.
 *
 * The answer is a row: how the CFA (the stack pointer that the caller has after the call) is computed, and where each register
 * of the caller is. Most rows become a rule of 8 bytes (x86_64/rule.h); row_step.h applies the others as they are. */
#ifndef SONDE_UNWIND_CFA_PROGRAM_H
#define SONDE_UNWIND_CFA_PROGRAM_H

#include "unwind/eh_frame.h"
#include "unwind/registers.h"

enum register_place {
    PLACE_SAME,          /* the caller's register has the callee's value; also where nothing is said */
    PLACE_UNDEFINED,     /* it is lost */
    PLACE_AT,            /* *(cfa + operand) */
    PLACE_IS,            /* cfa + operand */
    PLACE_REGISTER,      /* the callee's register number `operand` */
    PLACE_AT_EXPRESSION, /* *(the value of the expression whose length stands at `operand` in the table) */
    PLACE_IS_EXPRESSION, /* the value of that expression */
};

/* Small, because the rows that a program remembers are kept on the stack of a signal handler. */
struct cfa_row {
    bool cfa_is_expression;
    bool return_signed; /* aarch64: the return address carries a signature */
    uint8_t cfa_register;
    uint8_t place[UNWIND_REGISTER_COUNT]; /* enum register_place */
    int32_t cfa_operand;                  /* added to the register; or where the expression's length stands in the table */
    int32_t operand[UNWIND_REGISTER_COUNT];
};

/* How deep remember_state may nest. Compilers nest once. */
enum { CFA_REMEMBERED_MAX = 4 };

/* Runs both programs up to `address`, which the description covers. False where an instruction is unknown, a number does not
 * fit, or the state to restore was not remembered: then nothing is known about the frame. */
bool cfa_program_run(const struct eh_frame_table *table, const struct frame_description *description, uint64_t address,
                     struct cfa_row *row);

#endif
