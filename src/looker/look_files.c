#include "looker/look_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { EACH_THREAD = 2, UNUSED_NS = 1000000000 };

/* --- the account --------------------------------------------------------------------------------------------------------- */

static bool is_kept(const struct look_descriptors *descriptors, const struct look_thread *thread)
{
    return thread->files.newer || descriptors->newest == thread;
}

static void list_add(struct look_descriptors *descriptors, struct look_thread *thread)
{
    thread->files.newer = NULL;
    thread->files.older = descriptors->newest;
    *(thread->files.older ? &thread->files.older->files.newer : &descriptors->oldest) = thread;
    descriptors->newest = thread;
}

static void list_remove(struct look_descriptors *descriptors, struct look_thread *thread)
{
    struct look_files *files = &thread->files;
    *(files->newer ? &files->newer->files.older : &descriptors->newest) = files->older;
    *(files->older ? &files->older->files.newer : &descriptors->oldest) = files->newer;
    files->newer = files->older = NULL;
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void look_files_close(struct look_descriptors *descriptors, struct look_thread *thread)
{
    close_file(&thread->files.schedstat);
    close_file(&thread->files.syscall);
    if (!is_kept(descriptors, thread))
        return;
    list_remove(descriptors, thread);
    descriptors->open -= EACH_THREAD;
}

static bool may_open(struct look_descriptors *descriptors, uint64_t now_ns)
{
    if (descriptors->most >= EACH_THREAD && descriptors->open <= descriptors->most - EACH_THREAD)
        return true;
    struct look_thread *oldest = descriptors->oldest;
    if (!oldest || now_ns - oldest->files.used_ns < UNUSED_NS)
        return false;
    look_files_close(descriptors, oldest);
    return descriptors->open <= descriptors->most - EACH_THREAD;
}

void look_files_settle(struct look_descriptors *descriptors, struct look_thread *thread, uint64_t now_ns)
{
    if (is_kept(descriptors, thread)) {
        list_remove(descriptors, thread);
    } else if (may_open(descriptors, now_ns)) {
        descriptors->open += EACH_THREAD;
    } else {
        look_files_close(descriptors, thread);
        return;
    }
    thread->files.used_ns = now_ns;
    list_add(descriptors, thread);
}

/* --- the files ----------------------------------------------------------------------------------------------------------- */

int look_folder_open(struct look_descriptors *descriptors, struct look_folder *folder, pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    *folder = (struct look_folder){pid, fd};
    if (descriptors->open < descriptors->most)
        descriptors->open++;
    else
        close_file(&folder->fd);
    return 0;
}

void look_folder_close(struct look_descriptors *descriptors, struct look_folder *folder)
{
    if (folder->fd >= 0)
        descriptors->open--;
    close_file(&folder->fd);
}

static int open_file(const struct look_folder *folder, pid_t tid, const char *name)
{
    char path[96];
    if (folder->fd >= 0) {
        snprintf(path, sizeof path, "task/%d/%s", (int)tid, name);
        return openat(folder->fd, path, O_RDONLY | O_CLOEXEC);
    }
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)folder->pid, (int)tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

ssize_t look_file_read(struct look_descriptors *descriptors, const struct look_folder *folder, const struct look_thread *thread,
                       int *fd, const char *name, char *out, size_t room)
{
    while (*fd < 0) {
        *fd = open_file(folder, thread->tid, name);
        bool too_many = *fd < 0 && (errno == EMFILE || errno == ENFILE);
        struct look_thread *victim = descriptors->oldest == thread ? thread->files.newer : descriptors->oldest;
        if (*fd < 0 && !(too_many && victim))
            return errno == ENOENT ? -ESRCH : -errno;
        if (*fd < 0)
            look_files_close(descriptors, victim);
    }
    ssize_t got = pread(*fd, out, room, 0);
    return got >= 0 ? got : errno == ENOENT ? -ESRCH : -errno;
}
