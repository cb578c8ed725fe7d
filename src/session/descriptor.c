#include "session/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAVE_ABOVE = 8 };

int descriptor_move_up(int fd)
{
    if (fd < 0)
        return fd;
    if (fd >= DESCRIPTOR_LOWEST)
        return fd;
    int moved = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST), lowest = 0;
    struct rlimit limit;
    if (moved < 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > LEAVE_ABOVE &&
        limit.rlim_cur < DESCRIPTOR_LOWEST + LEAVE_ABOVE)
        lowest = (int)limit.rlim_cur - LEAVE_ABOVE;
    if (moved < 0 && fd < lowest)
        moved = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0)
        return fd;
    close(fd);
    return moved;
}

struct descriptor descriptor_keep(int fd)
{
    struct stat status;
    struct descriptor descriptor = {.fd = descriptor_move_up(fd)};
    if (descriptor.fd >= 0 && fstat(descriptor.fd, &status) == 0) {
        descriptor.device = status.st_dev;
        descriptor.inode = status.st_ino;
    }
    return descriptor;
}

int descriptor_get(const struct descriptor *descriptor)
{
    struct stat status;
    int saved = errno;
    bool same = descriptor->fd >= 0 && fstat(descriptor->fd, &status) == 0 && status.st_dev == descriptor->device &&
                status.st_ino == descriptor->inode;
    errno = saved;
    return same ? descriptor->fd : -1;
}

void descriptor_close(struct descriptor *descriptor)
{
    int fd = descriptor_get(descriptor);
    if (fd >= 0)
        close(fd);
    *descriptor = DESCRIPTOR_NONE;
}
