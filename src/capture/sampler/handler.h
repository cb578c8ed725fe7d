/* The signal that samples a running thread, and what the thread does in its handler.
 *
 *     the kernel: the thread has used a period of CPU time          (thread_clock.h; looker/cpu_event.h)
 *         │ SIGPROF, to this thread, on its own CPU
 *         ▼
 *     handler: walks its own stack ──▶ writes a SAMPLE into a chunk (sample_writer.h) ──▶ goes on
 *
 * Nobody asks, collects or waits. In the handler there is no lock, no allocation and no system call: a program that shuts
 * itself in with seccomp goes on being sampled. (One exception, where memory outside of the thread's own stack has to be read:
 * module_watch.c.)
 *
 * SIGPROF, because it is what profilers use: debuggers pass it on, Go's runtime ignores it, and it is not queued, so that no
 * limit on queued signals can turn it into another one. A program that uses it itself has its own handler called for all but
 * ours: src/preload/signals.c. */
#ifndef SONDE_CAPTURE_SAMPLER_HANDLER_H
#define SONDE_CAPTURE_SAMPLER_HANDLER_H

#include "capture/core/parts.h"
#include "capture/sampler/registration.h"

#include <signal.h>
#include <string.h>

/* A set of signals as the kernel has it: bit 0 is signal 1. */
static inline uint64_t signal_bits(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof bits);
    return bits;
}

/* Installs the handler, once; it stays: a signal that is on its way would end the process otherwise. What was there before is
 * called for signals that are not ours. `after_exec`: the program took the place of a recorded one, so if the signal is
 * ignored, we did that (handler_quiet), not the program, unless that is expected. 0 or a negative errno. */
int handler_install(bool after_exec);
/* Before that: the program that this one took the place of ignored the signal itself. */
void handler_expect_ignored(void);
bool handler_is_installed(void);

/* Whether the action is our handler: programs are told what they set themselves. */
bool handler_is(const struct sigaction *action);

/* sigaction() of the program for the signal: it has it from now on, as far as it can tell. Before the handler is installed that
 * is the real one. Either may be NULL. As sigaction(). */
int handler_change_action(const struct sigaction *wanted, struct sigaction *before);

/* Whether the program ignores it, as far as it can tell. */
bool handler_is_ignored(void);

/* After a function of the C library that sets the action behind our back, for gprof: what it has set is the program's until it
 * puts ours back. */
void handler_take_back(void);

/* Whether the program has blocked the signal on the calling thread, as far as it can tell: its own are held back until it
 * unblocks it. (The kernel's mask has it only while one of them waits.) `mask` is the kernel's, bit 0 is signal 1: what it is,
 * or will be when the signal is blocked. */
bool handler_is_blocked(uint64_t mask);
void handler_set_blocked(bool blocked, uint64_t mask);

/* The calling thread has begun with a mask from outside, or (`blocked`) from a thread that had the signal blocked. */
void handler_adopt_mask(bool blocked);

/* The function of the C library, where somebody stands in front of it. */
void handler_use_sigaction(int (*real)(int number, const struct sigaction *action, struct sigaction *old));

/* Before the program is replaced (exec), or that has failed: a signal that is on its way when it is would end the new program.
 * Ignored ones stay ignored there. */
void handler_quiet(bool quiet);

/* The parts of that which the child of a vfork() needs, too: the new program inherits the mask that the old one believed to
 * have, and the signal as ignored where it was: an action that is ours becomes the default. */
void handler_pass_mask_on(bool begins);
void handler_pass_ignored_on(void);

/* Who walks native stacks, and whether they are wanted; NULL = only the pc is taken. */
void handler_use(const struct capture_parts *parts, bool native);

/* Another library of ours, whose frames are not the program's either. */
void handler_note_library(const char *start, const char *end);

/* The calling thread takes its own stack, for a marker: without the library's own frames. */
void stack_of_myself(struct registration *thread, bool native, struct raw_stack *raw);

#endif
