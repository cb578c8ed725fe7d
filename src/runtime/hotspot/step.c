#include "runtime/hotspot/step.h"

#include <string.h>

#if defined(__x86_64__)

enum { RAX = 0, RBX = 3, R13 = 13, R15 = 15 };

/* Only what leads to the caller is known behind a frame of Java: it saves no registers for its caller. r15 is the thread
 * everywhere in Java. */
#define KNOWN_BEHIND ((uint64_t)1 << UNWIND_PC | (uint64_t)1 << UNWIND_SP | (uint64_t)1 << UNWIND_FP | (uint64_t)1 << R15)

/* No frame is larger: what says so is none. */
enum { FRAME_MAX = 1 << 24 };

/* Words of an interpreter's frame, from rbp on. */
enum { CALLERS_SP = -1, METHOD = -3, BYTECODE = -8 };

static bool read_word(struct hotspot_walk *walk, uint64_t address, uint64_t *word)
{
    return unwind_memory_read(walk->reader.memory, address, word);
}

static enum unwind_end leave(struct unwind_registers *registers, uint64_t pc, uint64_t sp, uint64_t fp)
{
    registers->value[UNWIND_PC] = pc;
    registers->value[UNWIND_SP] = sp;
    registers->value[UNWIND_FP] = fp;
    registers->known = KNOWN_BEHIND & (registers->known | (uint64_t)1 << UNWIND_PC | (uint64_t)1 << UNWIND_SP);
    return UNWIND_GOES_ON;
}

static enum unwind_end leave_with_fp(struct unwind_registers *registers, uint64_t pc, uint64_t sp, uint64_t fp)
{
    registers->known |= (uint64_t)1 << UNWIND_FP;
    return leave(registers, pc, sp, fp);
}

/* The return address is the first word on the stack, and rbp still the caller's. */
static enum unwind_end leave_leaf(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], pc;
    if (!read_word(walk, sp, &pc))
        return UNWIND_UNREADABLE;
    return leave(registers, pc, sp + 8, registers->value[UNWIND_FP]);
}

/* rbp has been pushed since, and nothing else. */
static enum unwind_end leave_pushed(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], fp, pc;
    if (!read_word(walk, sp, &fp) || !read_word(walk, sp + 8, &pc))
        return UNWIND_UNREADABLE;
    return leave_with_fp(registers, pc, sp + 16, fp);
}

static bool fp_is_known(const struct unwind_registers *registers)
{
    return registers->known >> UNWIND_FP & 1;
}

/* rbp leads to {the caller's rbp, return address}. */
static enum unwind_end leave_by_fp(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t fp = registers->value[UNWIND_FP], next, pc;
    if (!fp_is_known(registers))
        return UNWIND_NO_REGISTER;
    if (fp % 8 != 0 || fp < registers->value[UNWIND_SP] || fp - registers->value[UNWIND_SP] > FRAME_MAX)
        return UNWIND_NO_RULE;
    if (!read_word(walk, fp, &next) || !read_word(walk, fp + 8, &pc))
        return UNWIND_UNREADABLE;
    return leave_with_fp(registers, pc, fp + 16, next);
}

/* Of the VM: made by it, or its own library's. */
static bool is_code(const struct hotspot_walk *walk, uint64_t address)
{
    const struct hotspot_code *code = walk->reader.code;
    const struct runtime_layout *head = &walk->reader.layout->head;
    return (address >= atomic_load_explicit(&code->low, memory_order_relaxed) &&
            address < atomic_load_explicit(&code->high, memory_order_relaxed)) ||
           (address >= head->module_start && address < head->module_end);
}

static void emit(struct hotspot_walk *walk, uint64_t place, uint64_t method, int32_t bci, enum frame_tier tier)
{
    walk->emit(walk->data, &(struct hotspot_frame){place, method, bci, tier});
}

/* Whether the caller can go on at `pc` with its stack from `sp` on: compiled code then has its own return address where its
 * frame ends. What is left of earlier calls looks like return addresses, too. */
static bool is_caller(struct hotspot_walk *walk, uint64_t pc, uint64_t sp)
{
    struct hotspot_blob blob;
    uint64_t next;
    if (!is_code(walk, pc))
        return false;
    if (!hotspot_blob_at(&walk->reader, pc - 1, &blob) || (blob.kind != BLOB_COMPILED && blob.kind != BLOB_NATIVE_WRAPPER))
        return true;
    return blob.frame_words < 2 || (read_word(walk, sp + 8 * (uint64_t)blob.frame_words - 8, &next) && is_code(walk, next));
}

