#include "record/scarcity.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { LOOK_EVERY_NS = 20000000 };
static const double newest_share = 0.5, busy_share = 0.75;

/* "0.60 3.17 5.34 2/234 12345": the 2. */
static bool read_running(unsigned *running)
{
    char text[128];
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = 0;
    return sscanf(text, "%*s %*s %*s %u/", running) == 1;
}

static int usable_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void scarcity_add(struct scarcity *scarcity, unsigned running)
{
    double others = running > 0 ? running - 1 : 0;
    scarcity->running += (others - scarcity->running) * newest_share;
}

bool scarcity_is(const struct scarcity *scarcity)
{
    return scarcity->running > busy_share * scarcity->cpus;
}

bool scarcity_look(struct scarcity *scarcity, uint64_t now_ns)
{
    unsigned running;
    if (scarcity->looked_ns != 0 && now_ns - scarcity->looked_ns < LOOK_EVERY_NS)
        return scarcity_is(scarcity);
    scarcity->looked_ns = now_ns;
    if (scarcity->cpus == 0)
        scarcity->cpus = usable_cpus();
    if (read_running(&running))
        scarcity_add(scarcity, running);
    return scarcity_is(scarcity);
}
