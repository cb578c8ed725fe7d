#include "runtime/hotspot/step.h"

#include "runtime/hotspot/compiled.h"
#include "runtime/hotspot/instructions.h"
#include "runtime/hotspot/interpreter.h"
#include "runtime/hotspot/leave.h"

#if defined(__x86_64__)

/* Between compiled code and the interpreter: the return address stays, or is in rax while arguments are moved, for which there
 * has to be room below it. r13 is the caller's stack pointer, once it is set. */
static enum unwind_end leave_adapter(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], callers = registers->value[R13];
    uint64_t first, rax = registers->value[RAX];
    bool may_be_sp = callers % 8 == 0 && callers >= sp && callers - sp < FRAME_MAX,
         has_first = hotspot_read_word(walk, sp, &first);
    if (has_first && hotspot_is_caller(walk, first, sp + 8))
        return hotspot_leave(registers, first, sp + 8, fp);
    if (has_first && may_be_sp && callers > sp && hotspot_is_caller(walk, first, callers))
        return hotspot_leave(registers, first, callers, fp);
    if (may_be_sp && hotspot_is_caller(walk, rax, callers))
        return hotspot_leave(registers, rax, callers > sp ? callers : sp + 8, fp);
    if (hotspot_is_caller(walk, rax, sp))
        return hotspot_leave(registers, rax, sp + 8, fp);
    return UNWIND_NO_RULE;
}

/* What calls the VM from there has put the stack pointer that it began with into r13, which functions keep. */
static enum unwind_end step_adapter(struct hotspot_walk *walk, struct unwind_registers *registers, bool exact)
{
    uint64_t sp = registers->value[UNWIND_SP], entry = registers->value[R13], pc;
    if (exact)
        return leave_adapter(walk, registers);
    if (!(registers->known >> R13 & 1) || entry % 8 != 0 || entry <= sp || entry - sp > FRAME_MAX)
        return UNWIND_NO_RULE;
    if (!hotspot_read_word(walk, entry, &pc) || !hotspot_is_caller(walk, pc, entry + 8))
        return UNWIND_NO_RULE;
    return hotspot_leave(registers, pc, entry + 8, registers->value[UNWIND_FP]);
}

/* A stub that has pushed a few registers, or none: its return address is the first word that is one of code that called it. */
static enum unwind_end leave_pushes(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    enum { PUSHES_MAX = 8 };
    uint64_t sp = registers->value[UNWIND_SP], pc;
    for (uint64_t at = sp; at <= sp + 8 * (uint64_t)PUSHES_MAX; at += 8)
        if (hotspot_read_word(walk, at, &pc) && hotspot_is_caller(walk, pc, at + 8))
            return hotspot_leave(registers, pc, at + 8, registers->value[UNWIND_FP]);
    return UNWIND_NO_RULE;
}

/* What compiled code calls when it is entered, for the collector, has put a word of −1 between its return address and rbp. */
static bool leave_entry_barrier(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t fp = registers->value[UNWIND_FP], next, cookie, pc;
    if (!hotspot_read_word(walk, fp, &next) || !hotspot_read_word(walk, fp + 8, &cookie) || cookie != UINT64_MAX ||
        !hotspot_read_word(walk, fp + 16, &pc) || !hotspot_is_caller(walk, pc, fp + 24))
        return false;
    hotspot_leave_with_fp(registers, pc, fp + 24, next);
    return true;
}

static enum unwind_end step_stub(struct hotspot_walk *walk, struct unwind_registers *registers, const struct hotspot_blob *blob,
                                 bool exact)
{
    uint64_t pc = registers->value[UNWIND_PC];
    struct code_bytes bytes, start;
    hotspot_read_bytes(&walk->reader, blob->code, &start);
    bool by_fp = blob->frame_words == 0 || (start.at[0] == PUSH_RBP && is_mov_rsp_rbp(start.at + 1));
    if (exact) {
        hotspot_read_bytes(&walk->reader, pc, &bytes);
        if (bytes.at[0] == PUSH_RBP || bytes.at[0] == RET || (blob->frame_words > 0 && pc == blob->code))
            return hotspot_leave_leaf(walk, registers);
        if (bytes.at[0] == POP_RBP || (bytes.before[3] == PUSH_RBP && is_mov_rsp_rbp(bytes.at)))
            return hotspot_leave_pushed(walk, registers);
        if (bytes.at[0] == LEAVE)
            by_fp = true;
    }
    if (!by_fp)
        return hotspot_leave_by_size(walk, registers, blob);
    /* A stub without a frame leaves rbp to its caller, who may have anything in it. */
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], pc_of_frame;
    bool has_frame = hotspot_fp_is_known(registers) && fp % 8 == 0 && fp >= sp && fp - sp < FRAME_MAX;
    if (has_frame && hotspot_read_word(walk, fp + 8, &pc_of_frame) && hotspot_is_code(walk, pc_of_frame))
        return hotspot_leave_by_fp(walk, registers);
    if (has_frame && leave_entry_barrier(walk, registers))
        return UNWIND_GOES_ON;
    if (exact || blob->frame_words == 0)
        return leave_pushes(walk, registers);
    return hotspot_leave_by_size(walk, registers, blob);
}