/* --- the interpreter ----------------------------------------------------------------------------------------------------- */

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
    if (fp >= sp && fp < callers && read_word(walk, fp + 8, &pc) && read_word(walk, fp, &next) && is_caller(walk, pc, callers))
        *end = leave(registers, pc, callers, next);
    else if (callers > sp && read_word(walk, sp, &pc) && is_caller(walk, pc, callers))
        *end = leave(registers, pc, callers, fp);
    else if (is_caller(walk, registers->value[RAX], callers))
        *end = leave(registers, registers->value[RAX], callers > sp ? callers : sp + 8, fp);
    else
        return false;
    emit(walk, sp, method, 0, interpreted_tier(known));
    return true;
}

static enum unwind_end step_interpreter(struct hotspot_walk *walk, struct unwind_registers *registers, bool exact)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP];
    uint64_t method, bytecode, callers, next, pc;
    enum unwind_end end;
    if (!fp_is_known(registers))
        return UNWIND_NO_REGISTER;
    if (exact && leave_entry(walk, registers, &end))
        return end;
    if (fp % 8 != 0 || fp < sp || fp - sp > FRAME_MAX)
        return UNWIND_NO_RULE;
    if (!read_word(walk, fp + 8 * (uint64_t)(int64_t)METHOD, &method) ||
        !read_word(walk, fp + 8 * (uint64_t)(int64_t)BYTECODE, &bytecode) ||
        !read_word(walk, fp + 8 * (uint64_t)(int64_t)CALLERS_SP, &callers) || !read_word(walk, fp, &next) ||
        !read_word(walk, fp + 8, &pc))
        return UNWIND_UNREADABLE;
    const struct hotspot_known_method *known = hotspot_method_meet(&walk->reader, walk->methods, method, walk->time, false);
    if (!known || callers % 8 != 0 || callers <= fp || callers - fp > FRAME_MAX)
        return UNWIND_NO_RULE;
    /* A call through a method handle takes an argument away, and the return address moves into its place. */
    if (callers < fp + 16)
        callers = fp + 16;
    emit(walk, sp, method, find_bci(walk, known, method, bytecode, registers, exact), interpreted_tier(known));
    return leave(registers, pc, callers, next);
}

/* --- compiled code ------------------------------------------------------------------------------------------------------- */

/* The bytes around a pc of code that is there; missing ones are 0. */
struct code_bytes {
    uint8_t before[4], at[16];
};

static void read_bytes(struct hotspot_walk *walk, uint64_t pc, struct code_bytes *bytes)
{
    memset(bytes, 0, sizeof *bytes);
    for (size_t length = sizeof bytes->at; length > 0 && !hotspot_read(&walk->reader, pc, bytes->at, length); length /= 2)
        ;
    if (!hotspot_read(&walk->reader, pc - sizeof bytes->before, bytes->before, sizeof bytes->before))
        memset(bytes->before, 0, sizeof bytes->before);
}

enum { PUSH_RBP = 0x55, POP_RBP = 0x5d, RET = 0xc3, LEAVE = 0xc9 };

static bool is_sub_rsp(const uint8_t *code)
{
    return code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) && code[2] == 0xec;
}

/* mov %rbp, …(%rsp). */
static bool is_save_rbp(const uint8_t *code)
{
    return code[0] == 0x48 && code[1] == 0x89 && (code[2] == 0x6c || code[2] == 0xac) && code[3] == 0x24;
}

/* mov %rsp, %rbp, as either assembler writes it. */
static bool is_mov_rsp_rbp(const uint8_t *code)
{
    return code[0] == 0x48 && ((code[1] == 0x89 && code[2] == 0xe5) || (code[1] == 0x8b && code[2] == 0xec));
}

/* The poll between the end of the frame and the return: cmp off(%r15), %rsp; ja …; ret. Before it stands pop %rbp. */
static bool is_at_last_poll(const struct code_bytes *bytes)
{
    const uint8_t *at = bytes->at;
    if (bytes->before[3] == POP_RBP && at[0] == 0x49 && at[1] == 0x3b && (at[2] == 0x67 || at[2] == 0xa7))
        return true;
    return at[0] == 0x0f && at[1] == 0x87 && at[6] == RET;
}

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

static enum unwind_end step_frame_size(struct hotspot_walk *walk, struct unwind_registers *registers,
                                       const struct hotspot_blob *blob)
{
    uint64_t callers = registers->value[UNWIND_SP] + 8 * (uint64_t)blob->frame_words, pc, fp;
    if (blob->frame_words < 2)
        return leave_leaf(walk, registers);
    if (!read_word(walk, callers - 8, &pc) || !read_word(walk, callers - 16, &fp))
        return UNWIND_UNREADABLE;
    return leave_with_fp(registers, pc, callers, fp);
}

/* There is the frame, but rbp is still the caller's. */
static enum unwind_end leave_unsaved(struct hotspot_walk *walk, struct unwind_registers *registers,
                                     const struct hotspot_blob *blob)
{
    uint64_t fp = registers->value[UNWIND_FP];
    enum unwind_end end = step_frame_size(walk, registers, blob);
    registers->value[UNWIND_FP] = fp;
    return end;
}

