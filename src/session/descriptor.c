#include "session/descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LOWEST_WANTED = 1000, LEAVE_ABOVE = 8 };

int descriptor_move_up(int fd)
{
    if (fd < 0)
        return fd;
    int lowest = LOWEST_WANTED;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < LOWEST_WANTED + LEAVE_ABOVE)
        lowest = limit.rlim_cur > LEAVE_ABOVE ? (int)limit.rlim_cur - LEAVE_ABOVE : 0;
    if (fd >= lowest)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}
