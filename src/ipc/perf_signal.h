/* An event of the kernel (perf_event_open) that sends a signal to the thread that it counts for, after each period.
 *
 * A handler learns nothing of the event but the number of its descriptor, as it was when the signal was asked for, in whatever
 * process that was. So the number says what the event counts:
 *
 *     even             CPU time, in user code               opened by the recorder (looker/cpu_event.h)
 *     4 n + 1          page faults that need no disk        opened by the thread's own process
 *     4 n + 3          page faults that wait for one        (capture/sampler/fault_events.h)
 *
 * All count user code only: kernel.perf_event_paranoid is 2 mostly. Of page faults those that are over are counted, not
 * PERF_COUNT_SW_PAGE_FAULTS, which is raised before the kernel has done anything: a fault that it gives up where a signal is
 * pending would be raised, given up and begun again without end. */
#ifndef SONDE_IPC_PERF_SIGNAL_H
#define SONDE_IPC_PERF_SIGNAL_H

#include <stdint.h>
#include <sys/types.h>

enum perf_signal { PERF_SIGNAL_CPU, PERF_SIGNAL_FAULT, PERF_SIGNAL_MAJOR_FAULT };

/* A descriptor, or a negative errno. `tid` as the caller sees it. The event does not count yet. By system calls alone. */
int perf_signal_open(pid_t tid, enum perf_signal what, int signal, uint64_t period);

/* Of the descriptor that a signal comes with (si_fd). */
static inline enum perf_signal perf_signal_of(int descriptor)
{
    return descriptor % 2 == 0 ? PERF_SIGNAL_CPU : descriptor % 4 == 1 ? PERF_SIGNAL_FAULT : PERF_SIGNAL_MAJOR_FAULT;
}

#endif
