# The code of blend.json: as -g blend.s -o blend.o && ld -shared -Ttext=0x1000 blend.o -o blend.so
        .text
        .type main, @function
main:   push %rbx
        mov $1, %edi
        call draw
        mov %eax, %ebx
        pop %rbx
        ret
        .size main, . - main

        .p2align 4
        .type draw, @function
draw:   xor %ecx, %ecx
.Lagain:
        lea (%rcx,%rdi), %eax
        add $1, %ecx
        imul $0x2c1b3c6d, %eax, %edx
        add %edx, %edi
        cmp $20000, %ecx
        jne .Lagain
        lea 1(%rdi), %eax
        kmovq %k1, %rdx
        .rept 24
        add %edx, %eax
        .endr
        .byte 0x06
        ret
        .size draw, . - draw
