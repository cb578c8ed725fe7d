/* LEB128: numbers in as many bytes as they need, seven bits each, lowest first; the top bit says that more follow. */
#ifndef SONDE_COMMON_LEB128_H
#define SONDE_COMMON_LEB128_H

#include <stddef.h>
#include <stdint.h>

enum { LEB128_MAX_BYTES = 10 };

/* Writes `value` and returns how many bytes it took; `out` has room for LEB128_MAX_BYTES. */
static inline size_t leb128_write(uint8_t *out, uint64_t value)
{
    size_t length = 0;
    while (value >= 0x80) {
        out[length++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[length++] = (uint8_t)value;
    return length;
}

/* Reads from `in` up to `end`: how many bytes it took, or 0 where the number is cut off or does not fit 64 bits. */
static inline size_t leb128_read(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    if (in >= end) /* of nothing, both may be NULL, to which nothing can be added */
        return 0;
    for (size_t length = 0; length < LEB128_MAX_BYTES && in + length < end; length++) {
        uint64_t bits = in[length] & 0x7f;
        if (length == LEB128_MAX_BYTES - 1 && bits > 1)
            return 0;
        result |= bits << length * 7;
        if (in[length] < 0x80) {
            *value = result;
            return length + 1;
        }
    }
    return 0;
}

/* Signed numbers as unsigned ones: 0, -1, 1, -2 … become 0, 1, 2, 3 …, so that small ones stay short. */
static inline uint64_t zigzag_encode(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t zigzag_decode(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

#endif
