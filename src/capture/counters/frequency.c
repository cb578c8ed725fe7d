#include "capture/counters/frequency.h"

#include "capture/counters/sys_file.h"
#include "session/descriptor.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

unsigned frequency_cores(const char *root)
{
    char path[512], text[256];
    uint64_t last = 0, core;
    if (!SYS_PATH(path, root, "/sys/devices/system/cpu/present") || !sys_file_text(path, text, sizeof text))
        return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
    for (struct sys_list list = {.at = text}; last < FREQUENCY_CORES_MAX && (core = sys_list_next(&list)) != UINT64_MAX;)
        last = core;
    return last < FREQUENCY_CORES_MAX ? (unsigned)last + 1 : FREQUENCY_CORES_MAX;
}

int frequency_open(const char *root, unsigned core)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", root, core);
    return length > 0 && (size_t)length < sizeof path ? descriptor_move_up(open(path, O_RDONLY | O_CLOEXEC)) : -1;
}

int frequency_read(int fd)
{
    char text[32];
    ssize_t length = pread(fd, text, sizeof text, 0);
    long khz = 0;
    ssize_t digits = 0;
    for (; digits < length && digits < 10 && text[digits] >= '0' && text[digits] <= '9'; digits++)
        khz = khz * 10 + (text[digits] - '0');
    return khz > 0 ? (int)(khz / 10000 * 10) : -1;
}
