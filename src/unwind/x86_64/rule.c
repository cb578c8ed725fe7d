#include "unwind/x86_64/rule.h"
#include "unwind/memory.h"

enum { WORD = 8, SAVED_MAX = 15 };

/* The tables of lazily bound PLT stubs, as all linkers write them; n is 11 where a stub is {jmp *; push; jmp} and 9 or 10
 * where an endbr64 or a bnd prefix comes with it:
 *
 *     breg7 (rsp) 8, breg16 (rip) 0, lit15, and, lit n, ge, lit3, shl, plus
 *
 * The pc is known here, so the answer is a plain frame: cfa = rsp + 8, and 8 more once the stub has pushed. */
static bool plt_offset(const struct eh_frame_table *table, const struct cfa_row *row, uint64_t pc, int32_t *offset)
{
    enum {
        BREG7 = 0x77,
        BREG16 = 0x80,
        LIT0 = 0x30,
        LIT3 = 0x33,
        LIT15 = 0x3f,
        AND = 0x1a,
        GE = 0x2a,
        SHL = 0x24,
        PLUS = 0x22
    };
    static const uint8_t pattern[] = {BREG7, 8, BREG16, 0, LIT15, AND, LIT0, GE, LIT3, SHL, PLUS};
    enum { THRESHOLD_AT = 6 };
    size_t at = (size_t)row->cfa_operand;
    struct byte_reader in = byte_reader_of(table->bytes + at, table->length - at);
    struct byte_reader expression = byte_reader_block(&in);
    if (byte_reader_left(&expression) != sizeof pattern)
        return false;
    for (size_t i = 0; i < sizeof pattern; i++)
        if (i != THRESHOLD_AT && expression.at[i] != pattern[i])
            return false;
    unsigned threshold = expression.at[THRESHOLD_AT] - (unsigned)LIT0;
    *offset = WORD + ((pc & 15) >= threshold ? WORD : 0);
    return threshold <= 15;
}

/* Registers whose values survive a call: only these are followed beyond the youngest frame. */
static int saved_slot(unsigned number)
{
    for (int i = 0; i < RULE_SAVED_COUNT; i++)
        if (rule_saved_registers[i] == number)
            return i;
    return -1;
}

struct unwind_rule rule_make(const struct eh_frame_table *table, const struct frame_description *description,
                             const struct cfa_row *row, uint64_t address, const struct unwind_memory *memory)
{
    (void)memory;
    static const struct unwind_rule by_row = {.kind = RULE_ROW};
    if (description->return_register != UNWIND_PC)
        return (struct unwind_rule){.kind = RULE_NONE};
    if (row->place[UNWIND_PC] == PLACE_UNDEFINED)
        return (struct unwind_rule){.kind = RULE_END};
    if (description->signal_frame)
        return by_row;

    struct unwind_rule rule = {
        .kind = RULE_FRAME, .cfa_register = (unsigned)row->cfa_register & 31, .offset = row->cfa_operand};
    if (row->cfa_is_expression) {
        int32_t offset;
        if (!plt_offset(table, row, address, &offset))
            return by_row;
        rule.cfa_register = UNWIND_SP;
        rule.offset = offset;
    }
    if (row->place[UNWIND_PC] != PLACE_AT || row->operand[UNWIND_PC] != -WORD)
        return by_row;
    uint32_t saved = 0;
    for (unsigned i = 0; i < UNWIND_PC; i++) {
        int32_t operand = row->operand[i];
        bool sp_is_cfa = i == UNWIND_SP && row->place[i] == PLACE_IS && operand == 0;
        if (row->place[i] == PLACE_SAME || sp_is_cfa)
            continue;
        int slot = saved_slot(i);
        if (slot < 0 || row->place[i] != PLACE_AT || operand > -WORD || operand < -WORD * SAVED_MAX || operand % WORD != 0)
            return by_row;
        saved |= (uint32_t)(-operand / WORD) << 4 * slot;
    }
    rule.saved = saved & 0xffffff;
    return rule;
}

/* mov $15, %rax; syscall: the system call that returns from a signal handler. */
struct unwind_rule rule_without_tables(uint64_t address, const struct unwind_memory *memory)
{
    static const uint8_t signal_return[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
    uint8_t code[1 + sizeof signal_return];
    if (unwind_memory_code(memory, code, address, sizeof code) < sizeof signal_return)
        return (struct unwind_rule){.kind = RULE_NONE};
    /* The address of a caller is one byte before the code it returns to. */
    bool found =
        memcmp(code, signal_return, sizeof signal_return) == 0 || memcmp(code + 1, signal_return, sizeof signal_return) == 0;
    return (struct unwind_rule){.kind = found ? RULE_SIGNAL : RULE_NONE};
}
