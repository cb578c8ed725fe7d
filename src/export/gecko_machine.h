/* What is known of the machine that the session is exported on, which is where it was recorded. */
#ifndef SONDE_EXPORT_GECKO_MACHINE_H
#define SONDE_EXPORT_GECKO_MACHINE_H

#include <sys/utsname.h>

struct gecko_machine {
    struct utsname system;
    char cpu_name[128];                   /* empty = not known */
    unsigned physical_cpus, logical_cpus; /* 0 = not known; physical ones are cores */
};

/* Where the kernel describes the CPUs: /proc/cpuinfo, or for tests a file like it. What cannot be read stays unknown. */
void gecko_machine_read(struct gecko_machine *machine, const char *cpuinfo);

#endif
