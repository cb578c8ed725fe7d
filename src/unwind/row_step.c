#include "unwind/row_step.h"

#include "unwind/cfa_expression.h"
#include "unwind/step.h"

struct row_application {
    const struct eh_frame_table *table;
    const struct unwind_registers *callee;
    struct unwind_memory *memory;
    uint64_t cfa;
};

static enum unwind_end evaluate(struct row_application *apply, int32_t operand, const uint64_t *first, uint64_t *result)
{
    /* cfa_program_run has seen the whole expression at this place. */
    size_t at = (size_t)operand;
    struct byte_reader in = byte_reader_of(apply->table->bytes + at, apply->table->length - at);
    return cfa_expression_evaluate(byte_reader_block(&in), apply->callee, apply->memory, first, result);
}

static enum unwind_end callee_register(const struct row_application *apply, unsigned number, uint64_t *value)
{
    if (number >= UNWIND_REGISTER_COUNT || !(apply->callee->known >> number & 1))
        return UNWIND_NO_REGISTER;
    *value = apply->callee->value[number];
    return UNWIND_GOES_ON;
}

static enum unwind_end caller_register(struct row_application *apply, enum register_place place, int32_t operand,
                                       unsigned number, uint64_t *value)
{
    enum unwind_end end = UNWIND_GOES_ON;
    uint64_t address = 0;
    switch (place) {
    case PLACE_SAME:
        return callee_register(apply, number, value);
    case PLACE_UNDEFINED:
        return UNWIND_NO_REGISTER;
    case PLACE_REGISTER:
        return callee_register(apply, (unsigned)operand, value);
    case PLACE_IS:
        *value = apply->cfa + (uint64_t)operand;
        return UNWIND_GOES_ON;
    case PLACE_IS_EXPRESSION:
        return evaluate(apply, operand, &apply->cfa, value);
    case PLACE_AT:
        address = apply->cfa + (uint64_t)operand;
        break;
    case PLACE_AT_EXPRESSION:
        end = evaluate(apply, operand, &apply->cfa, &address);
        break;
    }
    if (end != UNWIND_GOES_ON)
        return end;
    return unwind_memory_read(apply->memory, address, value) ? UNWIND_GOES_ON : UNWIND_UNREADABLE;
}

enum unwind_end row_step(const struct eh_frame_table *table, const struct frame_description *description,
                         const struct cfa_row *row, bool youngest, struct unwind_registers *registers,
                         struct unwind_memory *memory)
{
    struct row_application apply = {table, registers, memory, 0};
    struct unwind_registers caller = {.known = 0};
    enum unwind_end end;
    if (description->return_register >= UNWIND_REGISTER_COUNT)
        return UNWIND_NO_RULE;
    unsigned return_register = (unsigned)description->return_register;
    if (row->place[return_register] == PLACE_UNDEFINED)
        return UNWIND_COMPLETE;

    if (row->cfa_is_expression) {
        end = evaluate(&apply, row->cfa_operand, NULL, &apply.cfa);
    } else {
        end = callee_register(&apply, row->cfa_register, &apply.cfa);
        apply.cfa += (uint64_t)row->cfa_operand;
    }
    if (end != UNWIND_GOES_ON)
        return end;
    /* Callers lie above their callees; only before a function has taken stack, or after it has given it back, is there nothing
     * between the two. But what a signal interrupted may have stood on another stack; and code that is about to
     * jump to another stack (longjmp, setcontext) says of the stack pointer, too, where it is. */
    uint64_t sp = registers->value[UNWIND_SP];
    bool elsewhere = description->signal_frame || (youngest && row->place[UNWIND_SP] != PLACE_SAME);
    if (!elsewhere && (apply.cfa < sp || (apply.cfa == sp && !youngest)))
        return UNWIND_NO_PROGRESS;

    for (unsigned i = 0; i < UNWIND_REGISTER_COUNT; i++) {
        enum register_place place = row->place[i];
        if (place == PLACE_SAME && i == UNWIND_SP)
            place = PLACE_IS; /* the CFA: the operand is 0 */
        /* A register that calls destroy has another value in the caller, unless the row knows better. */
        if (place == PLACE_SAME && !description->signal_frame && i != return_register && !(STEP_KEPT_BY_CALLS >> i & 1))
            continue;
        end = caller_register(&apply, place, row->operand[i], i, &caller.value[i]);
        if (end == UNWIND_GOES_ON)
            caller.known |= (uint64_t)1 << i;
        else if (i == return_register || i == UNWIND_SP)
            return end;
    }
    step_finish_row(&caller, return_register, description->signal_frame);
    *registers = caller;
    return UNWIND_GOES_ON;
}
