#include "ipc/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct quota *map(int fd)
{
    void *bytes = mmap(NULL, QUOTA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* Written, not only made so long: whoever maps it must never meet a full disk. */
static bool fill(int fd)
{
    static const char zeros[4096];
    ssize_t written = sizeof zeros;
    for (size_t at = 0; at < QUOTA_BYTES && written == sizeof zeros; at += sizeof zeros)
        written = write(fd, zeros, sizeof zeros);
    return written == sizeof zeros;
}

struct quota *quota_make(int folder)
{
    /* Left by a recorder that was killed. */
    (void)unlinkat(folder, QUOTA_NAME, 0);
    int fd = openat(folder, QUOTA_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    struct quota *quota = fill(fd) ? map(fd) : NULL;
    int saved_errno = errno;
    if (quota)
        quota->recorder = getpid();
    else
        (void)unlinkat(folder, QUOTA_NAME, 0);
    close(fd);
    errno = saved_errno;
    return quota;
}

/* The folder is the first `length` characters. */
static struct quota *open_in(const char *folder, size_t length)
{
    char name[PATH_MAX];
    struct stat status;
    if (length + sizeof "/" QUOTA_NAME > sizeof name)
        return NULL;
    memcpy(name, folder, length);
    memcpy(name + length, "/" QUOTA_NAME, sizeof "/" QUOTA_NAME);
    int saved_errno = errno, fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    struct quota *quota = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= QUOTA_BYTES)
        quota = map(fd);
    if (fd >= 0)
        close(fd);
    errno = saved_errno;
    return quota;
}

struct quota *quota_open(const char *folder)
{
    return open_in(folder, strlen(folder));
}

struct quota *quota_open_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? open_in(path, (size_t)(slash - path)) : open_in(".", 1);
}

void quota_close(struct quota *quota)
{
    if (quota)
        munmap(quota, QUOTA_BYTES);
}

uint64_t quota_free(const struct quota *quota)
{
    return atomic_load_explicit(&quota->free, memory_order_relaxed);
}

void quota_put(struct quota *quota, uint64_t bytes)
{
    /* Whoever can map it can write anything into it. */
    uint64_t before = quota_free(quota), after;
    do
        after = bytes <= UINT64_MAX - before ? before + bytes : UINT64_MAX;
    while (!atomic_compare_exchange_weak_explicit(&quota->free, &before, after, memory_order_relaxed, memory_order_relaxed));
}

uint64_t quota_take(struct quota *quota, uint64_t least, uint64_t most)
{
    uint64_t before = quota_free(quota), taken;
    do {
        taken = before < most ? before : most;
        if (taken < least || taken == 0)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&quota->free, &before, before - taken, memory_order_relaxed,
                                                    memory_order_relaxed));
    return taken;
}

void quota_set_over(struct quota *quota)
{
    if (quota)
        atomic_store_explicit(&quota->is_over, true, memory_order_relaxed);
}

bool quota_is_over(const struct quota *quota)
{
    return quota && atomic_load_explicit(&quota->is_over, memory_order_relaxed);
}

void quota_set_paused(struct quota *quota, bool paused)
{
    if (quota)
        atomic_store_explicit(&quota->is_paused, paused, memory_order_relaxed);
}

bool quota_tell_start(struct quota *quota, const struct start_notice *start)
{
    return quota && starts_tell(&quota->starts, start);
}

size_t quota_take_starts(struct quota *quota, void (*take)(void *data, const struct start_notice *start), void *data)
{
    return quota ? starts_take(&quota->starts, take, data) : 0;
}
