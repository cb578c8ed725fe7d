/* Code that was compiled while the program ran: what its compiler wrote down for profilers.
 *
 *     perf-PID.map   a line for each function: START SIZE NAME, numbers in hexadecimal digits
 *     jit-PID.dump   "jitdump": records with functions, their code, their lines, and when functions moved
 *
 * Addresses are those of the process. Memory is used again: the function that was written down last is the one at an address.
 * Files of programs that were killed end anywhere, and are not trusted. */
#ifndef SONDE_SYMBOLS_JIT_H
#define SONDE_SYMBOLS_JIT_H

#include "common/error.h"
#include "common/slice.h"
#include "common/vec.h"

#include <stdint.h>

struct jit_line {
    uint64_t offset; /* from the start of the function */
    struct slice file;
    uint32_t line;
};

/* The lines of one function, which all places that it moved to share. */
struct jit_lines {
    struct slice bytes; /* as they are in the file, until somebody asks */
    uint64_t start;     /* of the function when they were written */
    bool read;
    size_t first, count; /* in jit_code.lines, by offset */
};

struct jit_function {
    uint64_t start, size;
    struct slice name;
    uint32_t lines; /* row of jit_code.line_tables, or UINT32_MAX */
};

/* Texts are pieces of the file's bytes. */
struct jit_code {
    VEC(struct jit_function) functions; /* in the order of the file */
    VEC(struct jit_lines) line_tables;
    VEC(struct jit_line) lines;
};

/* Both append what they find. What is not a line, or not a whole record, is passed over. False when the heap is empty. */
bool perf_map_read(struct slice bytes, struct jit_code *code);

/* -EBADMSG with a message where it is no jitdump of this machine; -ENOMEM; or 0. */
int jitdump_read(struct slice bytes, struct jit_code *code, struct error *error);

/* The function at each of the addresses: row of `functions`, or UINT32_MAX. Takes the time of a sort, whatever the file says.
 * -ENOMEM or 0. */
int jit_code_find(const struct jit_code *code, const uint64_t *addresses, size_t count, uint32_t *found, struct error *error);

/* The line at an offset of a function, or NULL. *out_of_memory is set where that is the reason. */
const struct jit_line *jit_code_line(struct jit_code *code, const struct jit_function *function, uint64_t offset,
                                     bool *out_of_memory);

void jit_code_free(struct jit_code *code);

#endif
