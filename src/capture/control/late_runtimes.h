/* Language runtimes that a program loads while it runs (the VM of a Java launcher): found where the program makes a thread, as
 * all of them do before they run code of a program. */
#ifndef SONDE_CAPTURE_CONTROL_LATE_RUNTIMES_H
#define SONDE_CAPTURE_CONTROL_LATE_RUNTIMES_H

/* Called before a thread is made, not in a signal handler. Costs next to nothing as long as no library was loaded. */
void late_runtimes_look(void);

#endif
