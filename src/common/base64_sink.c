#include "common/memory.h"
#include "common/pack_sink.h"

enum { OUTPUT_SIZE = 16 << 10 };

struct base64_sink {
    struct byte_sink base;
    struct byte_sink *inner;
    unsigned char rest[3]; /* bytes that do not make four characters yet */
    size_t rest_count;
    size_t output_count;
    char output[OUTPUT_SIZE];
};

static int flush(struct base64_sink *base64, struct error *error)
{
    struct slice output = {base64->output, base64->output_count};
    base64->output_count = 0;
    return output.length > 0 ? byte_sink_write(base64->inner, output, error) : 0;
}

/* Three bytes as four characters. */
static void put_group(struct base64_sink *base64, const unsigned char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned group = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
    for (int shift = 18; shift >= 0; shift -= 6)
        base64->output[base64->output_count++] = digits[group >> shift & 63];
}

static int base64_sink_write(struct byte_sink *sink, struct slice bytes, struct error *error)
{
    struct base64_sink *base64 = (struct base64_sink *)sink;
    int failed = 0;
    for (size_t i = 0; i < bytes.length && !failed; i++) {
        base64->rest[base64->rest_count++] = (unsigned char)bytes.text[i];
        if (base64->rest_count < sizeof base64->rest)
            continue;
        put_group(base64, base64->rest);
        base64->rest_count = 0;
        if (base64->output_count == OUTPUT_SIZE)
            failed = flush(base64, error);
    }
    return failed;
}

static int base64_sink_close(struct byte_sink *sink, bool keep, struct error *error)
{
    struct base64_sink *base64 = (struct base64_sink *)sink;
    if (base64->rest_count > 0) {
        size_t padding = sizeof base64->rest - base64->rest_count;
        memset(base64->rest + base64->rest_count, 0, padding);
        put_group(base64, base64->rest);
        memset(base64->output + base64->output_count - padding, '=', padding);
    }
    int failed = keep ? flush(base64, error) : 0;
    memory_release(base64);
    return failed;
}

struct byte_sink *base64_sink_open(struct byte_sink *inner, struct error *error)
{
    struct base64_sink *base64 = memory_zeroed(1, sizeof *base64);
    if (!base64) {
        error_out_of_memory(error);
        return NULL;
    }
    base64->base = (struct byte_sink){base64_sink_write, base64_sink_close};
    base64->inner = inner;
    return &base64->base;
}
