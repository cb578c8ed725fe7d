/* Adapters between compiled code and the interpreter: they have no frame, and move the caller's arguments.
 *
 *     from the interpreter (i2c)      r13 is the caller's stack pointer all the time, its return address the word below
 *     from compiled code (c2i)        a leaf; then arguments are put below the return address, which has moved into rax:
 *
 *         mov %rsp, %r13; mov (%rsp), %rax; …; mov %r13, %rsp     the caller is told of the interpreter's entry, or not
 *         pop %rax; mov %rsp, %r13; sub …; mov %rax, (%rsp); …    JDK 25: lea 8(%rsp), %r13; pop %rax; … */
#ifndef SONDE_RUNTIME_HOTSPOT_ADAPTER_H
#define SONDE_RUNTIME_HOTSPOT_ADAPTER_H

#include "runtime/hotspot/code.h"
#include "runtime/hotspot/walk.h"
#include "unwind/unwind.h"

enum unwind_end hotspot_step_adapter(struct hotspot_walk *walk, struct unwind_registers *registers,
                                     const struct hotspot_blob *blob, bool exact);

#endif
