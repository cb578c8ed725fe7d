#include "capture/sampler/fault_events.h"

#include "capture/sampler/thread_clock.h"
#include "ipc/perf_signal.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t wanted_period;

void fault_events_want(const char *period)
{
    wanted_period = period ? (uint32_t)strtoul(period, NULL, 10) : 0;
}

uint32_t fault_events_period(void)
{
    return wanted_period;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* NULL: errno says why. */
static void *open_one(pid_t tid, enum perf_signal what, uint64_t period)
{
    int event = perf_signal_open(tid, what, SAMPLE_SIGNAL, period);
    if (event < 0) {
        errno = -event;
        return NULL;
    }
    void *kept = mmap(NULL, page_bytes(), PROT_READ, MAP_SHARED, event, 0);
    int failed = kept == MAP_FAILED || syscall(SYS_ioctl, event, PERF_EVENT_IOC_ENABLE, 0) != 0 ? errno : 0;
    if (failed && kept != MAP_FAILED)
        munmap(kept, page_bytes());
    syscall(SYS_close, event);
    errno = failed;
    return failed ? NULL : kept;
}

int fault_events_open(struct fault_events *events, pid_t tid)
{
    /* Those that wait for a disk are few, and cost much more than a sample. */
    if (!(events->kept[0] = open_one(tid, PERF_SIGNAL_FAULT, wanted_period)))
        return -errno;
    if (!(events->kept[1] = open_one(tid, PERF_SIGNAL_MAJOR_FAULT, 1))) {
        int failed = -errno;
        fault_events_close(events);
        return failed;
    }
    return 0;
}

void fault_events_close(struct fault_events *events)
{
    for (int i = 0; i < FAULT_EVENTS; i++) {
        if (events->kept[i])
            munmap(events->kept[i], page_bytes());
        events->kept[i] = NULL;
    }
}
