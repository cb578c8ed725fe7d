#include "record/live.h"

#include "session/format.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void live_session_begin(struct live_session *live, const char *folder)
{
    *live = (struct live_session){.folder = folder, .fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
}

/* ---- which files there are ---- */

/* PID-N.sonde */
static bool read_name(const char *name, struct live_file *file)
{
    int end = 0;
    *file = (struct live_file){0};
    return sscanf(name, "%9d-%9u.sonde%n", &file->pid, &file->image, &end) == 2 && end > 0 && name[end] == '\0' &&
           file->pid > 0;
}

static void add_file(struct live_session *live, const struct live_file *file)
{
    uint64_t hash = hash_combine((uint64_t)file->pid, file->image);
    uint32_t row;
    for (struct map_probe probe = map_probe(&live->known, hash); map_probe_next(&probe, &row);)
        if (live->files.items[row].pid == file->pid && live->files.items[row].image == file->image)
            return;
    /* One that finds no memory is not shown. */
    if (vec_push(&live->files, *file) && !map_insert(&live->known, hash, (uint32_t)(live->files.count - 1)))
        live->files.count--;
}

/* The folder is read only where it has changed; within the last second it may have done so twice in a tick of its clock. */
static bool has_changed(struct live_session *live)
{
    struct stat status;
    struct timespec now;
    if (fstat(live->fd, &status) != 0)
        return false;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    bool same = status.st_mtim.tv_sec == live->searched.tv_sec && status.st_mtim.tv_nsec == live->searched.tv_nsec;
    live->searched = status.st_mtim;
    return !same || now.tv_sec - status.st_mtim.tv_sec <= 1;
}

static void find_files(struct live_session *live)
{
    int fd = has_changed(live) ? dup(live->fd) : -1;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    rewinddir(folder);
    struct live_file file;
    for (const struct dirent *item; (item = readdir(folder));)
        if (read_name(item->d_name, &file))
            add_file(live, &file);
    closedir(folder);
}

/* ---- what is in them ---- */

static bool read_header(const struct live_session *live, const struct live_file *file, struct session_file_header *header,
                        uint64_t *bytes)
{
    char name[40];
    struct stat status;
    snprintf(name, sizeof name, "%d-%u.sonde", file->pid, file->image);
    int fd = openat(live->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool there = fstat(fd, &status) == 0 && pread(fd, header, sizeof *header, 0) == sizeof *header;
    close(fd);
    *bytes = there ? (uint64_t)status.st_blocks * 512 : 0;
    return there;
}

/* 0 = it has ended. */
static unsigned count_threads(int pid)
{
    char path[40];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    /* Each folder in it has a link to it, and there are two more. */
    if (stat(path, &status) != 0 || status.st_nlink < 3)
        return 0;
    return (unsigned)status.st_nlink - 2;
}

static void read_file(struct live_session *live, struct live_file *file, struct live_figures *figures)
{
    struct session_file_header header;
    unsigned threads = count_threads(file->pid);
    if (!read_header(live, file, &header, &file->bytes)) {
        /* The oldest go when there is no room; what was in it has been counted. */
        file->ended = file->samples > 0;
        return;
    }
    const _Atomic uint64_t *statistics = header.statistics;
    file->samples = statistics[STATISTIC_SAMPLES_EVENT] + statistics[STATISTIC_SAMPLES_TICK];
    file->lost = statistics[STATISTIC_SAMPLES_LOST] + statistics[STATISTIC_ENTRIES_LOST];
    file->ended = header.end_ns != 0 || threads == 0;
    if (!file->ended) {
        figures->processes++;
        figures->threads += threads;
    }
}

bool live_session_read(struct live_session *live, struct live_figures *figures)
{
    *figures = (struct live_figures){0};
    find_files(live);
    for (size_t i = 0; i < live->files.count; i++) {
        struct live_file *file = &live->files.items[i];
        if (!file->ended)
            read_file(live, file, figures);
        figures->samples += file->samples;
        figures->lost += file->lost;
        figures->buffer_bytes += file->bytes;
    }
    return live->files.count > 0;
}

void live_session_end(struct live_session *live)
{
    if (live->fd >= 0)
        close(live->fd);
    live->fd = -1;
    vec_free(&live->files);
    map_free(&live->known);
}
