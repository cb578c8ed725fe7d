/* Applies a row of the unwind tables in full: any CFA, any place of a register, expressions. Slower than a rule, and needed for
 * few frames: signal frames, functions that realign their stack. */
#ifndef SONDE_UNWIND_ROW_STEP_H
#define SONDE_UNWIND_ROW_STEP_H

#include "unwind/cfa_program.h"
#include "unwind/end.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

/* `youngest`: the frame is not in a call, so that its CFA may be its stack pointer. UNWIND_GOES_ON and
 * the caller's registers, UNWIND_COMPLETE where the row says that there is no caller, or why it cannot be applied. */
enum unwind_end row_step(const struct eh_frame_table *table, const struct frame_description *description,
                         const struct cfa_row *row, bool youngest, struct unwind_registers *registers,
                         struct unwind_memory *memory);

#endif
