#include "common/byte_sink.h"
#include "common/memory.h"
#include "common/pack_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum byte_packing byte_packing_of_name(const char *path)
{
    struct slice name = slice_of(path);
    if (slice_ends_with(name, SLICE(".gz")))
        return PACKING_GZIP;
    return slice_ends_with(name, SLICE(".zst")) ? PACKING_ZSTD : PACKING_NONE;
}

enum { MOST_NUMBERS = 1000 };

struct file_sink {
    struct byte_sink base;
    int fd;
    bool close_fd;
    bool failed;     /* a write failed: there is nothing to keep */
    char *path;      /* where the file will be; NULL = written in place */
    char *temporary; /* where it is until then */
    bool is_unnamed; /* … and has no name yet: whoever is killed leaves nothing behind */
};

static int file_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct file_sink *file = (struct file_sink *)sink;
    int result = byte_sink_write_fd(file->fd, bytes, error);
    if (result < 0)
        file->failed = true;
    return result;
}

static void file_sink_free(struct file_sink *file)
{
    if (file->close_fd && file->fd >= 0)
        close(file->fd);
    if (file->temporary && !file->is_unnamed)
        unlink(file->temporary);
    free(file->path);
    memory_release(file->temporary);
    memory_release(file);
}

/* `number` goes up until no file has the name. */
static void name_temporary(struct file_sink *file, size_t size, unsigned number)
{
    snprintf(file->temporary, size, "%s.%ld-%u.part", file->path, (long)getpid(), number);
}

static size_t temporary_size(const struct file_sink *file)
{
    return strlen(file->path) + 64;
}

static int give_name(struct file_sink *file, struct error *error)
{
    char unnamed[40];
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", file->fd);
    for (unsigned number = 0; number < MOST_NUMBERS && file->is_unnamed; number++) {
        name_temporary(file, temporary_size(file), number);
        file->is_unnamed = linkat(AT_FDCWD, unnamed, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) < 0;
        if (file->is_unnamed && errno != EEXIST)
            break;
    }
    return file->is_unnamed ? error_set(error, -errno, "cannot create: %s", strerror(errno)) : 0;
}

static int file_sink_close(struct byte_sink *sink, bool keep, struct error *error)
{
    struct file_sink *file = (struct file_sink *)sink;
    int result = 0;
    if (file->failed)
        result = error_set(error, -EIO, "cannot write");
    if (file->is_unnamed && keep && result == 0)
        result = give_name(file, error);
    /* Some file systems report a full disk only here. */
    if (file->close_fd && close(file->fd) < 0 && result == 0)
        result = error_set(error, -errno, "cannot write: %s", strerror(errno));
    file->close_fd = false;
    if (file->temporary && keep && result == 0) {
        if (rename(file->temporary, file->path) < 0) {
            result = error_set(error, -errno, "cannot rename %s: %s", file->temporary, strerror(errno));
        } else {
            memory_release(file->temporary);
            file->temporary = NULL;
        }
    }
    file_sink_free(file);
    return result;
}

/* A new file beside `file->path`, with the permissions of the one it will replace. */
static int create_temporary(struct file_sink *file, mode_t mode, struct error *error)
{
    size_t size = temporary_size(file);
    file->temporary = memory_array(size, 1);
    if (!file->temporary)
        return error_out_of_memory(error);
    /* Not every file system has files without a name, and names are given by way of /proc. */
    if (access("/proc/self/fd", X_OK) == 0) {
        snprintf(file->temporary, size, "%s", file->path);
        char *slash = strrchr(file->temporary, '/');
        if (slash)
            slash[slash == file->temporary] = '\0';
        file->fd = open(slash ? file->temporary : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
        file->is_unnamed = file->fd >= 0;
    }
    for (unsigned number = 0; number < MOST_NUMBERS && !file->is_unnamed; number++) {
        name_temporary(file, size, number);
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd >= 0 || errno != EEXIST)
            break;
    }
    if (file->fd < 0) {
        int code = -errno;
        memory_release(file->temporary);
        file->temporary = NULL;
        return error_set(error, code, "cannot create: %s", strerror(-code));
    }
    file->close_fd = true;
    if (mode != 0)
        (void)fchmod(file->fd, mode);
    return 0;
}

/* Where a symbolic link leads that leads to no file yet; NULL with errno. To be freed with free(). */
static char *follow_links(const char *path)
{
    enum { LINKS_MOST = 40 };
    char *at = strdup(path), target[PATH_MAX];
    for (int links = 0; at && links < LINKS_MOST; links++) {
        ssize_t length = readlink(at, target, sizeof target - 1);
        if (length < 0)
            return at;
        target[length] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(at, '/');
        char *next = NULL;
        if (asprintf(&next, "%.*s%s", slash ? (int)(slash - at) + 1 : 0, at, target) < 0)
            next = NULL;
        free(at);
        at = next;
    }
    if (at)
        errno = ELOOP;
    free(at);
    return NULL;
}

static int file_sink_begin(struct file_sink *file, const char *path, struct error *error)
{
    if (strcmp(path, "-") == 0) {
        file->fd = STDOUT_FILENO;
        return 0;
    }
    if (!*path)
        return error_set(error, -ENOENT, "cannot create a file without a name");
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        /* A device or a pipe (`/dev/null`, `/dev/stdout`) must stay what it is. */
        file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        file->close_fd = true;
        return file->fd >= 0 ? 0 : error_set(error, -errno, "cannot write: %s", strerror(errno));
    }
    /* Through symbolic links, so that they stay links. */
    file->path = exists ? realpath(path, NULL) : follow_links(path);
    if (!file->path)
        return error_set(error, -errno, "cannot write: %s", strerror(errno));
    return create_temporary(file, exists ? status.st_mode & 0777 : 0, error);
}

struct byte_sink *byte_sink_create(const char *path, enum byte_packing packing, struct error *error)
{
    struct file_sink *file = memory_zeroed(1, sizeof *file);
    if (!file) {
        error_out_of_memory(error);
        return NULL;
    }
    file->base = (struct byte_sink){file_sink_write, file_sink_close};
    file->fd = -1;
    if (file_sink_begin(file, path, error) < 0) {
        file_sink_free(file);
        return NULL;
    }
    switch (packing) {
    case PACKING_GZIP:
        return gzip_sink_open(&file->base, error);
    case PACKING_ZSTD:
        return zstd_sink_open(&file->base, error);
    default:
        return &file->base;
    }
}
