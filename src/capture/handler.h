/* The signal through which a thread is asked for its stack.
 *
 * Which signal that is, and what becomes of it if the program wants it for itself: handler_number.h.
 *
 *     sampler                          the thread, in its handler
 *     asked += 1, signal  ──────────▶  its stack into slot.raw
 *     (does not wait)                  answered = asked
 *     next loop: answered? ◀─────────
 *
 * Nobody waits for anybody. That the answer is read one loop later costs nothing: the thread did not run between the question
 * and the handler (or was only just being stopped), so the answer is right for the moment of the question however late it
 * comes, and neither the sampler nor the handler has to wake the other. */
#ifndef SONDE_CAPTURE_HANDLER_H
#define SONDE_CAPTURE_HANDLER_H

#include "capture/core.h"
#include "capture/parts.h"
#include "capture/registration.h"

#include <signal.h>

/* Whether this is our handler: programs are told that there is none. */
bool handler_is(const struct sigaction *action);

/* A wait of the program took this signal. True if it is a question of ours; it is answered then. */
bool handler_took_question(const siginfo_t *info);

/* The calling thread holds the core lock, and with that all signals off: what it was asked meanwhile it answers here. */
void handler_answer_now(void);

/* The calling thread is about to replace the program (exec), and is not asked any more; or that has failed, and it is. False
 * where it never was. */
bool handler_quiet(bool quiet);

/* Not the child of a vfork(), nor one that came without fork(). */
bool handler_is_own_process(void);

/* Who walks native stacks, and whether they are wanted; NULL = only the pc is taken. */
void handler_use(const struct capture_parts *parts, bool native);

/* Has the thread asked by a timer of its own; false where that cannot be. */
bool handler_start_timer(struct registration *thread, const struct own_timer_pace *pace);

/* From now on so, if it still has its timer, which must be of this kind. */
void handler_pace_timer(struct registration *thread, const struct own_timer_pace *pace);

/* Has the thread get a signal so many nanoseconds from now. */
bool handler_set_clock(const struct registration *thread, struct own_clock *clock, uint64_t ns);

/* Asks a thread; false when it is gone, or was asked before and has not answered. */
bool handler_ask(struct registration *thread);

/* Whether what it was asked last is answered: slot.raw may be read. */
static inline bool handler_answered(const struct registration *thread)
{
    /* Acquire: with the number comes what was written before it. */
    return atomic_load_explicit(&thread->slot.answered, memory_order_acquire) ==
           atomic_load_explicit(&thread->slot.asked, memory_order_relaxed);
}

/* The calling thread takes its own stack, for a marker: without the library's own frames. */
void stack_of_myself(struct registration *thread, bool native, struct raw_stack *raw);

/* The same for the sampler: in the handler, whose third argument is `context`, or (NULL) outside. */
void stack_for_sampler(struct registration *thread, const void *context, struct raw_stack *raw);

#endif
