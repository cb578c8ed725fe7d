#include "runtime/hotspot/compiled.h"

#include "runtime/hotspot/epilogue.h"
#include "runtime/hotspot/instructions.h"
#include "runtime/hotspot/leave.h"

#if defined(__x86_64__)

/* Whether %rsp was lowered between the entry and the pc. */
static bool has_made_room(struct hotspot_walk *walk, uint64_t entry, uint64_t pc)
{
    uint8_t code[64];
    uint64_t length = pc - entry;
    if (pc <= entry || length > sizeof code || !hotspot_read(&walk->reader, entry, code, length))
        return pc > entry;
    for (uint64_t i = 0; i + 3 < length; i++)
        if (is_sub_rsp(code + i))
            return true;
    return false;
}

static uint64_t entry_of(struct hotspot_walk *walk, const struct hotspot_blob *blob)
{
    uint64_t value;
    if (hotspot_get(&walk->reader, blob->start, CODE_ENTRY_OFFSET, &value))
        return blob->code + value;
    return hotspot_get(&walk->reader, blob->start, CODE_ENTRY, &value) ? value : blob->code;
}

/* There is the frame, but rbp is still the caller's. */
static enum unwind_end leave_unsaved(struct hotspot_walk *walk, struct unwind_registers *registers,
                                     const struct hotspot_blob *blob)
{
    uint64_t fp = registers->value[UNWIND_FP];
    enum unwind_end end = hotspot_leave_by_size(walk, registers, blob);
    registers->value[UNWIND_FP] = fp;
    return end;
}

/* What was interrupted before its frame was there, or when it had gone again. */
static bool leave_partly(struct hotspot_walk *walk, struct unwind_registers *registers, const struct hotspot_blob *blob,
                         enum unwind_end *end)
{
    uint64_t pc = registers->value[UNWIND_PC], entry = entry_of(walk, blob);
    struct code_bytes bytes;
    hotspot_read_bytes(&walk->reader, pc, &bytes);
    if (pc <= entry || bytes.at[0] == PUSH_RBP || hotspot_frame_is_gone(&walk->reader, blob, pc))
        *end = hotspot_leave_leaf(walk, registers);
    else if (bytes.at[0] == POP_RBP || (bytes.before[3] == PUSH_RBP && (is_sub_rsp(bytes.at) || is_mov_rsp_rbp(bytes.at))) ||
             (bytes.before[0] == PUSH_RBP && is_mov_rsp_rbp(bytes.before + 1) && is_sub_rsp(bytes.at)))
        *end = hotspot_leave_pushed(walk, registers);
    else if (blob->frame_complete >= 0 && pc < blob->code + (uint32_t)blob->frame_complete && !has_made_room(walk, entry, pc))
        *end = hotspot_leave_leaf(walk, registers);
    else if (blob->frame_complete >= 0 && pc < blob->code + (uint32_t)blob->frame_complete && is_save_rbp(bytes.at))
        *end = leave_unsaved(walk, registers, blob);
    else
        return false;
    return true;
}

/* A frame that is to be given up returns to its own code for that; where it stood is kept in the frame. */
static uint64_t original_pc(struct hotspot_walk *walk, const struct hotspot_blob *blob, uint64_t pc, uint64_t sp)
{
    uint64_t handler, place, original;
    if (hotspot_get(&walk->reader, blob->start, CODE_DEOPT_OFFSET, &handler))
        handler += blob->start;
    else if (!hotspot_get(&walk->reader, blob->start, CODE_DEOPT, &handler))
        return pc;
    if (pc == handler && hotspot_get(&walk->reader, blob->start, CODE_ORIGINAL_PC, &place) && place < FRAME_MAX &&
        hotspot_read_word(walk, sp + place, &original))
        return original;
    return pc;
}

static enum frame_tier tier_of(struct hotspot_walk *walk, const struct hotspot_blob *blob)
{
    enum { FULL = 4 };
    if (blob->kind == BLOB_NATIVE_WRAPPER)
        return TIER_NONE;
    return hotspot_value(&walk->reader, blob->start, CODE_LEVEL) == FULL ? TIER_OPTIMISED : TIER_BASELINE;
}

static void emit_scopes(struct hotspot_walk *walk, const struct hotspot_blob *blob, uint64_t pc, uint64_t sp, bool exact)
{
    struct hotspot_scope scopes[HOTSPOT_SCOPES_MAX];
    bool fresh;
    size_t count = hotspot_scopes_at(&walk->reader, walk->cache, blob, pc, exact, scopes, &fresh);
    for (size_t i = 0; i < count; i++)
        if (hotspot_method_meet(&walk->reader, walk->methods, scopes[i].method, walk->time, fresh))
            hotspot_emit(walk, sp, scopes[i].method, scopes[i].bci, i + 1 < count ? TIER_INLINED : tier_of(walk, blob));
}

