#include "capture/core/own_files.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>

/* By descriptor: the inode of our file, folded, 0 = none. Pages that nobody writes take no memory, but all that the library has
 * is to stay below 2 MiB (pages.c). */
enum { FILES_MAX = 1 << 16 };
_Alignas(4096) static _Atomic uint32_t inodes[FILES_MAX];

/* Where to look. */
static _Atomic int lowest = FILES_MAX, highest = -1;

static bool inode_of(int fd, uint32_t *inode)
{
    struct stat status;
    int saved_errno = errno;
    bool found = fstat(fd, &status) == 0 && status.st_ino != 0;
    errno = saved_errno;
    uint64_t number = found ? status.st_ino : 0;
    *inode = (uint32_t)(number ^ number >> 32);
    *inode += found && *inode == 0;
    return found;
}

void own_file_add(int fd)
{
    uint32_t inode;
    if (fd < 0 || fd >= FILES_MAX || !inode_of(fd, &inode))
        return;
    int bound = atomic_load_explicit(&lowest, memory_order_relaxed);
    while (fd < bound &&
           !atomic_compare_exchange_weak_explicit(&lowest, &bound, fd, memory_order_relaxed, memory_order_relaxed))
        ;
    bound = atomic_load_explicit(&highest, memory_order_relaxed);
    while (fd > bound &&
           !atomic_compare_exchange_weak_explicit(&highest, &bound, fd, memory_order_relaxed, memory_order_relaxed))
        ;
    atomic_store_explicit(&inodes[fd], inode, memory_order_relaxed);
}

/* So that pages of the table stay untouched of which nothing is known. */
static bool is_within(int fd)
{
    return fd >= atomic_load_explicit(&lowest, memory_order_relaxed) &&
           fd <= atomic_load_explicit(&highest, memory_order_relaxed);
}

void own_file_remove(int fd)
{
    if (is_within(fd) && atomic_load_explicit(&inodes[fd], memory_order_relaxed) != 0)
        atomic_store_explicit(&inodes[fd], 0, memory_order_relaxed);
}

bool own_file_is(int fd)
{
    uint32_t known = is_within(fd) ? atomic_load_explicit(&inodes[fd], memory_order_relaxed) : 0, inode;
    if (known == 0)
        return false;
    if (inode_of(fd, &inode) && inode == known)
        return true;
    own_file_remove(fd);
    return false;
}

int own_file_next(int fd)
{
    int first = atomic_load_explicit(&lowest, memory_order_relaxed);
    int last = atomic_load_explicit(&highest, memory_order_relaxed);
    for (int each = fd > first ? fd : first; each <= last; each++)
        if (own_file_is(each))
            return each;
    return -1;
}
