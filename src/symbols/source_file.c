#include "symbols/source_file.h"

#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one file ---- */

/* What the name leads to may be anything, even something that blocks when it is opened. */
static int open_regular(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, status) != 0 || !S_ISREG(status->st_mode) || status->st_size > SOURCE_FILE_MOST) {
        close(fd);
        return -1;
    }
    return fd;
}

/* -ENOENT, -ENOMEM or 0. */
static int read_path(const char *path, struct source_file *file)
{
    struct stat status;
    int fd = open_regular(path, &status);
    if (fd < 0)
        return -ENOENT;
    size_t size = (size_t)status.st_size;
    size_t place = strlen(path) + 1;
    *file = (struct source_file){
        .bytes = size > 0 ? memory_array(size, 1) : NULL,
        .modified = (double)status.st_mtim.tv_sec * 1e3 + (double)status.st_mtim.tv_nsec / 1e6,
        .place = memory_array(place, 1),
    };
    if (!file->place || (size > 0 && !file->bytes)) {
        close(fd);
        source_file_free(file);
        return -ENOMEM;
    }
    memcpy(file->place, path, place);
    while (file->size < size) {
        ssize_t count = read(fd, file->bytes + file->size, size - file->size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        file->size += (size_t)count;
    }
    close(fd);
    return 0;
}

/* ---- folders ---- */

/* The parts of a path without `.` and `..`, each with a slash in front. */
static void normalise(struct slice path, char out[PATH_MAX])
{
    size_t length = 0;
    while (path.length > 0) {
        const char *slash = memchr(path.text, '/', path.length);
        struct slice part = slash ? slice_until(path, (size_t)(slash - path.text)) : path;
        path = slice_from(path, slash ? part.length + 1 : part.length);
        if (part.length == 0 || slice_is(part, "."))
            continue;
        if (slice_is(part, "..")) {
            while (length > 0 && out[--length] != '/')
                ;
            continue;
        }
        out[length++] = '/';
        memcpy(out + length, part.text, part.length);
        length += part.length;
    }
    out[length] = '\0';
}

/* One with a NUL in it is none, and would be cut. The parts need room for a slash in front. */
static bool is_path(struct slice path)
{
    return path.length > 0 && path.length < PATH_MAX - 1 && !memchr(path.text, '\0', path.length);
}

int source_file_read_below(const char *folder, struct slice path, struct source_file *file)
{
    char parts[PATH_MAX];
    if (!is_path(path))
        return -ENOENT;
    normalise(path, parts);
    for (const char *rest = parts; *rest; rest += 1 + strcspn(rest + 1, "/")) {
        char place[PATH_MAX];
        int length = snprintf(place, sizeof place, "%s%s", folder, rest);
        int result = length > 0 && (size_t)length < sizeof place ? read_path(place, file) : -ENOENT;
        if (result != -ENOENT)
            return result;
    }
    return -ENOENT;
}

int source_file_read_named(const struct source_search *search, struct slice path, struct source_file *file)
{
    char whole[PATH_MAX];
    if (!is_path(path) || (path.text[0] != '/' && !search->relative))
        return -ENOENT;
    memcpy(whole, path.text, path.length);
    whole[path.length] = '\0';
    return read_path(whole, file);
}

int source_file_read(const struct source_search *search, struct slice path, struct source_file *file, struct error *error)
{
    int result = -ENOENT;
    for (size_t i = 0; i < search->folder_count && result == -ENOENT; i++)
        result = source_file_read_below(search->folders[i], path, file);
    if (result == -ENOENT)
        result = source_file_read_named(search, path, file);
    if (result == -ENOMEM)
        return error_out_of_memory(error);
    if (result < 0)
        return error_set(error, result, "%.*s: there is no such file here", (int)(path.length < 200 ? path.length : 200),
                         path.text);
    return 0;
}

void source_file_free(struct source_file *file)
{
    memory_release(file->bytes);
    memory_release(file->place);
    *file = (struct source_file){0};
}
