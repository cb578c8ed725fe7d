/* How far below its frame pointer a function puts its stack pointer: what its first instructions say. x86-64 only.
 *
 *     push %rbp
 *     mov  %rsp, %rbp            rbp − rsp =  0
 *     push %r12; push %rbx                   16
 *     and  $-32, %rsp                        16 … 40, the next multiple of 32
 *     sub  $200, %rsp                       216 … 240
 *     …                          whatever it takes at run time (alloca, arguments of a call) comes on top
 *
 * The unwind tables do not say so: they go by the frame pointer. */
#ifndef SONDE_LOOKER_PROLOGUE_H
#define SONDE_LOOKER_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prologue {
    uint64_t before; /* pushed before the stack pointer was aligned; all of it where it was not … */
    uint64_t align;  /* … in which case this is 0; at most a page */
    uint64_t after;  /* taken after that */
};

/* The prologues of compilers are no longer than this. */
enum { PROLOGUE_BYTES = 192 };

/* Reads `length` bytes of code from the start of a function, no further than to where it stands. False where there is no frame
 * pointer, or an instruction that is not known stands before it. */
bool prologue_read(const uint8_t *code, size_t length, struct prologue *out);

/* Whether code of the function takes as much of the stack as a register says (alloca, arrays of variable length): then the
 * prologue does not tell where the stack pointer is. Looks for the bytes of such instructions, and so says yes too often rather
 * than too seldom. */
bool prologue_is_not_all(const uint8_t *code, size_t length);

#endif
