/* The files of a session folder. The folder is read without opendir(), which allocates. */
#include "common/sort.h"
#include "session/own_memory.h"
#include "session/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct found_file {
    uint64_t start;           /* of the process, CLOCK_MONOTONIC; files that cannot be read come last */
    unsigned long pid, image; /* as the name says: the order of what one process exec'ed */
    char name[NAME_MAX + 1];
};
_Static_assert(sizeof(struct found_file) <= SORT_ITEM_MAX, "files can be sorted");

struct found_files {
    struct found_file *items;
    size_t count, capacity;
    size_t unbegun; /* those that have no header yet are not among them */
};

/* PID-N.sonde: what else there is in the folder, as the looks, is no process. */
static bool name_read(const char *name, struct found_file *file)
{
    char *end;
    if (name[0] < '0' || name[0] > '9')
        return false;
    file->pid = strtoul(name, &end, 10);
    if (end[0] != '-' || end[1] < '0' || end[1] > '9')
        return false;
    file->image = strtoul(end + 1, &end, 10);
    return strcmp(end, ".sonde") == 0 && strlen(name) <= NAME_MAX;
}

bool session_looks_path(const char *path, char looks[static PATH_MAX], uint64_t *owner)
{
    const char *slash = strrchr(path, '/');
    struct found_file file;
    if (!name_read(slash ? slash + 1 : path, &file) || file.pid > INT32_MAX || file.image > UINT32_MAX)
        return false;
    *owner = session_owner((int32_t)file.pid, (uint32_t)file.image);
    int folder = slash ? (int)(slash + 1 - path) : 0;
    return snprintf(looks, PATH_MAX, "%.*s" LOOKS_NAME, folder, path) < PATH_MAX;
}

static bool path_put(char path[static PATH_MAX], const char *folder, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

/* False where the file has no header yet. */
static bool start_read(const char *folder, struct found_file *file)
{
    char path[PATH_MAX];
    struct error error = {0};
    struct session_file *opened = path_put(path, folder, file->name) ? session_file_open(path, &error) : NULL;
    file->start = UINT64_MAX;
    if (opened) {
        struct session_file_header header;
        session_file_header(opened, &header);
        file->start = header.start_monotonic_ns;
        session_file_close(opened);
    }
    return error.code != -ENODATA;
}

static bool add_file(struct found_files *files, const char *folder, const char *name)
{
    struct found_file file;
    if (!name_read(name, &file))
        return true;
    strcpy(file.name, name);
    if (!start_read(folder, &file)) {
        files->unbegun++;
        return true;
    }
    if (files->count == files->capacity) {
        size_t size = sizeof file, capacity = files->capacity > 0 ? files->capacity * 2 : 64;
        void *items = own_memory_grow(files->items, files->capacity * size, capacity * size);
        if (!items)
            return false;
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = file;
    return true;
}

static int find_files(int fd, const char *folder, struct found_files *files)
{
    _Alignas(struct dirent64) char buffer[8192];
    for (;;) {
        long length = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        if (length <= 0)
            return length < 0 ? -errno : 0;
        for (long at = 0; at < length;) {
            const struct dirent64 *item = (const struct dirent64 *)(buffer + at);
            if (!add_file(files, folder, item->d_name))
                return -ENOMEM;
            at += item->d_reclen;
        }
    }
}

/* ---- their order ---- */

static bool is_before_by_pid(const void *a, const void *b)
{
    const struct found_file *first = a, *second = b;
    return first->pid != second->pid ? first->pid < second->pid : first->image < second->image;
}

static bool is_before_by_start(const void *a, const void *b)
{
    const struct found_file *first = a, *second = b;
    return first->start != second->start ? first->start < second->start : is_before_by_pid(a, b);
}

/* Programs that one process was, one after the other, each look up when it started, and differ by what that takes. One that
 * has the number of a process long gone has a start of its own. */
static void unite_images(struct found_files *files)
{
    sort_items(files->items, files->count, sizeof *files->items, is_before_by_pid);
    for (size_t i = 1; i < files->count; i++) {
        const struct found_file *before = &files->items[i - 1];
        struct found_file *file = &files->items[i];
        if (file->pid == before->pid && session_same_process(file->start, before->start))
            file->start = before->start;
    }
}

/* By their start alone: the first one is time 0 of all, and a number may be smaller than that of its parent. */
static void sort_files(struct found_files *files)
{
    unite_images(files);
    sort_items(files->items, files->count, sizeof *files->items, is_before_by_start);
}

bool session_same_process(uint64_t start_ns, uint64_t other_start_ns)
{
    const uint64_t look_up_ns = 1000000000;
    uint64_t apart = start_ns > other_start_ns ? start_ns - other_start_ns : other_start_ns - start_ns;
    return apart < look_up_ns;
}

/* ---- visiting ---- */

int session_folder_visit(const char *folder, int (*each)(void *data, const char *path, struct error *error), void *data,
                         struct error *error)
{
    return session_folder_visit_counted(folder, each, data, &(size_t){0}, error);
}

int session_folder_visit_counted(const char *folder, int (*each)(void *data, const char *path, struct error *error), void *data,
                                 size_t *unbegun, struct error *error)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, -errno, "%.300s: %s", folder, error_text(errno));
    struct found_files files = {0};
    int result = find_files(fd, folder, &files);
    close(fd);
    if (result != 0)
        error_set(error, result, "%.300s: %s", folder, error_text(-result));
    sort_files(&files);
    *unbegun = files.unbegun;
    for (size_t i = 0; i < files.count && result == 0; i++) {
        char path[PATH_MAX];
        result = path_put(path, folder, files.items[i].name)
                     ? each(data, path, error)
                     : error_set(error, -ENAMETOOLONG, "%.200s…: the path is too long", folder);
    }
    own_memory_unmap(files.items, files.capacity * sizeof *files.items);
    return result;
}
