/* Instructions as text. */
#ifndef SONDE_SYMBOLS_DISASSEMBLE_H
#define SONDE_SYMBOLS_DISASSEMBLE_H

#include "symbols/code.h"

#include <stdbool.h>

/* x86 has two ways to be written; ARM code is the same in both. */
enum asm_syntax { ASM_INTEL, ASM_ATT, ASM_SYNTAXES };

struct disassembler;

/* Belongs to one thread at a time. NULL when the heap is empty. */
struct disassembler *disassembler_open(enum code_arch arch, enum asm_syntax syntax, struct error *error);
void disassembler_close(struct disassembler *disassembler); /* NULL is fine */

enum { INSTRUCTION_TEXT = 224 };

struct instruction {
    uint32_t size;               /* bytes, never 0 */
    bool has_target;             /* it jumps to, or calls, a place that it names */
    uint64_t target;             /* … on the scale of `address` */
    char text[INSTRUCTION_TEXT]; /* "mov rax, rdi"; "(bad)" where the bytes are none, "(unknown)" where they are an
                                    instruction of x86 that is newer than the disassembler */
};

/* The instruction that `bytes` begin with, which are more than none; `address` is where they are loaded. What is no instruction
 * is one byte long on x86, and four on ARM. */
void disassemble(struct disassembler *disassembler, struct slice bytes, uint64_t address, struct instruction *instruction);

#endif
