#include "ipc/perf_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(pid_t tid, enum perf_signal what, uint64_t period)
{
    static const uint64_t counted[] = {
        [PERF_SIGNAL_CPU] = PERF_COUNT_SW_TASK_CLOCK,
        [PERF_SIGNAL_FAULT] = PERF_COUNT_SW_PAGE_FAULTS_MIN,
        [PERF_SIGNAL_MAJOR_FAULT] = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
    };
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = counted[what],
        .sample_period = period,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .disabled = 1,
        .wakeup_events = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A descriptor of the same event whose number says what it is; a negative errno: the first one is closed, too. */
static int number_it(int event, enum perf_signal what)
{
    int tried[4], count = 0, failed = 0;
    while (event >= 0 && perf_signal_of(event) != what) {
        tried[count++] = event;
        event = (int)syscall(SYS_fcntl, event, F_DUPFD_CLOEXEC, event + 1);
        failed = event < 0 ? -errno : 0;
        if (count == sizeof tried / sizeof *tried && failed == 0 && perf_signal_of(event) != what) {
            syscall(SYS_close, event);
            failed = event = -EMFILE;
        }
    }
    while (count > 0)
        syscall(SYS_close, tried[--count]);
    return failed ? failed : event;
}

int perf_signal_open(pid_t tid, enum perf_signal what, int signal, uint64_t period)
{
    int event = open_event(tid, what, period);
    if (event < 0)
        return -errno;
    event = number_it(event, what);
    if (event < 0)
        return event;
    struct f_owner_ex owner = {F_OWNER_TID, tid};
    if (syscall(SYS_fcntl, event, F_SETSIG, signal) == 0 && syscall(SYS_fcntl, event, F_SETOWN_EX, &owner) == 0 &&
        syscall(SYS_fcntl, event, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return event;
    int failed = -errno;
    syscall(SYS_close, event);
    return failed;
}