/* Slow paths of a collector's barriers stand behind the code of the method, and keep what is in registers below its frame:
 * sub $n, %rsp; …; call …; add $n, %rsp. Returns n of the last such place before the pc if the caller is there then, or 0.
 * `is_inside`: and nothing that ends it is between them. */
static uint64_t bytes_below_frame(struct hotspot_walk *walk, const struct hotspot_blob *blob, uint64_t pc, uint64_t sp,
                                  bool is_inside)
{
    enum { CODE_MAX = 512, SUB_BYTES = 7, KEPT_MAX = 4096 };
    uint8_t code[CODE_MAX + SUB_BYTES] = {0};
    uint64_t frame_made = blob->code + (blob->frame_complete > 0 ? (uint32_t)blob->frame_complete : 0);
    uint64_t length = pc - frame_made, size = 8 * (uint64_t)blob->frame_words, end = sp + size, caller;
    if (pc <= frame_made || blob->frame_words < 2)
        return 0;
    if (length > CODE_MAX)
        length = CODE_MAX;
    if (!hotspot_read(&walk->reader, pc - length, code, length))
        return 0;
    for (uint64_t i = length; i-- > 0;) {
        if (is_inside && (is_add_rsp(code + i) || (i + CALL_AND_POP <= length && is_call_and_pop(code + i))))
            return 0;
        uint32_t kept = is_sub_rsp(code + i) ? sub_rsp_bytes(code + i) : 0;
        if (kept + 8 == size || kept + 16 == size) /* makes the frame, where a loop is entered in its midst */
            return 0;
        if (kept > 0 && kept % 8 == 0 && kept <= KEPT_MAX && hotspot_read_word(walk, end + kept - 8, &caller) &&
            hotspot_is_caller(walk, caller, end + kept))
            return kept;
    }
    return 0;
}

/* What is put in place of well-known methods (comparing strings, say) keeps a register or two on the stack for a few
 * instructions, below the frame, which no table says: then there is no return address where the frame's should end. */
static enum unwind_end leave_with_pushes(struct hotspot_walk *walk, struct unwind_registers *registers,
                                         const struct hotspot_blob *blob)
{
    enum { PUSHES_MAX = 4 };
    uint64_t sp = registers->value[UNWIND_SP], size = 8 * (uint64_t)blob->frame_words, pc;
    if (blob->frame_words < 2)
        return hotspot_leave_leaf(walk, registers);
    uint64_t kept = bytes_below_frame(walk, blob, registers->value[UNWIND_PC], sp, true);
    if (kept > 0) {
        registers->value[UNWIND_SP] = sp + kept;
        return hotspot_leave_by_size(walk, registers, blob);
    }
    for (uint64_t at = sp; at <= sp + 8 * (uint64_t)PUSHES_MAX; at += 8) {
        if (hotspot_read_word(walk, at + size - 8, &pc) && hotspot_is_caller(walk, pc, at + size)) {
            registers->value[UNWIND_SP] = at;
            return hotspot_leave_by_size(walk, registers, blob);
        }
    }
    registers->value[UNWIND_SP] = sp + bytes_below_frame(walk, blob, registers->value[UNWIND_PC], sp, false);
    return hotspot_leave_by_size(walk, registers, blob);
}

/* What stands behind a call. Only what calls the VM, maybe through a stub, has something below its frame for sure. */
static enum unwind_end leave_calling(struct hotspot_walk *walk, struct unwind_registers *registers,
                                     const struct hotspot_blob *blob)
{
    enum { CALLS_VM = 2 };
    uint64_t end = registers->value[UNWIND_SP] + 8 * (uint64_t)blob->frame_words, pc;
    if (walk->steps > CALLS_VM && hotspot_read_word(walk, end - 8, &pc) && hotspot_is_code(walk, pc))
        return hotspot_leave_by_size(walk, registers, blob);
    return leave_with_pushes(walk, registers, blob);
}

enum unwind_end hotspot_step_compiled(struct hotspot_walk *walk, struct unwind_registers *registers,
                                      const struct hotspot_blob *blob, bool exact)
{
    uint64_t pc = registers->value[UNWIND_PC], sp = registers->value[UNWIND_SP];
    enum unwind_end end;
    emit_scopes(walk, blob, exact ? pc : original_pc(walk, blob, pc, sp), sp, exact);
    if (!exact)
        return leave_calling(walk, registers, blob);
    if (leave_partly(walk, registers, blob, &end))
        return end;
    return leave_with_pushes(walk, registers, blob);
}

#endif
