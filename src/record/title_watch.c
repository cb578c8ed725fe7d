#include "record/title_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
    FIRST_PAUSE_NS = 20000000,
    LAST_PAUSE_NS = 1000000000,
    CHANGES_MOST = 8, /* what is written down is never evicted */
};

/* FNV-1a; never 0. */
static uint64_t hash_of(struct slice text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.text[i]) * 0x100000001b3u;
    return hash | 1;
}

/* Without the bytes at its end that titles are padded with. */
static struct slice read_arguments(pid_t pid, char room[TITLE_WATCH_BYTES])
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, room, TITLE_WATCH_BYTES) : 0;
    if (fd >= 0)
        close(fd);
    while (length > 0 && (room[length - 1] == '\0' || room[length - 1] == ' '))
        length--;
    return (struct slice){room, length > 0 ? (size_t)length : 0};
}

/* Whether it is time to read. */
static bool is_due(struct title_watch *watch, uint64_t now_ns)
{
    if (now_ns < watch->due_ns)
        return false;
    bool is_first_call = watch->due_ns == 0;
    watch->pause_ns = is_first_call ? FIRST_PAUSE_NS : watch->pause_ns * 2;
    if (watch->pause_ns > LAST_PAUSE_NS)
        watch->pause_ns = LAST_PAUSE_NS;
    watch->due_ns = now_ns + watch->pause_ns;
    return !is_first_call;
}

bool title_watch_read(struct title_watch *watch, pid_t pid, uint64_t now_ns, bool is_last, char room[TITLE_WATCH_BYTES],
                      struct slice *arguments)
{
    if (!is_last && (watch->changes >= CHANGES_MOST || !is_due(watch, now_ns)))
        return false;
    *arguments = read_arguments(pid, room);
    /* A process that is about to end has none. */
    uint64_t hash = arguments->length > 0 ? hash_of(*arguments) : watch->hash;
    if (hash == watch->hash)
        return false;
    watch->hash = hash;
    watch->changes++;
    return true;
}
