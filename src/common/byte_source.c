#include "common/byte_source.h"

#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void byte_source_close(struct byte_source *source)
{
    if (source)
        source->close(source);
}

/* --- a file or standard input --- */

struct file_source {
    struct byte_source base;
    int fd;
    bool close_fd;
    uint64_t done;
    uint64_t total; /* 0 = unknown */
    struct byte_progress progress;
};

static ssize_t file_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct file_source *file = (struct file_source *)source;
    ssize_t count;
    do
        count = read(file->fd, buffer, capacity);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return error_set(error, -errno, "cannot read: %s", strerror(errno));
    file->done += (uint64_t)count;
    if (file->progress.report)
        file->progress.report(file->progress.data, file->done, file->total);
    return count;
}

static void file_source_close(struct byte_source *source)
{
    struct file_source *file = (struct file_source *)source;
    if (file->close_fd)
        close(file->fd);
    memory_release(file);
}

static struct byte_source *file_source_open(const char *path, const struct byte_progress *progress, struct error *error)
{
    struct file_source *file = memory_zeroed(1, sizeof *file);
    if (!file) {
        error_out_of_memory(error);
        return NULL;
    }
    file->base = (struct byte_source){file_source_read, file_source_close};
    if (progress)
        file->progress = *progress;
    if (strcmp(path, "-") == 0) {
        file->fd = STDIN_FILENO;
    } else {
        file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        file->close_fd = true;
    }
    if (file->fd < 0) {
        error_set(error, -errno, "cannot open: %s", strerror(errno));
        memory_release(file);
        return NULL;
    }
    struct stat status;
    if (fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode))
        file->total = (uint64_t)status.st_size;
    (void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return &file->base;
}

/* --- memory --- */

struct memory_source {
    struct byte_source base;
    struct slice rest;
    size_t piece;
};

static ssize_t memory_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct memory_source *memory = (struct memory_source *)source;
    (void)error;
    size_t count = memory->rest.length < capacity ? memory->rest.length : capacity;
    if (memory->piece > 0 && count > memory->piece)
        count = memory->piece;
    if (count > 0)
        memcpy(buffer, memory->rest.text, count);
    memory->rest = slice_from(memory->rest, count);
    return (ssize_t)count;
}

static void memory_source_close(struct byte_source *source)
{
    memory_release(source);
}

/* --- the first bytes, looked at and then given back --- */

enum { HEAD_SIZE = 4 };

struct head_source {
    struct byte_source base;
    struct byte_source *inner;
    char head[HEAD_SIZE];
    size_t count;
    size_t given;
};

static ssize_t head_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct head_source *h = (struct head_source *)source;
    if (h->given == h->count)
        return h->inner->read(h->inner, buffer, capacity, error);
    size_t count = h->count - h->given < capacity ? h->count - h->given : capacity;
    memcpy(buffer, h->head + h->given, count);
    h->given += count;
    return (ssize_t)count;
}

static void head_source_close(struct byte_source *source)
{
    struct head_source *h = (struct head_source *)source;
    byte_source_close(h->inner);
    memory_release(h);
}

/* Wraps `inner`, which it owns from here on (also when it fails), in what unpacks it, if it is packed. */
static struct byte_source *unpack(struct byte_source *inner, bool *packed, struct error *error)
{
    struct head_source *h = memory_zeroed(1, sizeof *h);
    if (!h) {
        byte_source_close(inner);
        error_out_of_memory(error);
        return NULL;
    }
    h->base = (struct byte_source){head_source_read, head_source_close};
    h->inner = inner;
    while (h->count < HEAD_SIZE) {
        ssize_t count = inner->read(inner, h->head + h->count, HEAD_SIZE - h->count, error);
        if (count < 0) {
            byte_source_close(&h->base);
            return NULL;
        }
        if (count == 0)
            break;
        h->count += (size_t)count;
    }
    struct slice head = {h->head, h->count};
    *packed = true;
    if (slice_starts_with(head, SLICE("\x1f\x8b")))
        return gzip_source_open(&h->base, error);
    if (slice_starts_with(head, SLICE("\x28\xb5\x2f\xfd")))
        return zstd_source_open(&h->base, error);
    *packed = false;
    return &h->base;
}

struct byte_source *byte_source_open(const char *path, const struct byte_progress *progress, struct error *error)
{
    struct byte_source *file = file_source_open(path, progress, error);
    bool packed = false;
    struct byte_source *source = file ? unpack(file, &packed, error) : NULL;
    return source && packed ? ahead_source_open(source, error) : source;
}

struct byte_source *byte_source_memory(struct slice bytes, size_t piece, bool unpack_it, struct error *error)
{
    struct memory_source *memory = memory_zeroed(1, sizeof *memory);
    if (!memory) {
        error_out_of_memory(error);
        return NULL;
    }
    memory->base = (struct byte_source){memory_source_read, memory_source_close};
    memory->rest = bytes;
    memory->piece = piece;
    bool packed;
    return unpack_it ? unpack(&memory->base, &packed, error) : &memory->base;
}
