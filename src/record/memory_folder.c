#include "record/memory_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { SHARE = 4, FIRST_UID_OF_PEOPLE = 1000 };

/* The text of a small file, cut at the end of the buffer; false where it cannot be read. */
static bool read_text(const char *root, const char *path, char *text, size_t room)
{
    char whole[PATH_MAX];
    if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole)
        return false;
    int fd = open(whole, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, room - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool has_room(const char *root, uint64_t limit_bytes)
{
    char path[PATH_MAX];
    struct statfs system;
    if (snprintf(path, sizeof path, "%s" MEMORY_FOLDER, root) >= (int)sizeof path || statfs(path, &system) != 0)
        return false;
    return (uint32_t)system.f_type == TMPFS_MAGIC && access(path, W_OK | X_OK) == 0 &&
           (uint64_t)system.f_bavail * (uint64_t)system.f_bsize / 2 >= limit_bytes;
}

static uint64_t free_memory(const char *root)
{
    static const char name[] = "\nMemAvailable:";
    char text[4096];
    const char *line = read_text(root, "/proc/meminfo", text, sizeof text) ? strstr(text, name) : NULL;
    return line ? strtoull(line + sizeof name - 1, NULL, 10) * 1024 : 0;
}

/* The smallest limit of the control group at `path` (from the root of the groups on) and of those that it is in. Changes the
 * path. */
static uint64_t limit_of_groups(const char *root, const char *groups, const char *file, char *path)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char name[PATH_MAX], text[64];
        if (snprintf(name, sizeof name, "%s%s/%s", groups, path, file) < (int)sizeof name &&
            read_text(root, name, text, sizeof text) && *text >= '0' && *text <= '9') {
            uint64_t limit = strtoull(text, NULL, 10);
            least = limit < least ? limit : least;
        }
        char *slash = strrchr(path, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* By the lines of /proc/self/cgroup: 0::/PATH of the groups of today, 5:cpu,memory:/PATH of those before. */
static uint64_t limit_of_memory(const char *root, const char *lines)
{
    uint64_t least = UINT64_MAX;
    for (const char *line = lines; *line; line += *line == '\n') {
        const char *end = strchrnul(line, '\n'), *names = memchr(line, ':', (size_t)(end - line));
        const char *path = names ? memchr(names + 1, ':', (size_t)(end - names - 1)) : NULL;
        char group[PATH_MAX], kinds[256];
        if (path && end - path < PATH_MAX && path - names < (ptrdiff_t)sizeof kinds) {
            snprintf(group, sizeof group, "%.*s", (int)(end - path - 1), path + 1);
            snprintf(kinds, sizeof kinds, "%.*s", (int)(path - names - 1), names + 1);
            uint64_t limit = UINT64_MAX;
            if (!*kinds)
                limit = limit_of_groups(root, "/sys/fs/cgroup", "memory.max", group);
            else if (strstr(kinds, "memory"))
                limit = limit_of_groups(root, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", group);
            least = limit < least ? limit : least;
        }
        line = end;
    }
    return least;
}

/* Where people log in and out, what a person has there is removed when the last of their processes has gone that belongs to
 * a login. A service that runs under their name is none. */
static bool is_cleared_meanwhile(const char *root, const char *lines)
{
    char logins[PATH_MAX], slice[40];
    struct stat status;
    if (getuid() < FIRST_UID_OF_PEOPLE || snprintf(logins, sizeof logins, "%s/run/systemd/users", root) >= (int)sizeof logins ||
        stat(logins, &status) != 0)
        return false;
    snprintf(slice, sizeof slice, "/user-%u.slice/", getuid());
    return !strstr(lines, slice);
}

bool memory_folder_suits(const char *root, uint64_t limit_bytes)
{
    char lines[8192] = "";
    if (!has_room(root, limit_bytes) || free_memory(root) / SHARE < limit_bytes)
        return false;
    /* A machine without control groups has no such file. */
    (void)read_text(root, "/proc/self/cgroup", lines, sizeof lines);
    return limit_of_memory(root, lines) / SHARE >= limit_bytes && !is_cleared_meanwhile(root, lines);
}
