#include "common/memory.h"
#include "common/pack_sink.h"

#include <errno.h>
#include <zstd.h>

enum { OUTPUT_SIZE = 128 << 10 };

struct zstd_sink {
    struct byte_sink base;
    struct byte_sink *inner;
    ZSTD_CCtx *context;
    char output[OUTPUT_SIZE];
};

static int zstd_sink_run(struct zstd_sink *zstd, struct slice bytes, ZSTD_EndDirective directive, struct error *error)
{
    ZSTD_inBuffer input = {bytes.text, bytes.length, 0};
    for (;;) {
        ZSTD_outBuffer output = {zstd->output, OUTPUT_SIZE, 0};
        size_t left = ZSTD_compressStream2(zstd->context, &output, &input, directive);
        if (ZSTD_isError(left))
            return error_set(error, -EIO, "cannot pack with zstd: %s", ZSTD_getErrorName(left));
        int result = output.pos > 0 ? byte_sink_write(zstd->inner, (struct slice){zstd->output, output.pos}, error) : 0;
        if (result < 0)
            return result;
        if (directive == ZSTD_e_end ? left == 0 : input.pos == input.size)
            return 0;
    }
}

static int zstd_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    return zstd_sink_run((struct zstd_sink *)sink, bytes, ZSTD_e_continue, error);
}

static int zstd_sink_close(struct byte_sink *sink, bool keep, struct error *error)
{
    struct zstd_sink *zstd = (struct zstd_sink *)sink;
    int packed = keep ? zstd_sink_run(zstd, SLICE(""), ZSTD_e_end, error) : 0;
    ZSTD_freeCCtx(zstd->context);
    int closed = byte_sink_close(zstd->inner, keep && packed == 0, error);
    memory_release(zstd);
    return packed < 0 ? packed : closed;
}

struct byte_sink *zstd_sink_open(struct byte_sink *inner, struct error *error)
{
    struct zstd_sink *zstd = memory_zeroed(1, sizeof *zstd);
    if (zstd) {
        zstd->base = (struct byte_sink){zstd_sink_write, zstd_sink_close};
        zstd->inner = inner;
        zstd->context = ZSTD_createCCtx();
        if (zstd->context) {
            ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_checksumFlag, 1);
            return &zstd->base;
        }
        memory_release(zstd);
    }
    error_out_of_memory(error);
    byte_sink_close(inner, false, error);
    return NULL;
}