/* What was interrupted before its frame was there, or when it had gone again. */
static bool leave_partly(struct hotspot_walk *walk, struct unwind_registers *registers, const struct hotspot_blob *blob,
                         enum unwind_end *end)
{
    uint64_t pc = registers->value[UNWIND_PC], entry = entry_of(walk, blob);
    struct code_bytes bytes;
    read_bytes(walk, pc, &bytes);
    if (pc <= entry || bytes.at[0] == PUSH_RBP || bytes.at[0] == RET || is_at_last_poll(&bytes))
        *end = leave_leaf(walk, registers);
    else if (bytes.at[0] == POP_RBP || (bytes.before[3] == PUSH_RBP && (is_sub_rsp(bytes.at) || is_mov_rsp_rbp(bytes.at))))
        *end = leave_pushed(walk, registers);
    else if (blob->frame_complete >= 0 && pc < blob->code + (uint32_t)blob->frame_complete && !has_made_room(walk, entry, pc))
        *end = leave_leaf(walk, registers);
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
        read_word(walk, sp + place, &original))
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
            emit(walk, sp, scopes[i].method, scopes[i].bci, i + 1 < count ? TIER_INLINED : tier_of(walk, blob));
}

/* What is put in place of well-known methods (comparing strings, say) keeps a register or two on the stack for a few
 * instructions, below the frame, which no table says: then there is no return address where the frame's should end. */
static enum unwind_end leave_with_pushes(struct hotspot_walk *walk, struct unwind_registers *registers,
                                         const struct hotspot_blob *blob)
{
    enum { PUSHES_MAX = 4 };
    uint64_t sp = registers->value[UNWIND_SP], size = 8 * (uint64_t)blob->frame_words, pc;
    for (uint64_t at = sp; at <= sp + 8 * (uint64_t)PUSHES_MAX; at += 8) {
        if (read_word(walk, at + size - 8, &pc) && is_caller(walk, pc, at + size)) {
            registers->value[UNWIND_SP] = at;
            break;
        }
    }
    return step_frame_size(walk, registers, blob);
}

static enum unwind_end step_compiled(struct hotspot_walk *walk, struct unwind_registers *registers,
                                     const struct hotspot_blob *blob, bool exact)
{
    uint64_t pc = registers->value[UNWIND_PC], sp = registers->value[UNWIND_SP];
    enum unwind_end end;
    emit_scopes(walk, blob, exact ? pc : original_pc(walk, blob, pc, sp), sp, exact);
    if (!exact)
        return step_frame_size(walk, registers, blob);
    if (leave_partly(walk, registers, blob, &end))
        return end;
    return leave_with_pushes(walk, registers, blob);
}

/* --- all else ------------------------------------------------------------------------------------------------------------ */

/* Between compiled code and the interpreter: the return address stays, or is in rax while arguments are moved, for which there
 * has to be room below it. r13 is the caller's stack pointer, once it is set. */
static enum unwind_end leave_adapter(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], callers = registers->value[R13];
    uint64_t first, rax = registers->value[RAX];
    bool may_be_sp = callers % 8 == 0 && callers >= sp && callers - sp < FRAME_MAX, has_first = read_word(walk, sp, &first);
    if (has_first && is_caller(walk, first, sp + 8))
        return leave(registers, first, sp + 8, fp);
    if (has_first && may_be_sp && callers > sp && is_caller(walk, first, callers))
        return leave(registers, first, callers, fp);
    if (may_be_sp && is_caller(walk, rax, callers))
        return leave(registers, rax, callers > sp ? callers : sp + 8, fp);
    if (is_caller(walk, rax, sp))
        return leave(registers, rax, sp + 8, fp);
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
    if (!read_word(walk, entry, &pc) || !is_caller(walk, pc, entry + 8))
        return UNWIND_NO_RULE;
    return leave(registers, pc, entry + 8, registers->value[UNWIND_FP]);
}

/* A stub that has pushed a few registers, or none: its return address is the first word that is one of code that called it. */
static enum unwind_end leave_pushes(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    enum { PUSHES_MAX = 8 };
    uint64_t sp = registers->value[UNWIND_SP], pc;
    for (uint64_t at = sp; at <= sp + 8 * (uint64_t)PUSHES_MAX; at += 8)
        if (read_word(walk, at, &pc) && is_caller(walk, pc, at + 8))
            return leave(registers, pc, at + 8, registers->value[UNWIND_FP]);
    return UNWIND_NO_RULE;
}

