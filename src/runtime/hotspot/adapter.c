#include "runtime/hotspot/adapter.h"

#include "runtime/hotspot/leave.h"

#include <string.h>

#if defined(__x86_64__)

/* Where in an adapter, by what has been executed last of these. */
enum place {
    FROM_INTERPRETER, /* none: nothing leads there but the interpreter */
    LEAF,
    TELLING, /* the caller; the stack pointer is in r13 */
    MOVING,  /* arguments; the return address was popped */
};

static const struct {
    uint8_t bytes[8];
    uint8_t length, executed; /* how many bytes of it have to be before the pc */
    enum place place;
} marks[] = {
    {{0x41, 0xff, 0xe3}, 3, 3, LEAF},                            /* jmp *%r11, the end of i2c */
    {{0x4c, 0x8b, 0xec, 0x48, 0x8b, 0x04, 0x24}, 7, 3, TELLING}, /* mov %rsp, %r13; mov (%rsp), %rax */
    {{0x49, 0x8b, 0xe5}, 3, 3, LEAF},                            /* mov %r13, %rsp */
    {{0x58, 0x4c, 0x8b, 0xec}, 4, 1, MOVING},                    /* pop %rax; mov %rsp, %r13 */
    {{0x4c, 0x8d, 0x6c, 0x24, 0x08, 0x58}, 6, 6, MOVING},        /* lea 8(%rsp), %r13; pop %rax */
};

static bool mark_at(const uint8_t *code, size_t before, size_t length, enum place *place)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i].length <= length && marks[i].executed <= before && memcmp(code, marks[i].bytes, marks[i].length) == 0) {
            *place = marks[i].place;
            return true;
        }
    return false;
}

/* Backwards from the pc, in pieces that go over into each other by what a mark may be longer. */
static enum place find_place(struct hotspot_reader *reader, const struct hotspot_blob *blob, uint64_t pc)
{
    enum { PIECE = 64, MARK_MAX = 7, CODE_MAX = 4096 };
    uint8_t code[PIECE + MARK_MAX];
    enum place place = FROM_INTERPRETER;
    for (uint64_t end = pc; end > blob->code && pc - end < CODE_MAX;) {
        uint64_t length = end - blob->code < PIECE ? end - blob->code : PIECE, start = end - length;
        if (!hotspot_read(reader, start, code, length + MARK_MAX))
            break;
        for (uint64_t at = length; at-- > 0;)
            if (mark_at(code + at, pc - (start + at), length + MARK_MAX - at, &place))
                return place;
        end = start;
    }
    return FROM_INTERPRETER;
}

static enum unwind_end leave_to(struct hotspot_walk *walk, struct unwind_registers *registers, uint64_t pc, uint64_t sp)
{
    if (sp % 8 != 0 || sp < registers->value[UNWIND_SP] || sp - registers->value[UNWIND_SP] > FRAME_MAX ||
        !hotspot_is_caller(walk, pc, sp))
        return UNWIND_NO_RULE;
    return hotspot_leave(registers, pc, sp, registers->value[UNWIND_FP]);
}

/* The return address is the word at `at`, and nothing else is the adapter's. */
static enum unwind_end leave_at(struct hotspot_walk *walk, struct unwind_registers *registers, uint64_t at)
{
    uint64_t pc;
    return hotspot_read_word(walk, at, &pc) ? leave_to(walk, registers, pc, at + 8) : UNWIND_NO_RULE;
}

/* Arguments that are on the stack go through rax, once the return address is below them. */
static enum unwind_end leave_moving(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], rax = registers->value[RAX], callers = registers->value[R13], pc;
    bool is_set = callers % 8 == 0 && callers > sp && callers - sp < FRAME_MAX;
    if (is_set && leave_to(walk, registers, rax, callers) == UNWIND_GOES_ON)
        return UNWIND_GOES_ON;
    if (is_set && hotspot_read_word(walk, sp, &pc) && leave_to(walk, registers, pc, callers) == UNWIND_GOES_ON)
        return UNWIND_GOES_ON;
    return leave_to(walk, registers, rax, sp);
}

static enum unwind_end leave_place(struct hotspot_walk *walk, struct unwind_registers *registers, enum place place)
{
    uint64_t entry = registers->value[R13];
    switch (place) {
    case FROM_INTERPRETER:
        return leave_at(walk, registers, entry - 8);
    case LEAF:
        return leave_at(walk, registers, registers->value[UNWIND_SP]);
    case TELLING:
        return leave_at(walk, registers, entry);
    case MOVING:
        return leave_moving(walk, registers);
    }
    return UNWIND_NO_RULE;
}

enum unwind_end hotspot_step_adapter(struct hotspot_walk *walk, struct unwind_registers *registers,
                                     const struct hotspot_blob *blob, bool exact)
{
    uint64_t sp = registers->value[UNWIND_SP], entry = registers->value[R13];
    /* What calls the VM from there has put the stack pointer that it began with into r13, which functions keep. */
    if (!exact)
        return registers->known >> R13 & 1 && entry > sp ? leave_at(walk, registers, entry) : UNWIND_NO_RULE;
    enum place place = find_place(&walk->reader, blob, registers->value[UNWIND_PC]);
    if (leave_place(walk, registers, place) == UNWIND_GOES_ON)
        return UNWIND_GOES_ON;
    return leave_place(walk, registers, LEAF);
}

#endif
