#include "looker/frame_search.h"

#if defined(__x86_64__)

#include "looker/prologue.h"
#include "unwind/cfa_program.h"

#include <string.h>

enum {
    WORD = 8,
    SEARCH_BYTES = 32 << 10, /* of a frame … */
    JUDGED_MAX = 128,        /* … and so many words in it that may be return addresses: each takes a copy or two */
    CALL_BYTES_MAX = 7,
    ARGUMENTS_BYTES = 32,
};

enum verdict { NO_CALL, SOME_CALL, CALL_OF_FUNCTION };

/* One search. */
struct site {
    const struct unwind *unwind;
    struct unwind_memory *memory;
    uint64_t pc;       /* where it stands */
    uint64_t function; /* where it starts … */
    uint64_t length;
    uint64_t offset; /* cfa − rbp */
    uint64_t sp;
    unsigned *judged; /* words that were */
};

static bool copy_code(const struct site *site, void *out, uint64_t address, size_t length)
{
    return unwind_memory_copy_of(site->memory->pid, out, address, length, NULL) == length;
}

static uint64_t displaced(uint64_t address, const uint8_t *displacement)
{
    int32_t distance;
    memcpy(&distance, displacement, sizeof distance);
    return address + (uint64_t)(int64_t)distance;
}

/* A stub of the PLT: [endbr64] [bnd] jmp *GOT(%rip). */
static bool stub_leads_to(const struct site *site, uint64_t stub, uint64_t function)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t code[sizeof endbr + 7];
    uint64_t target;
    if (!copy_code(site, code, stub, sizeof code))
        return false;
    size_t at = memcmp(code, endbr, sizeof endbr) == 0 ? sizeof endbr : 0;
    at += code[at] == 0xf2;
    return code[at] == 0xff && code[at + 1] == 0x25 &&
           copy_code(site, &target, displaced(stub + at + 6, code + at + 2), sizeof target) && target == function;
}

/* How long `call *…` is whose opcode is followed by these bytes, without prefixes; 0: it is none. */
static size_t indirect_call_length(uint8_t mod_rm, uint8_t sib)
{
    unsigned mod = mod_rm >> 6, rm = mod_rm & 7;
    if ((mod_rm >> 3 & 7) != 2)
        return 0;
    if (mod == 3)
        return 2;
    size_t length = 2 + (rm == 4);
    if (mod == 1)
        return length + 1;
    bool wide = mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5)));
    return length + (wide ? 4 : 0);
}

/* Of a module, or made by a language runtime. */
static bool is_code(const struct site *site, uint64_t address)
{
    const struct unwind_module *module = unwind_module_find(site->unwind->list, address);
    const struct unwind_hook *hook = &site->unwind->hook;
    return module ? address >= module->eh_frame.code_start && address < module->eh_frame.code_end
                  : address - hook->start < hook->end - hook->start;
}

/* What stands before a return address. */
static enum verdict judge_call(const struct site *site, uint64_t pc)
{
    uint8_t code[CALL_BYTES_MAX + 1] = {0};
    const uint8_t *end = code + CALL_BYTES_MAX;
    if (!is_code(site, pc - 1) || ++*site->judged > JUDGED_MAX || !copy_code(site, code, pc - CALL_BYTES_MAX, CALL_BYTES_MAX))
        return NO_CALL;
    if (end[-5] == 0xe8) {
        uint64_t target = displaced(pc, end - 4);
        return target == site->function || stub_leads_to(site, target, site->function) ? CALL_OF_FUNCTION : SOME_CALL;
    }
    for (size_t length = 2; length <= CALL_BYTES_MAX; length++) {
        const uint8_t *at = end - length;
        if (at[0] != 0xff || indirect_call_length(at[1], at[2]) != length)
            continue;
        uint64_t target;
        bool from_got = at[1] == 0x15 && copy_code(site, &target, displaced(pc, at + 2), sizeof target);
        return from_got && target == site->function ? CALL_OF_FUNCTION : SOME_CALL;
    }
    return NO_CALL;
}

static enum verdict judge_place(const struct site *site, uint64_t fp)
{
    uint64_t pc;
    if (fp < site->sp || !unwind_memory_read(site->memory, fp + site->offset - WORD, &pc) || pc < UNWIND_COPY_BYTES)
        return NO_CALL;
    return judge_call(site, pc);
}

/* What the last frame found needs: false where that is not the frame pointer. */
static bool site_find(struct site *site, const struct unwind_registers *registers, const struct unwind_frame *frame)
{
    uint64_t address = frame->exact ? frame->pc : frame->pc - 1;
    const struct unwind_module *module = unwind_module_find(site->unwind->list, address);
    struct frame_description description;
    struct cfa_row row;
    if (registers->known >> UNWIND_FP & 1 || !module || !eh_frame_find(&module->eh_frame, address, &description) ||
        !cfa_program_run(&module->eh_frame, &description, address, &row) || row.cfa_is_expression ||
        row.cfa_register != UNWIND_FP || row.cfa_operand < WORD)
        return false;
    site->pc = address;
    site->function = description.start;
    site->length = description.length;
    site->offset = (uint64_t)row.cfa_operand;
    site->sp = registers->value[UNWIND_SP];
    return site->sp % WORD == 0;
}

/* The walk so far, and what is tried. */
struct trial {
    struct unwind_registers *registers;
    struct unwind_frame *frames;
    size_t *count, room;
    enum unwind_end *end;
};