/* The oldest frame of a virtual thread that is on the stack returns to a stub that would bring the next one there, or that does
 * so right now. Below it is the code that entered the virtual thread, whose frame the thread knows, with the carrier's frames.
 */
static enum unwind_end step_continuation(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t entered = 0, variable = walk->reader.layout->variable[VARIABLE_CONTINUATION_RETURN];
    uint64_t sp = registers->value[UNWIND_SP], entry;
    struct hotspot_blob enter;
    if (!variable || !hotspot_read(&walk->reader, variable, &entered, sizeof entered) ||
        !hotspot_blob_at(&walk->reader, entered - 1, &enter) || enter.frame_words < 2)
        return hotspot_leave_by_fp(walk, registers);
    hotspot_emit(walk, sp, HOTSPOT_VIRTUAL_THREAD, HOTSPOT_NO_BCI, TIER_BUILTIN);
    if (registers->known >> R15 & 1 && hotspot_get(&walk->reader, registers->value[R15], THREAD_CONTINUATION, &entry) &&
        entry % 8 == 0 && entry >= sp && entry - sp < FRAME_MAX)
        registers->value[UNWIND_SP] = entry;
    return hotspot_leave_by_size(walk, registers, &enter);
}

/* What is in none of the program's methods. */
static enum unwind_end step_named(struct hotspot_walk *walk, struct unwind_registers *registers,
                                  const struct hotspot_blob *blob, bool exact)
{
    hotspot_emit_named(walk, registers->value[UNWIND_SP], blob->name);
    switch (blob->kind) {
    case BLOB_VTABLE:
        return hotspot_leave_leaf(walk, registers);
    case BLOB_ADAPTER:
        return step_adapter(walk, registers, exact);
    default:
        return step_stub(walk, registers, blob, exact);
    }
}

static enum unwind_end step_call_stub(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    registers->known &= ~((uint64_t)1 << R15); /* C++ has other things in it */
    hotspot_emit_named(walk, registers->value[UNWIND_SP], HOTSPOT_CALL_STUB);
    return hotspot_leave_by_fp(walk, registers);
}

static enum unwind_end step(void *data, struct unwind_registers *registers, struct unwind_memory *memory, bool exact)
{
    struct hotspot_walk *walk = data;
    uint64_t pc = registers->value[UNWIND_PC], sp = registers->value[UNWIND_SP];
    struct hotspot_blob blob;
    enum unwind_end end;
    (void)memory;
    walk->steps++;
    if (!exact && pc == atomic_load_explicit(&walk->reader.code->call_stub_return, memory_order_relaxed))
        return step_call_stub(walk, registers);
    if (!hotspot_blob_at(&walk->reader, exact ? pc : pc - 1, &blob))
        return UNWIND_NO_RULE;
    switch (blob.kind) {
    case BLOB_INTERPRETER:
        end = hotspot_step_interpreter(walk, registers, exact);
        if (end != UNWIND_GOES_ON)
            hotspot_emit_named(walk, sp, blob.name);
        return end;
    case BLOB_COMPILED:
    case BLOB_NATIVE_WRAPPER:
        return hotspot_step_compiled(walk, registers, &blob, exact);
    case BLOB_CONTINUATION:
        if (!exact)
            return step_continuation(walk, registers);
        break;
    default:
        break;
    }
    return step_named(walk, registers, &blob, exact);
}

struct unwind_hook hotspot_hook(struct hotspot_walk *walk)
{
    if (!hotspot_code_ready(&walk->reader))
        return (struct unwind_hook){0};
    return (struct unwind_hook){.start = atomic_load_explicit(&walk->reader.code->low, memory_order_relaxed),
                                .end = atomic_load_explicit(&walk->reader.code->high, memory_order_relaxed),
                                .step = step,
                                .data = walk};
}

#else

/* Its frames are others on this CPU: they are walked by frame pointers, as before. */
struct unwind_hook hotspot_hook(struct hotspot_walk *walk)
{
    (void)walk;
    return (struct unwind_hook){0};
}

#endif
