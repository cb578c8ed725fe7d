/* A session file made of the bytes of a fuzzer.
 *
 * A file of a session is mostly empty, so the bytes are its chunks one after the other, each with its kind (and, in a file of
 * looks, 16 × the number of the process that it is about: 1 is 10-0, 2 is 11-0), its number, and the length of what is in it
 * (two bytes). Bytes that begin with 'f' are a file as it is. */
#ifndef SONDE_FUZZ_SESSION_BYTES_H
#define SONDE_FUZZ_SESSION_BYTES_H

#include "target.h"

#include "session/chunk.h"
#include "session/reader.h"

#include <sys/mman.h>
#include <unistd.h>

static inline void session_bytes_at(int fd, uint64_t offset, const void *bytes, size_t length)
{
    fuzz_check(pwrite(fd, bytes, length, (off_t)offset) == (ssize_t)length);
}

static inline void session_bytes_chunks(int fd, const uint8_t *data, size_t size)
{
    struct session_file_header header = {
        .version = SESSION_VERSION, .header_bytes = SESSION_HEADER_BYTES, .chunk_bytes = CHUNK_BYTES};
    memcpy(header.magic, SESSION_MAGIC, sizeof header.magic);
    uint32_t count = 0;
    while (size >= 4) {
        struct chunk_header chunk = {.kind = data[0] & 15, .sequence = data[1]};
        chunk.owner = data[0] >> 4 > 0 ? session_owner(9 + (data[0] >> 4), 0) : 0;
        size_t length = data[2] | (size_t)data[3] << 8;
        chunk.used = (uint32_t)length;
        data += 4;
        size -= 4;
        /* What the last one says may be more than there is. */
        size_t there = length < size ? length : size;
        uint64_t offset = SESSION_HEADER_BYTES + (uint64_t)count++ * CHUNK_BYTES;
        session_bytes_at(fd, offset, &chunk, sizeof chunk);
        session_bytes_at(fd, offset + sizeof chunk, data, there < sizeof((struct chunk *)0)->bytes ? there : 0);
        data += there;
        size -= there;
    }
    header.chunk_count = count;
    session_bytes_at(fd, 0, &header, sizeof header);
}

static inline void session_bytes_write(int fd, const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'f')
        session_bytes_at(fd, 0, data + 1, size - 1);
    else
        session_bytes_chunks(fd, data, size);
}

/* NULL where the bytes are no session. */
static inline struct session_file *session_bytes_open(const uint8_t *data, size_t size)
{
    int fd = memfd_create("session", MFD_CLOEXEC);
    fuzz_check(fd >= 0);
    session_bytes_write(fd, data, size);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    fuzz_check((file != NULL) == (error.code == 0));
    close(fd);
    return file;
}

#endif
