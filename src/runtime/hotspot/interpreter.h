/* The interpreter: rbp frames, in which method, bytecode and the caller's stack pointer are words. */
#ifndef SONDE_RUNTIME_HOTSPOT_INTERPRETER_H
#define SONDE_RUNTIME_HOTSPOT_INTERPRETER_H

#include "runtime/hotspot/walk.h"
#include "unwind/unwind.h"

/* Leaves the frame, and tells of it. `exact`: the pc is where it stands, not behind a call. */
enum unwind_end hotspot_step_interpreter(struct hotspot_walk *walk, struct unwind_registers *registers, bool exact);

/* What was interrupted on its way from a frame that has gone to its caller. False: it was not. */
bool hotspot_leave_interpreter(struct hotspot_walk *walk, struct unwind_registers *registers);

#endif
