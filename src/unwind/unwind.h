/* From registers to a stack of frames, without a debug library, an allocation or a lock.
 *
 *     modules   what is mapped where, and private copies of its unwind tables  (made by one thread, read by all)
 *     cache     pc → rule, shared by all threads, filled as code is met
 *     memory    which stack words may be read, and how
 *
 *     registers of the youngest frame ──▶ step ──▶ registers of its caller ──▶ step ──▶ …
 *
 * A step looks up the rule of the pc (a small value, see x86_64/rule.h and aarch64/rule.h) and applies it. Where there is no
 * rule (code made at run time, hand-written code without tables) it follows the frame pointer, if that leads up the stack.
 * Code of a runtime that knows better is left by its hook.
 *
 * unwind_stack() is safe in a signal handler: it reads its arguments and the stack, writes the frames and the cache, and
 * needs less than 512 bytes of stack. */
#ifndef SONDE_UNWIND_UNWIND_H
#define SONDE_UNWIND_UNWIND_H

#include "unwind/end.h"
#include "unwind/memory.h"
#include "unwind/modules.h"
#include "unwind/registers.h"
#include "unwind/rule_cache.h"

#include <stddef.h>
#include <stdint.h>

/* `pc` of the first frame is where it stands, of all others a return address, which is the instruction behind the call; except
 * for what a signal interrupted, and a function that nobody called but others return to, which stand at their pc, too
 * (`exact`). `sp` is the stack pointer in that frame; the caller's is this frame's CFA. */
struct unwind_frame {
    uint64_t pc;
    uint64_t sp : 63;
    uint64_t exact : 1;
};

/* Code in no module that can only be left by whoever made it: a virtual machine compiles it without tables, and uses the frame
 * pointer for something else. */
struct unwind_hook {
    uint64_t start, end; /* of all such code */
    /* From a frame there to its caller: sets pc, sp and fp, and which registers are known. `exact`: as of unwind_frame. Returns
     * UNWIND_GOES_ON, or how the walk ends; after UNWIND_NO_RULE, with nothing changed, the frame pointer is followed. */
    enum unwind_end (*step)(void *data, struct unwind_registers *registers, struct unwind_memory *memory, bool exact);
    void *data;
};

struct unwind {
    const struct unwind_modules *modules; /* of this process; NULL: those of another one, which are … */
    struct unwind_cache *cache;
    const struct unwind_module_list *list; /* … these. Nobody may change them while a stack is walked */
    uint64_t generation;                   /* of the list: as unwind_modules_generation() */
    /* A module of this process that is not among them (found_module.h); NULL = none is looked for. */
    bool (*find)(uint64_t address, struct unwind_module *out);
    struct unwind_hook hook; /* start = end: none */
};

/* Walks from `registers` (which it changes) into `frames`, youngest first, at most `room`. Returns how many there are. */
size_t unwind_stack(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                    struct unwind_frame *frames, size_t room, enum unwind_end *end);

/* Goes on with a walk that found `count` frames (at least 1) and ended with UNWIND_NO_REGISTER, once the caller has found out
 * about the register. `registers` are otherwise as the walk left them. Returns how many frames there are in all. */
size_t unwind_stack_continue(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                             struct unwind_frame *frames, size_t count, size_t room, enum unwind_end *end);

#endif
