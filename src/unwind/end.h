/* How a walk ended, or a step of it. */
#ifndef SONDE_UNWIND_END_H
#define SONDE_UNWIND_END_H

/* Only the first one means that the stack is complete. */
enum unwind_end {
    UNWIND_COMPLETE, /* the outermost frame: return address undefined or 0, as in _start and clone, or no rule and frame pointer
                        0 */
    UNWIND_NO_ROOM,  /* more frames than asked for */
    UNWIND_NO_RULE,  /* no rule, and the frame pointer leads nowhere */
    UNWIND_UNREADABLE,  /* a word that the rule needs cannot be read */
    UNWIND_NO_REGISTER, /* a register that the rule needs is not known (see registers.h) */
    UNWIND_NO_PROGRESS, /* the caller would lie below its callee */
    UNWIND_END_COUNT,
    UNWIND_GOES_ON = UNWIND_END_COUNT, /* not an end; for use inside the unwinder */
};

/* For messages: "complete", "no rule" … */
const char *unwind_end_name(enum unwind_end end);

#endif
