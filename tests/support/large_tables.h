/* Unwind tables of ten thousand functions of one instruction: so large that they are mapped from the file of the program. */
#ifndef SONDE_TESTS_LARGE_TABLES_H
#define SONDE_TESTS_LARGE_TABLES_H

__asm__(".text\n"
        ".rept 10000\n"
        ".cfi_startproc\n"
        "nop\n"
        ".cfi_endproc\n"
        ".endr\n");

#endif
