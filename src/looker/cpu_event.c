#include "looker/cpu_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int send_signal_to(int event, pid_t tid, int signal)
{
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    if (syscall(SYS_fcntl, event, F_SETSIG, signal) != 0 || syscall(SYS_fcntl, event, F_SETOWN_EX, &owner) != 0 ||
        syscall(SYS_fcntl, event, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 || ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0)
        return -errno;
    return 0;
}

int cpu_event_open(pid_t tid, int signal, uint64_t period_ns)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period_ns,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .disabled = 1,
        .wakeup_events = 1,
    };
    int event = (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0)
        return -errno;
    int failed = send_signal_to(event, tid, signal);
    if (failed) {
        close(event);
        return failed;
    }
    return event;
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
