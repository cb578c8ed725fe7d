/* Any bytes as the entries of a session: an error or a profile whose tables are in order.
 *
 * Bytes that start as a session file does are one. All others are the entries of its three kinds of chunks, whose lengths stand
 * in front, two bytes each: so the fuzzer need not make up 64 KiB of chunks around them. */
#include "import_target.h"

#include "import/session.h"
#include "session/chunk.h"

enum { CHUNKS = 3 };

struct file {
    union {
        struct session_file_header header;
        char bytes[SESSION_HEADER_BYTES];
    };
    struct chunk chunks[CHUNKS];
};

/* The entries of the next chunk, off the front of `rest`. */
static void fill_chunk(struct chunk *chunk, enum chunk_kind kind, size_t length, struct slice *rest)
{
    if (length > rest->length)
        length = rest->length;
    if (length > sizeof chunk->bytes)
        length = sizeof chunk->bytes;
    chunk->header.sequence = (uint64_t)kind;
    chunk->header.used = (uint32_t)length;
    chunk->header.kind = kind;
    if (length > 0)
        memcpy(chunk->bytes, rest->text, length);
    *rest = slice_from(*rest, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct file file;
    struct slice rest = {(const char *)data, size};
    if (session_recognise(rest)) {
        import_target(session_import_source, data, size);
        return 0;
    }
    size_t lengths[CHUNKS] = {size, size, size};
    for (size_t i = 0; i + 1 < CHUNKS && rest.length >= 2; i++) {
        lengths[i] = (size_t)data[2 * i] | (size_t)data[2 * i + 1] << 8;
        rest = slice_from(rest, 2);
    }
    memset(&file, 0, sizeof file);
    memcpy(file.header.magic, SESSION_MAGIC, sizeof file.header.magic);
    file.header.version = SESSION_VERSION;
    file.header.header_bytes = SESSION_HEADER_BYTES;
    file.header.chunk_bytes = CHUNK_BYTES;
    file.header.chunk_count = CHUNKS;
    fill_chunk(&file.chunks[0], CHUNK_KEPT, lengths[0], &rest);
    fill_chunk(&file.chunks[1], CHUNK_SAMPLES, lengths[1], &rest);
    fill_chunk(&file.chunks[2], CHUNK_MARKERS, lengths[2], &rest);
    import_pieces(session_import_source, (struct slice){(const char *)&file, sizeof file}, 0);
    return 0;
}
