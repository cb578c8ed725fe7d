/* An event that interrupts a thread after each period of its CPU time, opened from outside.
 *
 * The kernel's software clock of a task (perf_event_open), user code only: the signal never comes on the way into a wait, and
 * so never ends one. It goes to the thread itself. The descriptor is the caller's, in another process mostly: nothing of it can
 * be seen in the program. Allowed where kernel.perf_event_paranoid is at most 2, for threads of the same user. Ends with exec.
 */
#ifndef SONDE_LOOKER_CPU_EVENT_H
#define SONDE_LOOKER_CPU_EVENT_H

#include <stdint.h>
#include <sys/types.h>

/* A descriptor, or a negative errno. `tid` as the caller sees it. */
int cpu_event_open(pid_t tid, int signal, uint64_t period_ns);

/* From now on. The period has to vary: a program in step with one that does not would be shown wrongly. */
void cpu_event_set_period(int event, uint64_t period_ns);

/* A period at random, so that there is on average one event in each `interval_ns` of CPU time. `random` is any number. */
uint64_t cpu_event_period(uint64_t interval_ns, uint64_t random);

#endif
