// Code for aarch64, with one word that is no instruction.
        .text
        .type main, %function
main:   stp x29, x30, [sp, #-16]!
        mov w0, #1
        bl draw
        ldp x29, x30, [sp], #16
        ret
        .size main, . - main

        .type draw, %function
draw:   add w0, w0, w0, lsl #2
        cbnz w0, draw
        .inst 0xffffffff
        ret
        .size draw, . - draw
