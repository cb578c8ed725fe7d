/* A HotSpot that is drawn: a piece of memory with a code cache, methods and a stack, laid out as its layout says, for the
 * walker to read. Nothing in it runs. */
#ifndef SONDE_TESTS_SUPPORT_DRAWN_HOTSPOT_H
#define SONDE_TESTS_SUPPORT_DRAWN_HOTSPOT_H

#include "runtime/hotspot/names.h"
#include "runtime/hotspot/step.h"

#include <stddef.h>
#include <stdint.h>

enum { DRAWN_FRAMES = 64 };

/* Which way the tables of compiled code are kept. */
enum drawn_version { DRAWN_17 = 17, DRAWN_25 = 25 };

struct drawn_inlining {
    uint64_t method;
    int bci;
};

struct drawn_code {
    const char *blob; /* "nmethod", … */
    int frame_words, frame_complete;
    uint64_t method;
    int level;
    const char *bytes;               /* its instructions, in hexadecimal; NULL = nops */
    int entry;                       /* offset of its verified entry */
    int deopt;                       /* offset of its deopt handler; 0 = none */
    int pc;                          /* a place in the code where stand … */
    struct drawn_inlining scopes[4]; /* … these, innermost first; ends with method 0 */
};

/* Begins anew. Everything is forgotten, what the walker has learnt too. */
void draw_vm(enum drawn_version version);

/* The address of a Method. `lines` are {bytecode, line} pairs, or NULL. */
uint64_t draw_method(const char *class_name, const char *name, const char *signature, const char *file, size_t bytecodes);
void draw_lines(uint64_t method, const uint8_t *table, size_t length);
uint64_t drawn_bytecodes(uint64_t method); /* where they begin */
void draw_bytecodes_elsewhere(uint64_t method);

/* The address of the first instruction. */
uint64_t draw_code(const struct drawn_code *code);

uint64_t drawn_interpreter(void);       /* somewhere in the interpreter */
uint64_t drawn_method_entry(void);      /* its entry code for methods */
uint64_t drawn_call_stub(void);         /* the address that Java returns to through the call stub */
uint64_t drawn_continuation(void);      /* the stub that thaws frames of virtual threads; 0 but for DRAWN_25 */
uint64_t drawn_continuation_code(void); /* the code that entered the virtual thread */
uint64_t drawn_native_code(void);       /* code of libjvm */

/* The stack: word 0 is the lowest. */
uint64_t drawn_stack(size_t word);
void draw_word(size_t word, uint64_t value);

/* Any byte of all that, the stack first; `place` is taken modulo its size. */
void draw_byte(size_t place, uint8_t value);

/* Registers of a thread that was interrupted. */
struct drawn_registers {
    uint64_t pc, sp, fp, rax, rbx, r13, r15;
};

/* Walks, and gives what was found as lines "name tier bci @word", youngest first; bci −1 is "?". */
const char *walk_drawn(const struct drawn_registers *registers);
const char *drawn_builtins(void); /* code that is no method's, in the last walk: "name @word" */
extern struct unwind_frame drawn_native[DRAWN_FRAMES];
extern size_t drawn_native_count;
extern enum unwind_end drawn_end;

struct hotspot_reader *drawn_reader(void);
struct hotspot_methods *drawn_methods(void);
struct hotspot_layout *drawn_layout(void);

#endif
