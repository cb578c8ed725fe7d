#include "runtime/hotspot/interpreter.h"

#include "runtime/hotspot/instructions.h"
#include "runtime/hotspot/leave.h"

#if defined(__x86_64__)

/* Words of an interpreter's frame, from rbp on. */
enum { CALLERS_SP = -1, METHOD = -3, BYTECODE = -8 };

static int32_t bci_of(const struct hotspot_known_method *method, uint64_t bytecode)
{
    uint64_t start = atomic_load_explicit(&method->bytecodes, memory_order_acquire);
    uint32_t size = atomic_load_explicit(&method->size, memory_order_relaxed);
    return bytecode >= start && bytecode - start < size ? (int32_t)(bytecode - start) : HOTSPOT_NO_BCI;
}

/* A native method has no bytecodes: the interpreter only calls it. */
static enum frame_tier interpreted_tier(const struct hotspot_known_method *method)
{
    return atomic_load_explicit(&method->size, memory_order_relaxed) > 0 ? TIER_INTERPRETER : TIER_NONE;
}

/* What was interrupted has the bytecode in r13, and writes it down before it calls. */
static int32_t find_bci(struct hotspot_walk *walk, const struct hotspot_known_method *method, uint64_t address, uint64_t saved,
                        const struct unwind_registers *registers, bool exact)
{
    int32_t bci = exact ? bci_of(method, registers->value[R13]) : HOTSPOT_NO_BCI;
    if (bci == HOTSPOT_NO_BCI)
        bci = bci_of(method, saved);
    if (bci != HOTSPOT_NO_BCI || saved == 0) /* 0: a native method */
        return bci;
    /* Another method may be where this one was. */
    method = hotspot_method_meet(&walk->reader, walk->methods, address, walk->time, true);
    return method ? bci_of(method, saved) : HOTSPOT_NO_BCI;
}

/* Whether the pc may be in the code by which a method is entered. */
static const struct hotspot_known_method *entered_method(struct hotspot_walk *walk, uint64_t method, uint64_t pc)
{
    enum { ENTRY_MAX = 4096 };
    uint64_t entry;
    const struct hotspot_known_method *known = hotspot_method_meet(&walk->reader, walk->methods, method, walk->time, false);
    return known && hotspot_get(&walk->reader, method, METHOD_ENTRY, &entry) && pc - entry < ENTRY_MAX ? known : NULL;
}

/* Part of the frame is there, up to the caller's stack pointer; r13 has become the bytecode, and the method is not written down
 * yet. */
static bool leave_begun(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], callers, pc, next;
    if (fp % 8 != 0 || fp < sp + 8 || sp <= fp + 8 * (uint64_t)(int64_t)METHOD ||
        !hotspot_read_word(walk, fp + 8 * (uint64_t)(int64_t)CALLERS_SP, &callers) || callers % 8 != 0 || callers <= fp ||
        callers - fp > FRAME_MAX || !hotspot_read_word(walk, fp, &next) || !hotspot_read_word(walk, fp + 8, &pc) ||
        !hotspot_is_caller(walk, pc, callers))
        return false;
    hotspot_leave(registers, pc, callers < fp + 16 ? fp + 16 : callers, next);
    return true;
}

/* In the entry code of a method, before the frame is made, rbx is the method and r13 the caller's stack pointer; afterwards r13
 * is the bytecode, which is no address of the stack. The return address lies on the stack, is in rax while locals are put below
 * it, or belongs to the frame, if rbp is this method's already. */
