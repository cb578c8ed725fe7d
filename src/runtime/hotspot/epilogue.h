/* Compiled code that has already given up its frame, and goes on before it returns. */
#ifndef SONDE_RUNTIME_HOTSPOT_EPILOGUE_H
#define SONDE_RUNTIME_HOTSPOT_EPILOGUE_H

#include "runtime/hotspot/code.h"

/* Whether an instruction at `pc` runs there with the stack as it was when the code was entered:
 *
 *     pop %rbp   poll; ja …; ret   or a jump to what rethrows an exception in the caller
 *     leave      of a wrapper of a native method: a poll, a look for an exception, ret
 *     mov $pc, %r10; mov %r10, …(%r15); jmp …     where a poll of these goes, away from the code of the method */
bool hotspot_frame_is_gone(struct hotspot_reader *reader, const struct hotspot_blob *blob, uint64_t pc);

#endif
