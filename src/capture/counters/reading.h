/* What the counters of the machine share: how often they are read, and files that are kept open. */
#ifndef SONDE_CAPTURE_COUNTERS_READING_H
#define SONDE_CAPTURE_COUNTERS_READING_H

#include "capture/core/clock.h"
#include "session/descriptor.h"

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Work of the background thread that may take longer than a loop should: it is put off for so long that it takes no more than
 * its share of the time. */
struct pace {
    uint64_t next_ns;
    uint64_t began_cpu_ns; /* CPU time: on a busy machine the thread also waits, which costs nobody anything */
};

static inline bool pace_begin(struct pace *pace, uint64_t now_ns)
{
    if (now_ns < pace->next_ns)
        return false;
    pace->began_cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    return true;
}

/* The next time is as far off as to leave `share` (1 of how many) of the time for it, and at least `least_ns`. */
static inline void pace_end(struct pace *pace, uint64_t share, uint64_t least_ns)
{
    uint64_t wait = (clock_read(CLOCK_THREAD_CPUTIME_ID) - pace->began_cpu_ns) * share;
    pace->next_ns = clock_now() + (wait > least_ns ? wait : least_ns);
}

/* What a file of /proc or /sys that is kept open says now, terminated; false where it cannot be read. */
static inline bool file_reread(const struct descriptor *file, char *text, size_t room)
{
    int fd = descriptor_get(file);
    ssize_t length = fd >= 0 ? pread(fd, text, room - 1, 0) : -1;
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

#endif
