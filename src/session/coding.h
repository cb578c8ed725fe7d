/* How the values in an entry are written and read: numbers as LEB128, texts as their length and bytes.
 *
 * A writer that runs out of room and a reader that runs out of bytes, or meets what makes no sense, remember it; one look at
 * the end is enough. */
#ifndef SONDE_SESSION_CODING_H
#define SONDE_SESSION_CODING_H

#include "common/leb128.h"
#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct out {
    uint8_t *at, *end;
    bool full;
};

static inline size_t out_room(const struct out *out)
{
    return (size_t)(out->end - out->at);
}

static inline void put_bytes(struct out *out, const void *bytes, size_t length)
{
    if (out_room(out) < length) {
        out->full = true;
        return;
    }
    if (length > 0)
        memcpy(out->at, bytes, length);
    out->at += length;
}

static inline void put_byte(struct out *out, uint8_t byte)
{
    if (out->at == out->end)
        out->full = true;
    else
        *out->at++ = byte;
}

static inline void put_number(struct out *out, uint64_t number)
{
    if (out_room(out) >= LEB128_MAX_BYTES) {
        out->at += leb128_write(out->at, number);
    } else {
        uint8_t bytes[LEB128_MAX_BYTES];
        put_bytes(out, bytes, leb128_write(bytes, number));
    }
}

static inline void put_signed(struct out *out, int64_t number)
{
    put_number(out, zigzag_encode(number));
}

static inline void put_text(struct out *out, struct slice text)
{
    put_number(out, text.length);
    put_bytes(out, text.text, text.length);
}

/* How many bytes were written from `start` on; 0 where they did not all fit. */
static inline size_t out_length(const struct out *out, const uint8_t *start)
{
    return out->full ? 0 : (size_t)(out->at - start);
}

struct in {
    const uint8_t *at, *end;
    bool bad;
};

static inline size_t in_left(const struct in *in)
{
    return (size_t)(in->end - in->at);
}

/* After the first mistake nothing is taken any more and every value is 0. */
static inline uint64_t in_mistake(struct in *in)
{
    in->bad = true;
    in->at = in->end;
    return 0;
}

static inline uint64_t take_number(struct in *in)
{
    uint64_t number;
    size_t length = leb128_read(in->at, in->end, &number);
    if (length == 0)
        return in_mistake(in);
    in->at += length;
    return number;
}

/* A number that is at most `max`. */
static inline uint64_t take_up_to(struct in *in, uint64_t max)
{
    uint64_t number = take_number(in);
    return number <= max ? number : in_mistake(in);
}

static inline uint32_t take_u32(struct in *in)
{
    return (uint32_t)take_up_to(in, UINT32_MAX);
}

static inline int64_t take_signed(struct in *in)
{
    return zigzag_decode(take_number(in));
}

static inline uint8_t take_byte(struct in *in)
{
    return in->at < in->end ? *in->at++ : (uint8_t)in_mistake(in);
}

static inline struct slice take_bytes(struct in *in, uint64_t length)
{
    if (length > in_left(in)) {
        in_mistake(in);
        length = 0;
    }
    struct slice bytes = {(const char *)in->at, (size_t)length};
    in->at += length;
    return bytes;
}

/* A number that is not packed: eight bytes. */
static inline uint64_t take_u64(struct in *in)
{
    uint64_t number = 0;
    struct slice bytes = take_bytes(in, sizeof number);
    if (bytes.length == sizeof number)
        memcpy(&number, bytes.text, sizeof number);
    return number;
}

static inline struct slice take_text(struct in *in)
{
    return take_bytes(in, take_number(in));
}

static inline struct slice take_rest(struct in *in)
{
    return take_bytes(in, in_left(in));
}

#endif
