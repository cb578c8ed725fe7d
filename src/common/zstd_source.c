#include "common/byte_source.h"
#include "common/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { INPUT_SIZE = 128 << 10 };

struct zstd_source {
    struct byte_source base;
    struct byte_source *packed;
    ZSTD_DCtx *context;
    ZSTD_inBuffer input;
    uint64_t input_start; /* offset of the input buffer in the packed stream */
    bool inside;          /* of a frame, where the file may not end */
    bool packed_ended;
    char bytes[INPUT_SIZE];
};

static int zstd_source_feed(struct zstd_source *zstd, struct error *error)
{
    if (zstd->input.pos < zstd->input.size || zstd->packed_ended)
        return 0;
    ssize_t count = zstd->packed->read(zstd->packed, zstd->bytes, INPUT_SIZE, error);
    if (count < 0)
        return (int)count;
    zstd->packed_ended = count == 0;
    zstd->input_start += zstd->input.size;
    zstd->input = (ZSTD_inBuffer){zstd->bytes, (size_t)count, 0};
    return 0;
}

static ssize_t zstd_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct zstd_source *zstd = (struct zstd_source *)source;
    ZSTD_outBuffer output = {buffer, capacity, 0};
    while (output.pos < output.size) {
        int result = zstd_source_feed(zstd, error);
        if (result < 0)
            return result;
        if (zstd->packed_ended && !zstd->inside)
            break;
        size_t before = output.pos;
        size_t code = ZSTD_decompressStream(zstd->context, &output, &zstd->input);
        uint64_t offset = zstd->input_start + zstd->input.pos;
        if (ZSTD_isError(code)) {
            if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
                return error_out_of_memory(error);
            return error_set(error, -EBADMSG, "damaged zstd data at byte %" PRIu64 ": %s", offset, ZSTD_getErrorName(code));
        }
        zstd->inside = code != 0;
        if (zstd->packed_ended && zstd->inside && output.pos == before)
            return error_set(error, -EBADMSG, "truncated zstd data at byte %" PRIu64, offset);
    }
    return (ssize_t)output.pos;
}

static void zstd_source_close(struct byte_source *source)
{
    struct zstd_source *zstd = (struct zstd_source *)source;
    ZSTD_freeDCtx(zstd->context);
    byte_source_close(zstd->packed);
    memory_release(zstd);
}

struct byte_source *zstd_source_open(struct byte_source *packed, struct error *error)
{
    struct zstd_source *zstd = memory_zeroed(1, sizeof *zstd);
    if (zstd) {
        zstd->base = (struct byte_source){zstd_source_read, zstd_source_close};
        zstd->packed = packed;
        zstd->context = ZSTD_createDCtx();
        if (zstd->context)
            return &zstd->base;
        memory_release(zstd);
    }
    byte_source_close(packed);
    error_out_of_memory(error);
    return NULL;
}
