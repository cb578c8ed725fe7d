#include "runtime/hotspot/step.h"

#include "runtime/hotspot/adapter.h"
#include "runtime/hotspot/compiled.h"
#include "runtime/hotspot/instructions.h"
#include "runtime/hotspot/interpreter.h"
#include "runtime/hotspot/leave.h"

#if defined(__x86_64__)

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

/* What compiled code calls when it is entered, for the collector, puts a word of −1 below its return address: `at`, if it is
 * there. */
static bool leave_entry_barrier(struct hotspot_walk *walk, struct unwind_registers *registers, uint64_t at, uint64_t fp)
{
    uint64_t cookie, pc;
    if (!hotspot_read_word(walk, at, &cookie) || cookie != UINT64_MAX || !hotspot_read_word(walk, at + 8, &pc) ||
        !hotspot_is_caller(walk, pc, at + 16))
        return false;
    hotspot_leave_with_fp(registers, pc, at + 16, fp);
    return true;
}

/* rbp is at `at`, and belongs to a frame of that kind. */
static bool leave_pushed_barrier(struct hotspot_walk *walk, struct unwind_registers *registers, uint64_t at)
{
    uint64_t fp;
    return hotspot_read_word(walk, at, &fp) && leave_entry_barrier(walk, registers, at + 8, fp);
}

/* What stands where a frame is being made, or has gone; UNWIND_NO_RULE: neither. */
static enum unwind_end leave_half_made(struct hotspot_walk *walk, struct unwind_registers *registers,
                                       const struct hotspot_blob *blob, const struct code_bytes *bytes)
{
    uint64_t pc = registers->value[UNWIND_PC], sp = registers->value[UNWIND_SP];
    bool is_pushed = bytes->at[0] == POP_RBP || (bytes->before[3] == PUSH_RBP && is_mov_rsp_rbp(bytes->at));
    if (is_pushed ? leave_pushed_barrier(walk, registers, sp)
                  : leave_entry_barrier(walk, registers, sp, registers->value[UNWIND_FP]))
        return UNWIND_GOES_ON;
    if (is_pushed)
        return hotspot_leave_pushed(walk, registers);
    if (bytes->at[0] == PUSH_RBP || bytes->at[0] == RET || is_push_cookie(bytes->at) || is_last_pop(bytes) ||
        (blob->frame_words > 0 && pc == blob->code))
        return hotspot_leave_leaf(walk, registers);
    return UNWIND_NO_RULE;
}

static enum unwind_end step_stub(struct hotspot_walk *walk, struct unwind_registers *registers, const struct hotspot_blob *blob,
                                 bool exact)
{
    struct code_bytes bytes, start;
    hotspot_read_bytes(&walk->reader, blob->code, &start);
    bool by_fp = blob->frame_words == 0 || (start.at[0] == PUSH_RBP && is_mov_rsp_rbp(start.at + 1));
    if (exact) {
        hotspot_read_bytes(&walk->reader, registers->value[UNWIND_PC], &bytes);
        enum unwind_end end = leave_half_made(walk, registers, blob, &bytes);
        if (end != UNWIND_NO_RULE)
            return end;
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
    if (has_frame && leave_pushed_barrier(walk, registers, fp))
        return UNWIND_GOES_ON;
    if (exact || blob->frame_words == 0)
        return leave_pushes(walk, registers);
    return hotspot_leave_by_size(walk, registers, blob);
}

/* A loop of compiled code stops by a fault, whose handler leads here, with a word of room for the return address: push %rbx. It
 * is filled in only after all registers have been saved; what it is to be is known to the thread. */
static enum unwind_end step_safepoint(struct hotspot_walk *walk, struct unwind_registers *registers,
                                      const struct hotspot_blob *blob, bool exact)
{
    enum { PUSH_RBX = 0x53 };
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], thread = registers->value[R15], pc;
    struct code_bytes start;
    hotspot_read_bytes(&walk->reader, blob->code, &start);
    if (!exact || start.at[0] != PUSH_RBX || !hotspot_get(&walk->reader, thread, THREAD_EXCEPTION_PC, &pc) ||
        !hotspot_is_code(walk, pc))
        return step_stub(walk, registers, blob, exact);
    if (registers->value[UNWIND_PC] == blob->code)
        return hotspot_leave(registers, pc, sp, fp);
    struct code_bytes bytes;
    hotspot_read_bytes(&walk->reader, registers->value[UNWIND_PC], &bytes);
    enum unwind_end end = leave_half_made(walk, registers, blob, &bytes);
    if (end == UNWIND_NO_RULE)
        end = hotspot_leave_by_fp(walk, registers);
    if (end == UNWIND_GOES_ON)
        registers->value[UNWIND_PC] = pc;
    return end;
}

/* It is jumped to, with the place of the exception in rdx: push %rdx; …; add $8, %rsp; pop %rdx; …; jmp to the handler. */
static enum unwind_end step_exception(struct hotspot_walk *walk, struct unwind_registers *registers,
                                      const struct hotspot_blob *blob, bool exact)
{
    static const uint8_t end[] = {0x48, 0x83, 0xc4, 0x08, 0x5a};
    uint64_t pc = registers->value[UNWIND_PC], sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP];
    uint8_t before[40];
    bool is_popped = false, is_entered = pc == blob->code;
    if (exact && pc - blob->code >= sizeof before && hotspot_read(&walk->reader, pc - sizeof before, before, sizeof before))
        for (size_t i = 0; i + sizeof end <= sizeof before; i++)
            is_popped = is_popped || memcmp(before + i, end, sizeof end) == 0;
    if (!exact || (!is_entered && !is_popped && pc != blob->code + 1))
        return step_stub(walk, registers, blob, exact);
    if (!is_entered && !is_popped)
        return hotspot_leave_leaf(walk, registers);
    if (!hotspot_is_caller(walk, registers->value[RDX], sp))
        return UNWIND_NO_RULE;
    return hotspot_leave(registers, registers->value[RDX], sp, fp);
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
        return hotspot_step_adapter(walk, registers, blob, exact);
    case BLOB_EXCEPTION:
        return step_exception(walk, registers, blob, exact);
    case BLOB_SAFEPOINT:
        return step_safepoint(walk, registers, blob, exact);
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

static enum unwind_end step_frame(struct hotspot_walk *walk, struct unwind_registers *registers, bool exact)
{
    uint64_t pc = registers->value[UNWIND_PC], sp = registers->value[UNWIND_SP];
    struct hotspot_blob blob;
    enum unwind_end end;
    if (!exact && pc == atomic_load_explicit(&walk->reader.code->call_stub_return, memory_order_relaxed))
        return step_call_stub(walk, registers);
    if (!hotspot_blob_at(&walk->reader, exact ? pc : pc - 1, &blob))
        return UNWIND_NO_RULE;
    switch (blob.kind) {
    case BLOB_INTERPRETER:
        if (exact && hotspot_leave_interpreter(walk, registers)) {
            hotspot_emit_named(walk, sp, blob.name);
            return UNWIND_GOES_ON;
        }
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

/* Some code has nothing on the stack at moments: its return address is in a register. Its caller stands at the same place,
 * and is left with it. */
static enum unwind_end step(void *data, struct unwind_registers *registers, struct unwind_memory *memory, bool exact)
{
    struct hotspot_walk *walk = data;
    uint64_t sp = registers->value[UNWIND_SP];
    (void)memory;
    walk->steps++;
    enum unwind_end end = step_frame(walk, registers, exact);
    if (exact && end == UNWIND_GOES_ON && registers->value[UNWIND_SP] == sp)
        end = step_frame(walk, registers, false);
    return end;
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
