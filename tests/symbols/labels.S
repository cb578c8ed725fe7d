/* Symbols as compilers and people write them, and what is asked of them in elf_symbols.c. The code is never run. */

    .text
    .globl  first
first:
    .skip   16

/* A function with another entry in its middle, and a label without a size. */
    .globl  outer
    .type   outer, %function
outer:
    .skip   16
    .globl  inner
    .type   inner, %function
inner:
    .skip   8
    .size   inner, 8
label:
    .skip   8
    .size   outer, 32

/* A function, and nobody's code behind it. */
    .globl  short
    .type   short, %function
short:
    .skip   4
    .size   short, 4
    .skip   12

/* Names for the same function. */
    .globl  __libc_allocate
    .weak   allocate
    .type   __libc_allocate, %function
    .type   allocate, %function
    .type   local_allocate, %function
__libc_allocate:
allocate:
local_allocate:
    .skip   16
    .size   __libc_allocate, 16
    .size   allocate, 16
    .size   local_allocate, 16

/* A shorter one at the same start. */
    .globl  whole, part
    .type   whole, %function
    .type   part, %function
whole:
part:
    .skip   32
    .size   whole, 32
    .size   part, 4

/* Hand-written: a type, but no size. A mark between code and data is no function. */
    .globl  by_hand
    .type   by_hand, %function
by_hand:
    .skip   16
"$d":
    .skip   16
    .globl  by_hand_too
    .type   by_hand_too, %function
by_hand_too:
    .skip   16

    .globl  chosen
    .type   chosen, %gnu_indirect_function
chosen:
    .skip   16
    .size   chosen, 16

    .globl  last
    .type   last, %function
last:
    .skip   16

    .data
    .globl  not_code
    .type   not_code, %function
not_code:
    .skip   64
    .size   not_code, 64
    .section .note.GNU-stack, "", %progbits
