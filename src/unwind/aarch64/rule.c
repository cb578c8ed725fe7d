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
                             const struct cfa_row *row, uint64_t address, const struct unwind_memory *memory)
{
    static const struct unwind_rule by_row = {.kind = RULE_ROW};
    (void)table;
    if (description->return_register != UNWIND_LR)
        return (struct unwind_rule){.kind = RULE_NONE};
    if (row->place[UNWIND_LR] == PLACE_UNDEFINED)
        return (struct unwind_rule){.kind = RULE_END};
    if (description->signal_frame) {
        struct unwind_rule rule = rule_without_tables(address, memory);
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

/* The stubs of the PLT, for which linkers make no tables here:
 *
 *     [bti c]; adrp x16, …; ldr x17, [x16, …]; add x16, x16, …; br x17
 *
 * x30 is the return address in each of them. The first stub, which the others lead to as long as their function is not bound,
 * does the same behind `stp x16, x30, [sp, #-16]!`. */
enum stub_part { STUB_BTI, STUB_ADRP, STUB_LDR, STUB_ADD, STUB_BR, STUB_PARTS };

static bool is_part(uint32_t code, enum stub_part part)
{
    static const struct {
        uint32_t mask, value;
    } parts[STUB_PARTS] = {
        [STUB_BTI] = {0xffffffff, 0xd503245f}, [STUB_ADRP] = {0x9f00001f, 0x90000010}, [STUB_LDR] = {0xffc003ff, 0xf9400211},
        [STUB_ADD] = {0xffc003ff, 0x91000210}, [STUB_BR] = {0xffffffff, 0xd61f0220},
    };
    return (code & parts[part].mask) == parts[part].value;
}

static struct unwind_rule rule_of_stub(uint64_t address, const struct unwind_memory *memory)
{
    const struct unwind_rule none = {.kind = RULE_NONE};
    static const uint32_t push = 0xa9bf7bf0;
    uint32_t code[STUB_PARTS + 1], before;
    size_t count = unwind_memory_code(memory, code, address, sizeof code) / sizeof *code, at = 0;
    if (count == 0)
        return none;
    bool at_push = code[0] == push;
    at += at_push;
    unsigned first = at_push ? STUB_ADRP : STUB_BTI;
    while (first < STUB_PARTS && at < count && !is_part(code[at], first))
        first++;
    for (unsigned part = first; part < STUB_PARTS; part++, at++)
        if (at >= count || !is_part(code[at], part))
            return none;
    if (first == STUB_PARTS)
        return none;
    uint64_t adrp = first == STUB_BTI ? address + 4 : address - 4 * (first - STUB_ADRP);
    bool pushed = !at_push && first != STUB_BTI &&
                  unwind_memory_code(memory, &before, adrp - 4, sizeof before) == sizeof before && before == push;
    return (struct unwind_rule){.kind = RULE_FRAME, .cfa_register = UNWIND_SP, .offset = pushed ? 2 : 0};
}

/* mov x8, #139; svc #0: the system call that returns from a signal handler. */
struct unwind_rule rule_without_tables(uint64_t address, const struct unwind_memory *memory)
{
    static const uint32_t signal_return[] = {0xd2801168, 0xd4000001};
    static const struct unwind_rule none = {.kind = RULE_NONE};
    uint32_t code[2];
    /* The address of a caller is one byte before the code it returns to. */
    uint64_t start = (address + 1) & ~(uint64_t)3;
    size_t length = unwind_memory_code(memory, code, start, sizeof code);
    /* Interrupted between the two. */
    if (length >= sizeof *code && code[0] == signal_return[1])
        length = unwind_memory_code(memory, code, start - sizeof *code, sizeof code);
    bool found = length == sizeof code && memcmp(code, signal_return, sizeof code) == 0;
    return found                         ? (struct unwind_rule){.kind = RULE_SIGNAL}
           : address % sizeof *code == 0 ? rule_of_stub(address, memory)
                                         : none;
}