/* What compiled code calls when it is entered, for the collector, has put a word of −1 between its return address and rbp. */
static bool leave_entry_barrier(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t fp = registers->value[UNWIND_FP], next, cookie, pc;
    if (!read_word(walk, fp, &next) || !read_word(walk, fp + 8, &cookie) || cookie != UINT64_MAX ||
        !read_word(walk, fp + 16, &pc) || !is_caller(walk, pc, fp + 24))
        return false;
    leave_with_fp(registers, pc, fp + 24, next);
    return true;
}

static enum unwind_end step_stub(struct hotspot_walk *walk, struct unwind_registers *registers, const struct hotspot_blob *blob,
                                 bool exact)
{
    uint64_t pc = registers->value[UNWIND_PC];
    struct code_bytes bytes, start;
    read_bytes(walk, blob->code, &start);
    bool by_fp = blob->frame_words == 0 || (start.at[0] == PUSH_RBP && is_mov_rsp_rbp(start.at + 1));
    if (exact) {
        read_bytes(walk, pc, &bytes);
        if (bytes.at[0] == PUSH_RBP || bytes.at[0] == RET || (blob->frame_words > 0 && pc == blob->code))
            return leave_leaf(walk, registers);
        if (bytes.at[0] == POP_RBP || (bytes.before[3] == PUSH_RBP && is_mov_rsp_rbp(bytes.at)))
            return leave_pushed(walk, registers);
        if (bytes.at[0] == LEAVE)
            by_fp = true;
    }
    if (!by_fp)
        return step_frame_size(walk, registers, blob);
    /* A stub without a frame leaves rbp to its caller, who may have anything in it. */
    uint64_t sp = registers->value[UNWIND_SP], fp = registers->value[UNWIND_FP], pc_of_frame;
    bool has_frame = fp_is_known(registers) && fp % 8 == 0 && fp >= sp && fp - sp < FRAME_MAX;
    if (has_frame && read_word(walk, fp + 8, &pc_of_frame) && is_code(walk, pc_of_frame))
        return leave_by_fp(walk, registers);
    if (has_frame && leave_entry_barrier(walk, registers))
        return UNWIND_GOES_ON;
    if (exact || blob->frame_words == 0)
        return leave_pushes(walk, registers);
    return step_frame_size(walk, registers, blob);
}

/* The oldest frame of a virtual thread that is on the stack returns to a stub that would bring the next one there, or that does
 * so right now. Below it is the code that entered the virtual thread, whose frame the thread knows, with the carrier's frames.
 */
static enum unwind_end step_continuation(struct hotspot_walk *walk, struct unwind_registers *registers,
                                         const struct hotspot_blob *blob, bool exact)
{
    uint64_t entered = 0, variable = walk->reader.layout->variable[VARIABLE_CONTINUATION_RETURN];
    uint64_t sp = registers->value[UNWIND_SP], entry;
    struct hotspot_blob enter;
    if (exact)
        return step_stub(walk, registers, blob, true);
    if (!variable || !hotspot_read(&walk->reader, variable, &entered, sizeof entered) ||
        !hotspot_blob_at(&walk->reader, entered - 1, &enter) || enter.frame_words < 2)
        return leave_by_fp(walk, registers);
    emit(walk, sp, 0, HOTSPOT_NO_BCI, TIER_NONE);
    if (registers->known >> R15 & 1 && hotspot_get(&walk->reader, registers->value[R15], THREAD_CONTINUATION, &entry) &&
        entry % 8 == 0 && entry >= sp && entry - sp < FRAME_MAX)
        registers->value[UNWIND_SP] = entry;
    return step_frame_size(walk, registers, &enter);
}

static enum unwind_end step(void *data, struct unwind_registers *registers, struct unwind_memory *memory, bool exact)
{
    struct hotspot_walk *walk = data;
    uint64_t pc = registers->value[UNWIND_PC];
    struct hotspot_blob blob;
    (void)memory;
    walk->steps++;
    if (!exact && pc == atomic_load_explicit(&walk->reader.code->call_stub_return, memory_order_relaxed)) {
        registers->known &= ~((uint64_t)1 << R15); /* C++ has other things in it */
        return leave_by_fp(walk, registers);
    }
    if (!hotspot_blob_at(&walk->reader, exact ? pc : pc - 1, &blob))
        return UNWIND_NO_RULE;
    switch (blob.kind) {
    case BLOB_INTERPRETER:
        return step_interpreter(walk, registers, exact);
    case BLOB_COMPILED:
    case BLOB_NATIVE_WRAPPER:
        return step_compiled(walk, registers, &blob, exact);
    case BLOB_VTABLE:
        return leave_leaf(walk, registers);
    case BLOB_ADAPTER:
        return step_adapter(walk, registers, exact);
    case BLOB_CONTINUATION:
        return step_continuation(walk, registers, &blob, exact);
    case BLOB_OTHER:
    case HOTSPOT_BLOB_KIND_COUNT:
        break;
    }
    return step_stub(walk, registers, &blob, exact);
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
