#include "common/byte_sink.h"

#include "common/memory.h"
#include "common/vec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int byte_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    return sink->write(sink, bytes, error);
}

int byte_sink_close(struct byte_sink *sink, bool keep, struct error *error)
{
    return sink ? sink->close(sink, keep, error) : 0;
}

int byte_sink_write_fd(int fd, struct slice bytes, struct error *error)
{
    while (bytes.length > 0) {
        ssize_t count = write(fd, bytes.text, bytes.length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return error_set(error, -errno, "cannot write: %s", strerror(errno));
        bytes = slice_from(bytes, (size_t)count);
    }
    return 0;
}

/* --- an open file --- */

struct fd_sink {
    struct byte_sink base;
    int fd;
};

static int fd_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    return byte_sink_write_fd(((struct fd_sink *)sink)->fd, bytes, error);
}

static int fd_sink_close(struct byte_sink *sink, bool keep, struct error *error)
{
    (void)keep;
    (void)error;
    memory_release(sink);
    return 0;
}

struct byte_sink *byte_sink_fd(int fd, struct error *error)
{
    struct fd_sink *sink = memory_zeroed(1, sizeof *sink);
    if (!sink) {
        error_out_of_memory(error);
        return NULL;
    }
    *sink = (struct fd_sink){{fd_sink_write, fd_sink_close}, fd};
    return &sink->base;
}

/* --- memory --- */

struct memory_sink {
    struct byte_sink base;
    VEC(char) bytes;
};

static int memory_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct memory_sink *memory = (struct memory_sink *)sink;
    if (bytes.length == 0)
        return 0;
    if (!vec_reserve(&memory->bytes, memory->bytes.count + bytes.length))
        return error_out_of_memory(error);
    memcpy(memory->bytes.items + memory->bytes.count, bytes.text, bytes.length);
    memory->bytes.count += bytes.length;
    return 0;
}

static int memory_sink_close(struct byte_sink *sink, bool keep, struct error *error)
{
    struct memory_sink *memory = (struct memory_sink *)sink;
    (void)keep;
    (void)error;
    vec_free(&memory->bytes);
    memory_release(memory);
    return 0;
}

struct byte_sink *byte_sink_memory(struct error *error)
{
    struct memory_sink *memory = memory_zeroed(1, sizeof *memory);
    if (!memory) {
        error_out_of_memory(error);
        return NULL;
    }
    memory->base = (struct byte_sink){memory_sink_write, memory_sink_close};
    return &memory->base;
}

struct slice byte_sink_memory_bytes(const struct byte_sink *sink)
{
    const struct memory_sink *memory = (const struct memory_sink *)sink;
    return memory->bytes.count > 0 ? (struct slice){memory->bytes.items, memory->bytes.count} : SLICE("");
}
