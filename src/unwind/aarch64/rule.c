#include "unwind/aarch64/rule.h"
#include "unwind/memory.h"

enum { WORD = 8, FIRST_SAVED = 19, LAST_SAVED = 28 };

/* How many words below the CFA a register is: 0 where it was not saved, −1 where that does not fit a rule. */
static int words_below(const struct cfa_row *row, unsigned number)
{
    int32_t operand = row->operand[number];
    if (row->place[number] == PLACE_SAME)
        return 0;
    if (row->place[number] != PLACE_AT || operand > -WORD || operand < -WORD * RULE_WORDS_MAX || operand % WORD != 0)
        return -1;
    return -operand / WORD;
}

struct unwind_rule rule_make(const struct eh_frame_table *table, const struct frame_description *description,
                             const struct cfa_row *row, uint64_t address)
{
    static const struct unwind_rule by_row = {.kind = RULE_ROW};
    (void)table;
    if (description->return_register != UNWIND_LR)
        return (struct unwind_rule){.kind = RULE_NONE};
    if (row->place[UNWIND_LR] == PLACE_UNDEFINED)
        return (struct unwind_rule){.kind = RULE_END};
    if (description->signal_frame) {
        struct unwind_rule rule = rule_without_tables(address);
        return rule.kind == RULE_SIGNAL ? rule : by_row;
    }
    int fp = words_below(row, UNWIND_FP), lr = words_below(row, UNWIND_LR);
    if (row->cfa_is_expression || row->cfa_operand < 0 || row->cfa_operand % WORD != 0 ||
        row->cfa_operand / WORD > RULE_OFFSET_MAX || fp < 0 || lr < 0 || row->place[UNWIND_SP] != PLACE_SAME ||
        row->place[UNWIND_PC] != PLACE_SAME)
        return by_row;
    bool others_saved = false;
    for (unsigned i = 0; i < UNWIND_FP; i++) {
        if (row->place[i] == PLACE_SAME)
            continue;
        if (row->place[i] != PLACE_AT || i < FIRST_SAVED || i > LAST_SAVED)
            return by_row;
        others_saved = true;
    }
    return (struct unwind_rule){
        .kind = RULE_FRAME,
        .cfa_register = (unsigned)row->cfa_register & 31,
        .others_saved = others_saved,
        .offset = (unsigned)(row->cfa_operand / WORD) & RULE_OFFSET_MAX,
        .fp = (unsigned)fp & RULE_WORDS_MAX,
        .lr = (unsigned)lr & RULE_WORDS_MAX,
    };
}

/* mov x8, #139; svc #0: the system call that returns from a signal handler. */
struct unwind_rule rule_without_tables(uint64_t address)
{
    static const uint32_t signal_return[] = {0xd2801168, 0xd4000001};
    uint32_t code[2];
    /* The address of a caller is one byte before the code it returns to. */
    uint64_t start = (address + 1) & ~(uint64_t)3;
    size_t length = unwind_memory_copy(code, start, sizeof code);
    /* Interrupted between the two. */
    if (length >= sizeof *code && code[0] == signal_return[1])
        length = unwind_memory_copy(code, start - sizeof *code, sizeof code);
    bool found = length == sizeof code && memcmp(code, signal_return, sizeof code) == 0;
    return (struct unwind_rule){.kind = found ? RULE_SIGNAL : RULE_NONE};
}
