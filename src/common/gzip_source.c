#include "common/byte_source.h"
#include "common/memory.h"
#include "common/zlib_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <zlib.h>

enum { INPUT_SIZE = 64 << 10, GZIP_ONLY = 15 + 16 };

struct gzip_source {
    struct byte_source base;
    struct byte_source *packed;
    z_stream stream;
    uint64_t fed; /* packed bytes handed to zlib's input so far */
    bool between; /* after a member, where the file may end */
    bool packed_ended;
    unsigned char input[INPUT_SIZE];
};

static uint64_t packed_offset(const struct gzip_source *gzip)
{
    return gzip->fed - gzip->stream.avail_in;
}

/* At least one byte of input unless the packed source has ended. */
static int gzip_source_feed(struct gzip_source *gzip, struct error *error)
{
    if (gzip->stream.avail_in > 0 || gzip->packed_ended)
        return 0;
    ssize_t count = gzip->packed->read(gzip->packed, (char *)gzip->input, INPUT_SIZE, error);
    if (count < 0)
        return (int)count;
    gzip->packed_ended = count == 0;
    gzip->fed += (uint64_t)count;
    gzip->stream.next_in = gzip->input;
    gzip->stream.avail_in = (unsigned)count;
    return 0;
}

/* Between members: the file may end, zeros that pad it to a tape block may follow, or another member. */
static int gzip_source_next_member(struct gzip_source *gzip, struct error *error)
{
    bool padding = false;
    for (;;) {
        int result = gzip_source_feed(gzip, error);
        if (result < 0 || gzip->packed_ended)
            return result;
        if (*gzip->stream.next_in != 0)
            break;
        padding = true;
        gzip->stream.next_in++;
        gzip->stream.avail_in--;
    }
    if (padding || *gzip->stream.next_in != 0x1f)
        return error_set(error, -EBADMSG, "damaged gzip data at byte %" PRIu64 ": something else follows", packed_offset(gzip));
    inflateReset(&gzip->stream);
    gzip->between = false;
    return 0;
}

static ssize_t gzip_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct gzip_source *gzip = (struct gzip_source *)source;
    unsigned room = capacity < UINT32_MAX ? (unsigned)capacity : UINT32_MAX;
    gzip->stream.next_out = (unsigned char *)buffer;
    gzip->stream.avail_out = room;
    /* Small pieces of input are put together: readers above work best with a full buffer. */
    while (gzip->stream.avail_out > 0) {
        int result = gzip->between ? gzip_source_next_member(gzip, error) : gzip_source_feed(gzip, error);
        if (result < 0)
            return result;
        if (gzip->packed_ended && gzip->between)
            break;
        unsigned before = gzip->stream.avail_out;
        int code = inflate(&gzip->stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            gzip->between = true;
        else if (code == Z_MEM_ERROR)
            return error_out_of_memory(error);
        else if (code == Z_BUF_ERROR && gzip->packed_ended && gzip->stream.avail_out == before)
            return error_set(error, -EBADMSG, "truncated gzip data at byte %" PRIu64, packed_offset(gzip));
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return error_set(error, -EBADMSG, "damaged gzip data at byte %" PRIu64 ": %s", packed_offset(gzip),
                             gzip->stream.msg ? gzip->stream.msg : "a dictionary is needed");
    }
    return room - gzip->stream.avail_out;
}

static void gzip_source_close(struct byte_source *source)
{
    struct gzip_source *gzip = (struct gzip_source *)source;
    inflateEnd(&gzip->stream);
    byte_source_close(gzip->packed);
    memory_release(gzip);
}

struct byte_source *gzip_source_open(struct byte_source *packed, struct error *error)
{
    struct gzip_source *gzip = memory_zeroed(1, sizeof *gzip);
    if (gzip) {
        gzip->base = (struct byte_source){gzip_source_read, gzip_source_close};
        gzip->packed = packed;
        gzip->stream.zalloc = zlib_allocate;
        gzip->stream.zfree = zlib_release;
        if (inflateInit2(&gzip->stream, GZIP_ONLY) == Z_OK)
            return &gzip->base;
        memory_release(gzip);
    }
    byte_source_close(packed);
    error_out_of_memory(error);
    return NULL;
}
