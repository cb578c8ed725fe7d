/* The number of the signal through which threads are asked (handler.h).
 *
 * A real-time signal that the program does not handle, SA_RESTART | SA_SIGINFO | SA_ONSTACK. If the program wants the number
 * for itself, another one is chosen. A signal with that number that nobody here sent does what it would have done without us:
 * it ends the process, or waits where the thread would have blocked it (masks.h).
 *
 *     free ── taken ──▶ hidden from signalfds ──▶ in use: threads are asked with it
 *                                                   │ the program wants it: another one is taken
 *                                                   ▼
 *     the program's ◀── shown to signalfds ◀── given up: threads settle for the other */
#ifndef SONDE_CAPTURE_HANDLER_NUMBER_H
#define SONDE_CAPTURE_HANDLER_NUMBER_H

#include "capture/core.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The signal in use; 0 = none. Threads may give it up at the same time: the first of them has it chosen anew. */
enum { HANDLER_CHOOSES = -1 };
extern _Atomic int handler_signal;

/* That signal and those that were given up, as bits, as long as they have our handler. */
extern _Atomic uint64_t handler_numbers;

/* Installs the handler. Returns the signal's number or a negative errno. It stays for the life of the process: a signal that is
 * still on its way to a thread, or blocked by one, would end the process. Where nobody was asked it does nothing. */
int handler_install(void);

/* True if the signal is still ours; where the program has set a handler of its own, another signal is taken. */
bool handler_check(void);

/* Before threads are asked; when nobody asks any more; and in a forked child, where nobody does. */
void handler_collect(const struct core_locked *locked);
void handler_rest(void);
void handler_forked(void);

/* The program is about to set its own handler for `signal`, to send it to itself, or to have it raised by a timer or a message
 * queue (libsonde-preload): if it is ours, another one is taken. When this returns the program's threads have the masks that it
 * gave them, see masks.h. */
void handler_signal_taken(int signal);
void handler_signal_sent(int signal);
void handler_signal_reserved(int signal);

/* The calling thread blocks `number`, nobody asks it with that any more, and its timer is stopped: takes what that raised
 * before. */
void handler_drain(int number);

#endif
