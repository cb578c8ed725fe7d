/* Compiled code: frames of one size, which come and go at once, with rbp in them. */
#ifndef SONDE_RUNTIME_HOTSPOT_COMPILED_H
#define SONDE_RUNTIME_HOTSPOT_COMPILED_H

#include "runtime/hotspot/walk.h"
#include "unwind/unwind.h"

/* Leaves the frame, and tells of it. `exact`: the pc is where it stands, not behind a call. */
enum unwind_end hotspot_step_compiled(struct hotspot_walk *walk, struct unwind_registers *registers,
                                      const struct hotspot_blob *blob, bool exact);

#endif
