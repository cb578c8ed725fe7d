/* Finds the frame pointer of a function in the middle of a stack, where nothing else tells it.
 *
 * Of a thread that waits the kernel tells the stack pointer and the pc, no other register. Most functions need no more; those
 * with a frame pointer (built with -fno-omit-frame-pointer or without optimisation, with alloca, or with a realigned stack) do,
 * unless some callee has saved it:
 *
 *     read          needs the stack pointer alone, does not touch rbp
 *     f             cfa = rbp + 16, and rbp is not known
 *
 *     sp ──▶ │ locals of f            │
 *            │ …                      │
 *     rbp ─▶ │ the caller's rbp       │   this place is looked for, from sp up: behind it stands an address,
 *            │ return address         │   and the instruction before that is a call
 *     cfa ─▶ │ …                      │
 *
 * The first instructions of f tell how far rbp is from sp (prologue.h), unless f takes stack space at run time. At that place
 * any call instruction before the return address is enough, if the rest of the stack can be unwound to its end. At places above
 * it, only an instruction that provably calls f counts: a direct call, or one through the PLT or GOT that leads to f. */
#ifndef SONDE_LOOKER_FRAME_SEARCH_H
#define SONDE_LOOKER_FRAME_SEARCH_H

#include "unwind/unwind.h"

/* Goes on with a walk of `count` frames that ended with UNWIND_NO_REGISTER, if it can. Otherwise frames and `end` are as
 * before. Returns how many frames there are in all. */
size_t frame_search_continue(const struct unwind *unwind, struct unwind_registers *registers, struct unwind_memory *memory,
                             struct unwind_frame *frames, size_t count, size_t room, enum unwind_end *end);

#endif
