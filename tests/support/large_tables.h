/* Unwind tables of ten thousand functions of one instruction: so large that those of a library are
 * mapped from its file. */
#ifndef SONDE_TESTS_LARGE_TABLES_H
#define SONDE_TESTS_LARGE_TABLES_H

__asm__(".text\n"
        ".rept 10000\n"
        ".cfi_startproc\n"
        "nop\n"
        ".cfi_endproc\n"
        ".endr\n");

#endif
