/* The signal through which a thread is asked for its stack.
 *
 * A real-time signal that the program does not use (the highest one with default disposition), SA_RESTART | SA_SIGINFO |
 * SA_ONSTACK. If the program takes the signal away, another one is chosen. A signal that is not ours goes to the handler
 * that was there before. */
#ifndef SONDE_CAPTURE_HANDLER_H
#define SONDE_CAPTURE_HANDLER_H

#include "capture/registration.h"

/* Installs the handler. Returns the signal's number or a negative errno. */
int handler_install(void);
void handler_remove(void);

/* The signal in use; 0 = none. libsonde-preload keeps it out of the masks and wait sets of the program. */
extern _Atomic int handler_signal;

/* The program is about to install a handler of its own for `signal`: if that is ours, another one is chosen first. */
void handler_signal_taken(int signal);

/* Asks a thread; false when it is gone or was asked before and has not answered. */
bool handler_ask(struct registration *thread);

/* Whether it has answered; waits at most until `deadline` (clock_now()). */
bool handler_wait(struct registration *thread, uint64_t deadline);

/* The calling thread takes its own stack. */
void stack_of_myself(struct registration *thread, bool native, struct raw_stack *raw);

#endif
