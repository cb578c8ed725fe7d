#include "looker/cpu_event.h"

#include "ipc/perf_signal.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cpu_event_open(pid_t tid, int signal, uint64_t period_ns)
{
    int event = perf_signal_open(tid, PERF_SIGNAL_CPU, signal, period_ns);
    if (event < 0 || ioctl(event, PERF_EVENT_IOC_ENABLE, 0) == 0)
        return event;
    int failed = -errno;
    close(event);
    return failed;
}

void cpu_event_set_period(int event, uint64_t period_ns)
{
    (void)ioctl(event, PERF_EVENT_IOC_PERIOD, &period_ns);
}

uint64_t cpu_event_period(uint64_t interval_ns, uint64_t random)
{
    /* Periods are spread evenly from ½ to 1½ of a mean. A period that is used for a while brings the more events the shorter it
     * is: on average ln 3 in a mean. */
    const double ln_3 = 1.0986122886681098;
    double share = 0.5 + (double)(random >> 11) * 0x1p-53;
    return (uint64_t)((double)interval_ns * ln_3 * share);
}
