#include "runtime/hotspot/interpreter.h"

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

/* In the entry code of a method, before the frame is made, rbx is the method and r13 the caller's stack pointer; afterwards r13
 * is the bytecode, which is no address of the stack. The return address lies on the stack, is in rax while locals are put below
 * it, or belongs to the frame, if rbp is this method's already. */
static bool leave_entry(struct hotspot_walk *walk, struct unwind_registers *registers, enum unwind_end *end)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], callers = registers->value[R13];
    uint64_t method = registers->value[RBX], pc = registers->value[UNWIND_PC], entry, next;
    enum { ENTRY_MAX = 4096 };
    if (callers % 8 != 0 || callers < sp || callers - sp > FRAME_MAX)
        return false;
    const struct hotspot_known_method *known = hotspot_method_meet(&walk->reader, walk->methods, method, walk->time, false);
    if (!known || !hotspot_get(&walk->reader, method, METHOD_ENTRY, &entry) || pc - entry >= ENTRY_MAX)
        return false;
    if (fp >= sp && fp < callers && hotspot_read_word(walk, fp + 8, &pc) && hotspot_read_word(walk, fp, &next) &&
        hotspot_is_caller(walk, pc, callers))
        *end = hotspot_leave(registers, pc, callers, next);
    else if (callers > sp && hotspot_read_word(walk, sp, &pc) && hotspot_is_caller(walk, pc, callers))
        *end = hotspot_leave(registers, pc, callers, fp);
    else if (hotspot_is_caller(walk, registers->value[RAX], callers))
        *end = hotspot_leave(registers, registers->value[RAX], callers > sp ? callers : sp + 8, fp);
    else
        return false;
    hotspot_emit(walk, sp, method, 0, interpreted_tier(known));
    return true;
}

enum unwind_end hotspot_step_interpreter(struct hotspot_walk *walk, struct unwind_registers *registers, bool exact)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP];
    uint64_t method, bytecode, callers, next, pc;
    enum unwind_end end;
    if (!hotspot_fp_is_known(registers))
        return UNWIND_NO_REGISTER;
    if (exact && leave_entry(walk, registers, &end))
        return end;
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
