#include "ipc/room.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct room *map(int fd)
{
    void *bytes = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* Written, not only made so long: whoever maps it must never meet a full disk. */
static bool fill(int fd)
{
    static const char zeros[4096];
    ssize_t written = sizeof zeros;
    for (size_t at = 0; at < ROOM_BYTES && written == sizeof zeros; at += sizeof zeros)
        written = write(fd, zeros, sizeof zeros);
    return written == sizeof zeros;
}

struct room *room_make(int folder)
{
    /* Left by a recorder that was killed. */
    (void)unlinkat(folder, ROOM_NAME, 0);
    int fd = openat(folder, ROOM_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    struct room *room = fill(fd) ? map(fd) : NULL;
    int saved_errno = errno;
    if (room)
        room->recorder = getpid();
    else
        (void)unlinkat(folder, ROOM_NAME, 0);
    close(fd);
    errno = saved_errno;
    return room;
}

/* The folder is the first `length` characters. */
static struct room *open_in(const char *folder, size_t length)
{
    char name[PATH_MAX];
    struct stat status;
    if (length + sizeof "/" ROOM_NAME > sizeof name)
        return NULL;
    memcpy(name, folder, length);
    memcpy(name + length, "/" ROOM_NAME, sizeof "/" ROOM_NAME);
    int saved_errno = errno, fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    struct room *room = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= ROOM_BYTES)
        room = map(fd);
    if (fd >= 0)
        close(fd);
    errno = saved_errno;
    return room;
}

struct room *room_open(const char *folder)
{
    return open_in(folder, strlen(folder));
}

struct room *room_open_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? open_in(path, (size_t)(slash - path)) : open_in(".", 1);
}

void room_close(struct room *room)
{
    if (room)
        munmap(room, ROOM_BYTES);
}

uint64_t room_free(const struct room *room)
{
    return atomic_load_explicit(&room->free, memory_order_relaxed);
}

void room_put(struct room *room, uint64_t bytes)
{
    /* Whoever can map it can write anything into it. */
    uint64_t before = room_free(room), after;
    do
        after = bytes <= UINT64_MAX - before ? before + bytes : UINT64_MAX;
    while (!atomic_compare_exchange_weak_explicit(&room->free, &before, after, memory_order_relaxed, memory_order_relaxed));
}

uint64_t room_take(struct room *room, uint64_t least, uint64_t most)
{
    uint64_t before = room_free(room), taken;
    do {
        taken = before < most ? before : most;
        if (taken < least || taken == 0)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&room->free, &before, before - taken, memory_order_relaxed,
                                                    memory_order_relaxed));
    return taken;
}

void room_say_over(struct room *room)
{
    if (room)
        atomic_store_explicit(&room->is_over, true, memory_order_relaxed);
}

bool room_is_over(const struct room *room)
{
    return room && atomic_load_explicit(&room->is_over, memory_order_relaxed);
}

void room_say_paused(struct room *room, bool paused)
{
    if (room)
        atomic_store_explicit(&room->is_paused, paused, memory_order_relaxed);
}

bool room_tell_start(struct room *room, const struct room_start *start)
{
    return room && starts_tell(&room->starts, start);
}

size_t room_take_starts(struct room *room, void (*take)(void *data, const struct room_start *start), void *data)
{
    return room ? starts_take(&room->starts, take, data) : 0;
}
