/* Reads little-endian numbers from bytes that nobody has checked: past the end every read gives 0 and the reader stays failed,
 * so that a parser looks once, when it is done. What DWARF and its tables for unwinding are made of.
 *
 *     struct byte_reader in = byte_reader_of(bytes, length);
 *     uint64_t factor = byte_reader_uleb(&in);
 *     …
 *     if (in.failed) … */
#ifndef SONDE_COMMON_BYTE_READER_H
#define SONDE_COMMON_BYTE_READER_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
    const uint8_t *at, *end;
    bool failed;
};

static inline struct byte_reader byte_reader_of(const uint8_t *bytes, size_t length)
{
    return (struct byte_reader){bytes, bytes + length, false};
}

static inline size_t byte_reader_left(const struct byte_reader *in)
{
    return (size_t)(in->end - in->at);
}

/* Nothing more can be read. */
static inline void byte_reader_fail(struct byte_reader *in)
{
    in->at = in->end;
    in->failed = true;
}

/* The next `length` bytes, or NULL where there are not so many. */
static inline const uint8_t *byte_reader_take(struct byte_reader *in, uint64_t length)
{
    if (length > byte_reader_left(in)) {
        byte_reader_fail(in);
        return NULL;
    }
    const uint8_t *bytes = in->at;
    in->at += length;
    return bytes;
}

static inline uint8_t byte_reader_u8(struct byte_reader *in)
{
    const uint8_t *bytes = byte_reader_take(in, 1);
    return bytes ? *bytes : 0;
}

static inline uint16_t byte_reader_u16(struct byte_reader *in)
{
    uint16_t value = 0;
    const uint8_t *bytes = byte_reader_take(in, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return le16toh(value);
}

static inline uint32_t byte_reader_u24(struct byte_reader *in)
{
    const uint8_t *bytes = byte_reader_take(in, 3);
    return bytes ? bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 : 0;
}

static inline uint32_t byte_reader_u32(struct byte_reader *in)
{
    uint32_t value = 0;
    const uint8_t *bytes = byte_reader_take(in, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}

static inline uint64_t byte_reader_u64(struct byte_reader *in)
{
    uint64_t value = 0;
    const uint8_t *bytes = byte_reader_take(in, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}

/* LEB128 of any length: assemblers pad them. Bits above the 64th are dropped. */
static inline uint64_t byte_reader_uleb(struct byte_reader *in)
{
    if (__builtin_expect(in->at < in->end && *in->at < 0x80, 1))
        return *in->at++;
    uint64_t value = 0;
    for (unsigned shift = 0; in->at < in->end;) {
        uint8_t byte = *in->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += shift < 64 ? 7 : 0;
        if (byte < 0x80)
            return value;
    }
    byte_reader_fail(in);
    return 0;
}

/* In the signed form the highest bit of the last byte that is not a "more follow" bit is the sign. */
static inline int64_t byte_reader_sleb(struct byte_reader *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; in->at < in->end;) {
        uint8_t byte = *in->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += shift < 64 ? 7 : 0;
        if (byte < 0x80)
            return (int64_t)(byte & 0x40 && shift < 64 ? value | UINT64_MAX << shift : value);
    }
    byte_reader_fail(in);
    return 0;
}

/* A block: its length as ULEB128, then so many bytes. An empty reader where it does not fit. */
static inline struct byte_reader byte_reader_block(struct byte_reader *in)
{
    uint64_t length = byte_reader_uleb(in);
    const uint8_t *bytes = byte_reader_take(in, length);
    return bytes ? byte_reader_of(bytes, (size_t)length) : (struct byte_reader){in->end, in->end, true};
}

#endif
