#include "symbols/unpack.h"

#include "common/memory.h"
#include "common/vec.h"
#include "common/zlib_memory.h"

#include <errno.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Debug information shrinks to a third, tables of zeros to a hundredth. What claims more was made to fill the memory. */
enum { MOST_RATIO = 256, XZ_MEMORY = 128 << 20, XZ_STEP = 64 << 10 };
static const uint64_t most_size = (uint64_t)16 << 30;

static int damaged(struct error *error, const char *what)
{
    return error_set(error, -EBADMSG, "damaged %s data", what);
}

static bool is_possible(struct slice packed, uint64_t size)
{
    return size <= most_size && size / MOST_RATIO <= packed.length + XZ_STEP / MOST_RATIO;
}

static char *room_for(uint64_t size)
{
    return memory_array((size_t)size, 1);
}

/* zlib counts in 32 bits: bytes are handed over in pieces. */
static unsigned next_piece(size_t *left)
{
    unsigned piece = *left < UINT32_MAX ? (unsigned)*left : UINT32_MAX;
    *left -= piece;
    return piece;
}

static int inflate_all(z_stream *stream, struct slice packed, uint64_t size, struct error *error)
{
    size_t in_left = packed.length, out_left = (size_t)size;
    int code = Z_OK;
    while (code == Z_OK) {
        if (stream->avail_in == 0)
            stream->avail_in = next_piece(&in_left);
        if (stream->avail_out == 0)
            stream->avail_out = next_piece(&out_left);
        code = inflate(stream, Z_NO_FLUSH);
    }
    if (code == Z_MEM_ERROR)
        return error_out_of_memory(error);
    return code == Z_STREAM_END && out_left == 0 && stream->avail_out == 0 ? 0 : damaged(error, "zlib");
}

int unpack_zlib(struct slice packed, uint64_t size, char **out, struct error *error)
{
    if (!is_possible(packed, size))
        return damaged(error, "zlib");
    char *room = room_for(size);
    z_stream stream = {
        .next_in = (unsigned char *)(uintptr_t)packed.text,
        .next_out = (unsigned char *)room,
        .zalloc = zlib_allocate,
        .zfree = zlib_release,
    };
    if (!room || inflateInit(&stream) != Z_OK) {
        memory_release(room);
        return error_out_of_memory(error);
    }
    int result = inflate_all(&stream, packed, size, error);
    inflateEnd(&stream);
    if (result < 0)
        memory_release(room);
    else
        *out = room;
    return result;
}

int unpack_zstd(struct slice packed, uint64_t size, char **out, struct error *error)
{
    if (!is_possible(packed, size))
        return damaged(error, "zstd");
    char *room = room_for(size);
    if (!room)
        return error_out_of_memory(error);
    size_t got = ZSTD_decompress(room, (size_t)size, packed.text, packed.length);
    if (!ZSTD_isError(got) && got == size) {
        *out = room;
        return 0;
    }
    memory_release(room);
    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return error_out_of_memory(error);
    return damaged(error, "zstd");
}

static void *xz_allocate(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return memory_array(count, size);
}

static void xz_release(void *opaque, void *block)
{
    (void)opaque;
    memory_release(block);
}

int unpack_xz(struct slice packed, char **out, size_t *size, struct error *error)
{
    static const lzma_allocator allocator = {xz_allocate, xz_release, NULL};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &allocator;
    stream.next_in = (const uint8_t *)packed.text;
    stream.avail_in = packed.length;
    VEC(char) bytes = {0};
    lzma_ret code = lzma_stream_decoder(&stream, XZ_MEMORY, LZMA_CONCATENATED);
    while (code == LZMA_OK && is_possible(packed, bytes.count)) {
        if (!vec_reserve(&bytes, bytes.count + XZ_STEP)) {
            code = LZMA_MEM_ERROR;
            break;
        }
        stream.next_out = (uint8_t *)bytes.items + bytes.count;
        stream.avail_out = bytes.capacity - bytes.count;
        code = lzma_code(&stream, LZMA_FINISH);
        bytes.count = bytes.capacity - stream.avail_out;
    }
    lzma_end(&stream);
    if (code == LZMA_STREAM_END && bytes.count > 0) {
        *out = bytes.items;
        *size = bytes.count;
        return 0;
    }
    vec_free(&bytes);
    return code == LZMA_MEM_ERROR ? error_out_of_memory(error) : damaged(error, "xz");
}
