/* Names as they were written: C++ (Itanium) and Rust (both schemes).
 *
 *     _ZN5scene4drawEi.cold                      scene::draw(int) [clone .cold]
 *     _ZN4core3ptr4swap17h0123456789abcdefE      core::ptr::swap                    without the hash
 *     malloc@@GLIBC_2.2.5                        malloc
 *
 * Names from files can be made so that their readable form has no end: time, memory and stack are bounded, and what goes beyond
 * stays as it is. */
#ifndef SONDE_SYMBOLS_DEMANGLE_H
#define SONDE_SYMBOLS_DEMANGLE_H

#include "common/text_buffer.h"

enum {
    DEMANGLE_MOST_INPUT = 4096,
    DEMANGLE_MOST_OUTPUT = 64 << 10,
};

/* Appends the readable form of `name`, and is true; false with `out` as it was where the name is readable already or cannot be
 * made so. Memory running out is seen in `out`. */
bool demangle(struct slice name, struct text_buffer *out);

#endif
