#include "capture/core/origin.h"

#include "capture/core/clock.h"
#include "session/chunk_file.h"
#include "session/format.h"
#include "session/reader.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* 0 = it has none, or none yet. */
static uint64_t start_in(int fd)
{
    struct session_file_header header;
    const size_t needed = offsetof(struct session_file_header, start_realtime_ns);
    bool valid =
        pread(fd, &header, needed, 0) == (ssize_t)needed && memcmp(header.magic, SESSION_MAGIC, sizeof header.magic) == 0;
    return valid ? header.start_monotonic_ns : 0;
}

/* What the last file says that the session has of this process id; 0 = there is none. */
static uint64_t start_of_last(const char *folder)
{
    char path[PATH_MAX];
    size_t length = strlen(folder);
    uint64_t start = 0;
    if (length + 1 >= sizeof path)
        return 0;
    memcpy(path, folder, length);
    path[length++] = '/';
    for (unsigned image = 0; chunk_file_name(path + length, sizeof path - length, (unsigned)getpid(), image); image++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0)
            break;
        uint64_t said = start_in(fd);
        start = said ? said : start;
        close(fd);
    }
    return start;
}

void origin_set(void)
{
    const char *folder = getauxval(AT_SECURE) ? NULL : getenv("SONDE_SESSION");
    uint64_t before = folder && *folder ? start_of_last(folder) : 0;
    if (before == 0) {
        clock_origin = clock_read(CLOCK_MONOTONIC);
        return;
    }
    /* One that has the number of a process that is gone began later than that. */
    clock_set_origin();
    if (clock_origin < before || session_same_process(clock_origin, before))
        clock_origin = before;
}
