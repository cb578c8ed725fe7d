/* Unpacking gzip, with ISA-L: it takes a quarter of zlib's time or less, and real profiles are packed. */
#include "common/byte_source.h"
#include "common/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <isa-l/igzip_lib.h>

enum { INPUT_SIZE = 64 << 10 };

/* Where in a file the next bytes are. */
enum gzip_place { IN_HEADER, IN_MEMBER, BETWEEN_MEMBERS /* where the file may end */ };

struct gzip_source {
    struct byte_source base;
    struct byte_source *packed;
    uint64_t fed; /* packed bytes handed to the decoder so far */
    enum gzip_place place;
    bool packed_ended;
    struct isal_gzip_header header; /* as far as it has been read */
    struct inflate_state stream;
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

static void begin_member(struct gzip_source *gzip)
{
    gzip->stream.crc_flag = ISAL_GZIP_NO_HDR_VER; /* the header is read apart; the checksum is verified */
    isal_gzip_header_init(&gzip->header);
    gzip->place = IN_HEADER;
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
    isal_inflate_reset(&gzip->stream);
    begin_member(gzip);
    return 0;
}

/* What a decoder's answer means; negative: an error. */
static int damage(const struct gzip_source *gzip, int answer, struct error *error)
{
    static const char *const reasons[] = {
        [-ISAL_INVALID_BLOCK] = "a block of no known type",
        [-ISAL_INVALID_SYMBOL] = "a code that means nothing",
        [-ISAL_INVALID_LOOKBACK] = "a reference to before the beginning",
        [-ISAL_INVALID_WRAPPER] = "not a gzip header",
        [-ISAL_UNSUPPORTED_METHOD] = "packed in an unknown way",
        [-ISAL_INCORRECT_CHECKSUM] = "the checksum is another",
    };
    size_t reason = answer < 0 ? (size_t)-answer : 0;
    return error_set(error, -EBADMSG, "damaged gzip data at byte %" PRIu64 ": %s", packed_offset(gzip),
                     reason > 0 && reason < sizeof reasons / sizeof *reasons ? reasons[reason] : "it cannot be decoded");
}

static int decode_header(struct gzip_source *gzip, struct error *error)
{
    uint32_t before = gzip->stream.avail_in;
    int answer = isal_read_gzip_header(&gzip->stream, &gzip->header);
    if (answer == ISAL_DECOMP_OK)
        gzip->place = IN_MEMBER;
    else if (answer != ISAL_END_INPUT)
        return damage(gzip, answer, error);
    else if (gzip->packed_ended && gzip->stream.avail_in == before)
        return error_set(error, -EBADMSG, "truncated gzip data at byte %" PRIu64, packed_offset(gzip));
    return 0;
}

static int decode_member(struct gzip_source *gzip, struct error *error)
{
    uint32_t before = gzip->stream.avail_out;
    int answer = isal_inflate(&gzip->stream);
    if (answer < 0)
        return damage(gzip, answer, error);
    if (gzip->stream.block_state == ISAL_BLOCK_FINISH)
        gzip->place = BETWEEN_MEMBERS;
    else if (gzip->packed_ended && gzip->stream.avail_out == before)
        return error_set(error, -EBADMSG, "truncated gzip data at byte %" PRIu64, packed_offset(gzip));
    return 0;
}

static ssize_t gzip_source_read(struct byte_source *source, char *buffer, size_t capacity, struct error *error)
{
    struct gzip_source *gzip = (struct gzip_source *)source;
    uint32_t room = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
    gzip->stream.next_out = (uint8_t *)buffer;
    gzip->stream.avail_out = room;
    /* Small pieces of input are put together: readers above work best with a full buffer. */
    while (gzip->stream.avail_out > 0) {
        int result = gzip->place == BETWEEN_MEMBERS ? gzip_source_next_member(gzip, error) : gzip_source_feed(gzip, error);
        if (result < 0)
            return result;
        if (gzip->place == BETWEEN_MEMBERS)
            break;
        result = gzip->place == IN_HEADER ? decode_header(gzip, error) : decode_member(gzip, error);
        if (result < 0)
            return result;
    }
    return room - gzip->stream.avail_out;
}

static void gzip_source_close(struct byte_source *source)
{
    struct gzip_source *gzip = (struct gzip_source *)source;
    byte_source_close(gzip->packed);
    memory_release(gzip);
}

struct byte_source *gzip_source_open(struct byte_source *packed, struct error *error)
{
    struct gzip_source *gzip = memory_zeroed(1, sizeof *gzip);
    if (!gzip) {
        byte_source_close(packed);
        error_out_of_memory(error);
        return NULL;
    }
    gzip->base = (struct byte_source){gzip_source_read, gzip_source_close};
    gzip->packed = packed;
    isal_inflate_init(&gzip->stream);
    begin_member(gzip);
    return &gzip->base;
}
