/* An event that interrupts a thread after each period of its CPU time, opened from outside.
 *
 * It is the kernel's software clock of a task (perf_event_open), for user code only: the signal never comes on the way into a
 * wait, and so never interrupts one. The signal goes to the thread itself. The descriptor belongs to the caller, mostly another
 * process, so the program cannot see it. The kernel allows it where kernel.perf_event_paranoid is at most 2, for threads of the
 * same user. The event ends with exec.
 */
#ifndef SONDE_LOOKER_CPU_EVENT_H
#define SONDE_LOOKER_CPU_EVENT_H

#include <stdint.h>
#include <sys/types.h>

/* A descriptor, or a negative errno. `tid` as the caller sees it. */
int cpu_event_open(pid_t tid, int signal, uint64_t period_ns);

/* Sets the period of the events that follow. The period has to vary: samples with a constant one would be biased for a program
 * that does something at the same rate. */
void cpu_event_set_period(int event, uint64_t period_ns);

/* A random period, with a mean of one event in each `interval_ns` of CPU time. `random` is any number. */
uint64_t cpu_event_period(uint64_t interval_ns, uint64_t random);

#endif
