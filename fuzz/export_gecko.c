/* Any chunks as a session: its Gecko profile is written, whatever is in them, and our own importer reads it.
 *
 * A session file is mostly empty space; the input is its chunks in short: kind (and GAP, a chunk before it is lost), length in
 * two bytes, and that many bytes of entries, again and again. */
#include "target.h"

#include "common/byte_source.h"
#include "export/gecko.h"
#include "import/importer.h"
#include "session/format.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GAP = 0x80, HEAD = 3, MOST_CHUNKS = 64 };

static void write_at(int fd, const void *bytes, size_t length, uint64_t offset)
{
    fuzz_check(pwrite(fd, bytes, length, (off_t)offset) == (ssize_t)length);
}

static uint32_t write_chunks(int fd, const uint8_t *data, size_t size)
{
    uint32_t count = 0;
    uint64_t last_samples = 0;
    while (size >= HEAD && count < MOST_CHUNKS) {
        size_t length = (size_t)data[1] | (size_t)data[2] << 8;
        length = length < size - HEAD ? length : size - HEAD;
        if (length > CHUNK_BYTES - CHUNK_HEADER_BYTES)
            length = CHUNK_BYTES - CHUNK_HEADER_BYTES;
        uint64_t offset = SESSION_HEADER_BYTES + (uint64_t)count * CHUNK_BYTES;
        struct chunk_header header = {.sequence = 2 * ++count, .used = (uint32_t)length, .kind = data[0] & 3};
        header.previous = data[0] & GAP ? last_samples + 1 : last_samples;
        if (header.kind == CHUNK_SAMPLES)
            last_samples = header.sequence;
        write_at(fd, &header, sizeof header, offset);
        write_at(fd, data + HEAD, length, offset + CHUNK_HEADER_BYTES);
        data += HEAD + length;
        size -= HEAD + length;
    }
    fuzz_check(ftruncate(fd, SESSION_HEADER_BYTES + (off_t)count * CHUNK_BYTES) == 0);
    return count;
}

static void check_import(struct slice json)
{
    struct error error = {0};
    struct profile profile;
    profile_init(&profile);
    struct byte_source *source = byte_source_memory(json, 0, false, &error);
    fuzz_check(source);
    if (import_profile(source, &profile, &error) != 0) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    byte_source_close(source);
    profile_free(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("session", MFD_CLOEXEC);
    fuzz_check(fd >= 0);
    struct session_file_header header = {.version = SESSION_VERSION,
                                         .header_bytes = SESSION_HEADER_BYTES,
                                         .chunk_bytes = CHUNK_BYTES,
                                         .pid = 4711,
                                         .chunk_count = write_chunks(fd, data, size)};
    memcpy(header.magic, SESSION_MAGIC, sizeof header.magic);
    write_at(fd, &header, sizeof header, 0);

    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct error error = {0};
    struct session_file *file = session_file_open(path, &error);
    struct byte_sink *sink = byte_sink_memory(&error);
    fuzz_check(file && sink);
    struct gecko_options options = {.since_ns = size % 3 == 0 ? 2000000 : 0};
    fuzz_check(export_gecko_session(file, &options, sink, &error) == 0);
    check_import(byte_sink_memory_bytes(sink));
    byte_sink_close(sink, false, &error);
    session_file_close(file);
    close(fd);
    return 0;
}