/* Walks on from here. */
static enum unwind_end try_place(const struct site *site, uint64_t fp, const struct trial *trial,
                                 struct unwind_registers *registers, size_t *count)
{
    enum unwind_end end;
    *registers = *trial->registers;
    registers->value[UNWIND_FP] = fp;
    registers->known |= (uint64_t)1 << UNWIND_FP;
    *count = unwind_stack_continue(site->unwind, registers, site->memory, trial->frames, *trial->count, trial->room, &end);
    return end;
}

static void accept(const struct trial *trial, const struct unwind_registers *registers, size_t count, enum unwind_end end)
{
    *trial->registers = *registers;
    *trial->count = count;
    *trial->end = end;
}

/* Whether the prologue tells where the stack pointer is. What cannot be read may do anything. */
static bool is_predictable(const struct site *site)
{
    enum { PIECE_BYTES = 4096, OVERLAP_BYTES = 2 };
    uint8_t code[PIECE_BYTES];
    for (uint64_t done = 0; done < site->length; done += PIECE_BYTES - OVERLAP_BYTES) {
        uint64_t left = site->length - done, length = left < PIECE_BYTES ? left : PIECE_BYTES;
        if (done > SEARCH_BYTES || !copy_code(site, code, site->function + done, length) || prologue_is_not_all(code, length))
            return false;
    }
    return true;
}

/* Where the prologue puts it, a call by anybody is enough, if the rest of the stack can be walked. */
static bool take_predicted(const struct site *site, uint64_t fp, const struct trial *trial)
{
    struct unwind_registers registers;
    size_t count;
    enum verdict verdict = judge_place(site, fp);
    if (verdict == NO_CALL || (verdict == SOME_CALL && !is_predictable(site)))
        return false;
    enum unwind_end end = try_place(site, fp, trial, &registers, &count);
    if (verdict == SOME_CALL && end != UNWIND_COMPLETE && end != UNWIND_NO_ROOM)
        return false;
    accept(trial, &registers, count, end);
    return true;
}

/* Whether the walk comes by a frame of the function that ends at `cfa`. */
static bool is_walked(const struct site *site, const struct unwind_frame *frames, size_t count, uint64_t cfa)
{
    for (size_t i = 1; i < count && frames[i].sp <= cfa; i++)
        if (frames[i].sp == cfa)
            return frames[i - 1].pc - site->function <= site->length;
    return false;
}

/* Elsewhere only a call of the function counts. What earlier calls have left behind in the frame can look like one, too;
 * walking from there would miss the real one, which lies above. So the first is taken if the walk comes by all others. */
static bool take_proven(const struct site *site, uint64_t from, const struct trial *trial)
{
    struct unwind_registers registers;
    size_t count = 0;
    enum unwind_end end = UNWIND_NO_REGISTER;
    uint64_t word, found = 0;
    for (uint64_t fp = from; fp - from < SEARCH_BYTES && unwind_memory_read(site->memory, fp, &word); fp += WORD) {
        if (judge_place(site, fp) != CALL_OF_FUNCTION)
            continue;
        if (found && !is_walked(site, trial->frames, count, fp + site->offset))
            return false;
        if (!found)
            end = try_place(site, found = fp, trial, &registers, &count);
    }
    if (!found || *site->judged > JUDGED_MAX)
        return false;
    accept(trial, &registers, count, end);
    return true;
}

static bool find_place(const struct site *site, const struct trial *trial)
{
    uint8_t code[PROLOGUE_BYTES];
    struct prologue prologue;
    size_t length = site->pc - site->function < sizeof code ? (size_t)(site->pc - site->function) : sizeof code;
    length = unwind_memory_copy_of(site->memory->pid, code, site->function, length, NULL);
    uint64_t lowest = site->sp;
    if (prologue_read(code, length, &prologue)) {
        /* The stack pointer was aligned, or a few arguments of the call are on the stack, in pairs. */
        uint64_t aligned = site->sp + prologue.after, most = prologue.align ? prologue.align - WORD : ARGUMENTS_BYTES;
        lowest = aligned + prologue.before;
        if (prologue.align && aligned % prologue.align != 0)
            most = 0;
        for (uint64_t more = lowest % (2 * WORD); more <= most; more += 2 * WORD) /* a frame pointer is a multiple of 16 */
            if (take_predicted(site, lowest + more, trial))
                return true;
    }
    return take_proven(site, lowest, trial);
}

size_t frame_search_continue(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                             struct unwind_frame *frames, size_t count, size_t room, enum unwind_end *end)
{
    unsigned judged = 0;
    enum { TIMES_MAX = 4 }; /* a walk can come by more than one: behind code that loses the register */
    for (int i = 0; i < TIMES_MAX && *end == UNWIND_NO_REGISTER; i++) {
        struct site site = {.unwind = unwind, .memory = memory, .judged = &judged};
        if (!site_find(&site, registers, &frames[count - 1]) ||
            !find_place(&site, &(struct trial){registers, frames, &count, room, end}))
            break;
    }
    return count;
}

#else

/* Without the link register not even the first step is known. */
size_t frame_search_continue(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                             struct unwind_frame *frames, size_t count, size_t room, enum unwind_end *end)
{
    (void)unwind, (void)registers, (void)memory, (void)frames, (void)room, (void)end;
    return count;
}

#endif