static bool leave_entry(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], callers = registers->value[R13];
    uint64_t method = registers->value[RBX], pc, next;
    const struct hotspot_known_method *known = entered_method(walk, method, registers->value[UNWIND_PC]);
    if (!known)
        return false;
    if (leave_begun(walk, registers)) {
        hotspot_emit(walk, sp, method, 0, interpreted_tier(known));
        return true;
    }
    if (callers % 8 != 0 || callers < sp || callers - sp > FRAME_MAX)
        return false;
    if (fp >= sp && fp < callers && hotspot_read_word(walk, fp + 8, &pc) && hotspot_read_word(walk, fp, &next) &&
        hotspot_is_caller(walk, pc, callers)) {
        hotspot_leave(registers, pc, callers, next);
    } else if (callers > sp && hotspot_read_word(walk, sp, &pc) && hotspot_is_caller(walk, pc, callers)) {
        hotspot_leave(registers, pc, callers, fp);
    } else if (hotspot_is_caller(walk, registers->value[RAX], callers)) {
        hotspot_leave(registers, registers->value[RAX], callers, fp);
    } else {
        return false;
    }
    hotspot_emit(walk, sp, method, 0, interpreted_tier(known));
    return true;
}

/* The frame has gone, and rbx is the caller's stack pointer:
 *
 *     leave; pop %r13; mov %rbx, %rsp; jmp *%r13
 *     leave; movb $0, …(%r15); pop %r13; mov %rbx, %rsp; cmp …(%r15), %rsp; jb …; movq $0, …(%r15); jmp *%r13     JDK 25
 */
bool hotspot_leave_interpreter(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    static const uint8_t pop[] = {0x41, 0x5d, 0x48, 0x8b, 0xe3}, flag[] = {0x41, 0xc6, 0x87};
    uint64_t sp = registers->value[UNWIND_SP], callers = registers->value[RBX], pc = registers->value[R13];
    struct code_bytes bytes;
    hotspot_read_bytes(&walk->reader, registers->value[UNWIND_PC], &bytes);
    bool is_before = memcmp(bytes.at, pop, sizeof pop) == 0 ||
                     (memcmp(bytes.at, flag, sizeof flag) == 0 && memcmp(bytes.at + 8, pop, sizeof pop) == 0);
    bool is_popped = memcmp(bytes.before + 2, pop, 2) == 0 && memcmp(bytes.at, pop + 2, 3) == 0;
    bool is_restored = sp == callers; /* and r13 is the return address, or this is none */
    if (is_before ? !hotspot_read_word(walk, sp, &pc) : !is_popped && !is_restored)
        return false;
    if (callers % 8 != 0 || callers < sp || callers - sp > FRAME_MAX || !hotspot_is_caller(walk, pc, callers))
        return false;
    hotspot_leave(registers, pc, callers, registers->value[UNWIND_FP]);
    return true;
}

enum unwind_end hotspot_step_interpreter(struct hotspot_walk *walk, struct unwind_registers *registers, bool exact)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP];
    uint64_t method, bytecode, callers, next, pc;
    if (!hotspot_fp_is_known(registers))
        return UNWIND_NO_REGISTER;
    if (exact && leave_entry(walk, registers))
        return UNWIND_GOES_ON;
    if (fp % 8 != 0 || fp < sp || fp - sp > FRAME_MAX)
        return UNWIND_NO_RULE;
    if (!hotspot_read_word(walk, fp + 8 * (uint64_t)(int64_t)METHOD, &method) ||
        !hotspot_read_word(walk, fp + 8 * (uint64_t)(int64_t)BYTECODE, &bytecode) ||
        !hotspot_read_word(walk, fp + 8 * (uint64_t)(int64_t)CALLERS_SP, &callers) || !hotspot_read_word(walk, fp, &next) ||
        !hotspot_read_word(walk, fp + 8, &pc))
        return UNWIND_UNREADABLE;
    const struct hotspot_known_method *known = hotspot_method_meet(&walk->reader, walk->methods, method, walk->time, false);
    if (!known || callers % 8 != 0 || callers <= fp || callers - fp > FRAME_MAX)
        return UNWIND_NO_RULE;
    /* A call through a method handle takes an argument away, and the return address moves into its place. */
    if (callers < fp + 16)
        callers = fp + 16;
    hotspot_emit(walk, sp, method, find_bci(walk, known, method, bytecode, registers, exact), interpreted_tier(known));
    return hotspot_leave(registers, pc, callers, next);
}
#endif
