/* Ways out of a frame that several kinds of the VM's code share. Each leaves the caller's pc, stack pointer and, where it is
 * known, rbp in `registers`; where it fails it leaves them alone. */
#ifndef SONDE_RUNTIME_HOTSPOT_LEAVE_H
#define SONDE_RUNTIME_HOTSPOT_LEAVE_H

#include "runtime/hotspot/walk.h"
#include "unwind/unwind.h"

enum { RAX = 0, RDX = 1, RBX = 3, R13 = 13, R15 = 15 };

/* No frame is larger: what says so is none. */
enum { FRAME_MAX = 1 << 24 };

static inline bool hotspot_read_word(struct hotspot_walk *walk, uint64_t address, uint64_t *word)
{
    return unwind_memory_read(walk->reader.memory, address, word);
}

static inline bool hotspot_fp_is_known(const struct unwind_registers *registers)
{
    return registers->known >> UNWIND_FP & 1;
}

/* `fp` is known if rbp was … */
enum unwind_end hotspot_leave(struct unwind_registers *registers, uint64_t pc, uint64_t sp, uint64_t fp);
/* … or in any case. */
enum unwind_end hotspot_leave_with_fp(struct unwind_registers *registers, uint64_t pc, uint64_t sp, uint64_t fp);

/* The return address is the first word on the stack, and rbp still the caller's. */
enum unwind_end hotspot_leave_leaf(struct hotspot_walk *walk, struct unwind_registers *registers);

/* rbp has been pushed since, and nothing else. */
enum unwind_end hotspot_leave_pushed(struct hotspot_walk *walk, struct unwind_registers *registers);

/* rbp leads to {the caller's rbp, return address}. */
enum unwind_end hotspot_leave_by_fp(struct hotspot_walk *walk, struct unwind_registers *registers);

/* The frame is as large as its code says, and ends with {the caller's rbp, return address}. */
enum unwind_end hotspot_leave_by_size(struct hotspot_walk *walk, struct unwind_registers *registers,
                                      const struct hotspot_blob *blob);

/* Of the VM: made by it, or its own library's. */
bool hotspot_is_code(const struct hotspot_walk *walk, uint64_t address);

/* Whether the caller can go on at `pc` with its stack from `sp` on: compiled code then has its own return address where its
 * frame ends. What is left of earlier calls looks like return addresses, too. */
bool hotspot_is_caller(struct hotspot_walk *walk, uint64_t pc, uint64_t sp);

static inline void hotspot_emit(struct hotspot_walk *walk, uint64_t place, uint64_t method, int32_t bci, enum frame_tier tier)
{
    walk->emit(walk->data, &(struct hotspot_frame){place, method, bci, tier});
}

/* Code that is no method's: a frame with the name of the code. */
static inline void hotspot_emit_named(struct hotspot_walk *walk, uint64_t place, uint64_t name)
{
    if (name)
        hotspot_emit(walk, place, name, HOTSPOT_NO_BCI, TIER_BUILTIN);
}

#endif
