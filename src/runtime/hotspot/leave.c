#include "runtime/hotspot/leave.h"

#if defined(__x86_64__)

/* Only what leads to the caller is known behind a frame of Java: it saves no registers for its caller. r15 is the thread
 * everywhere in Java. */
#define KNOWN_BEHIND ((uint64_t)1 << UNWIND_PC | (uint64_t)1 << UNWIND_SP | (uint64_t)1 << UNWIND_FP | (uint64_t)1 << R15)

enum unwind_end hotspot_leave(struct unwind_registers *registers, uint64_t pc, uint64_t sp, uint64_t fp)
{
    registers->value[UNWIND_PC] = pc;
    registers->value[UNWIND_SP] = sp;
    registers->value[UNWIND_FP] = fp;
    registers->known = KNOWN_BEHIND & (registers->known | (uint64_t)1 << UNWIND_PC | (uint64_t)1 << UNWIND_SP);
    return UNWIND_GOES_ON;
}

enum unwind_end hotspot_leave_with_fp(struct unwind_registers *registers, uint64_t pc, uint64_t sp, uint64_t fp)
{
    registers->known |= (uint64_t)1 << UNWIND_FP;
    return hotspot_leave(registers, pc, sp, fp);
}

enum unwind_end hotspot_leave_leaf(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], pc;
    if (!hotspot_read_word(walk, sp, &pc))
        return UNWIND_UNREADABLE;
    return hotspot_leave(registers, pc, sp + 8, registers->value[UNWIND_FP]);
}

enum unwind_end hotspot_leave_pushed(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t sp = registers->value[UNWIND_SP], fp, pc;
    if (!hotspot_read_word(walk, sp, &fp) || !hotspot_read_word(walk, sp + 8, &pc))
        return UNWIND_UNREADABLE;
    return hotspot_leave_with_fp(registers, pc, sp + 16, fp);
}

enum unwind_end hotspot_leave_by_fp(struct hotspot_walk *walk, struct unwind_registers *registers)
{
    uint64_t fp = registers->value[UNWIND_FP], next, pc;
    if (!hotspot_fp_is_known(registers))
        return UNWIND_NO_REGISTER;
    if (fp % 8 != 0 || fp < registers->value[UNWIND_SP] || fp - registers->value[UNWIND_SP] > FRAME_MAX)
        return UNWIND_NO_RULE;
    if (!hotspot_read_word(walk, fp, &next) || !hotspot_read_word(walk, fp + 8, &pc))
        return UNWIND_UNREADABLE;
    return hotspot_leave_with_fp(registers, pc, fp + 16, next);
}

enum unwind_end hotspot_leave_by_size(struct hotspot_walk *walk, struct unwind_registers *registers,
                                      const struct hotspot_blob *blob)
{
    uint64_t callers = registers->value[UNWIND_SP] + 8 * (uint64_t)blob->frame_words, pc, fp;
    if (blob->frame_words < 2)
        return hotspot_leave_leaf(walk, registers);
    if (!hotspot_read_word(walk, callers - 8, &pc) || !hotspot_read_word(walk, callers - 16, &fp))
        return UNWIND_UNREADABLE;
    return hotspot_leave_with_fp(registers, pc, callers, fp);
}

bool hotspot_is_code(const struct hotspot_walk *walk, uint64_t address)
{
    const struct hotspot_code *code = walk->reader.code;
    const struct runtime_layout *head = &walk->reader.layout->head;
    return (address >= atomic_load_explicit(&code->low, memory_order_relaxed) &&
            address < atomic_load_explicit(&code->high, memory_order_relaxed)) ||
           (address >= head->module_start && address < head->module_end);
}

bool hotspot_is_caller(struct hotspot_walk *walk, uint64_t pc, uint64_t sp)
{
    struct hotspot_blob blob;
    uint64_t next;
    if (!hotspot_is_code(walk, pc))
        return false;
    if (!hotspot_blob_at(&walk->reader, pc - 1, &blob) || (blob.kind != BLOB_COMPILED && blob.kind != BLOB_NATIVE_WRAPPER))
        return true;
    return blob.frame_words < 2 ||
           (hotspot_read_word(walk, sp + 8 * (uint64_t)blob.frame_words - 8, &next) && hotspot_is_code(walk, next));
}

#endif
