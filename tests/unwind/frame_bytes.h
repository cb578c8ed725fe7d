/* Makes .eh_frame by hand.
 *
 *     struct frame_bytes bytes = {0};
 *     size_t cie = frame_bytes_cie(&bytes, 1, "", BYTES());
 *     frame_bytes_fde(&bytes, cie, 0x1000, 0x100, BYTES(0x0e, 16)); */
#ifndef SONDE_TESTS_UNWIND_FRAME_BYTES_H
#define SONDE_TESTS_UNWIND_FRAME_BYTES_H

#include "unwind/eh_frame.h"

#include <assert.h>
#include <string.h>

enum { FRAME_BYTES_ADDRESS = 0x100000 }; /* where the section claims to be mapped */

struct frame_bytes {
    uint8_t data[1024];
    size_t length;
};

struct piece {
    const uint8_t *bytes;
    size_t length;
};
#define BYTES(...) ((struct piece){(const uint8_t[]){0, ##__VA_ARGS__} + 1, sizeof((const uint8_t[]){0, ##__VA_ARGS__}) - 1})

static inline void frame_bytes_put(struct frame_bytes *out, const void *bytes, size_t length)
{
    assert(out->length + length <= sizeof out->data);
    if (length > 0)
        memcpy(out->data + out->length, bytes, length);
    out->length += length;
}

static inline void frame_bytes_u8(struct frame_bytes *out, uint8_t value)
{
    frame_bytes_put(out, &value, sizeof value);
}

static inline void frame_bytes_u32(struct frame_bytes *out, uint32_t value)
{
    frame_bytes_put(out, &value, sizeof value);
}

static inline void frame_bytes_u64(struct frame_bytes *out, uint64_t value)
{
    frame_bytes_put(out, &value, sizeof value);
}

/* Fills in the length of the entry at `start`, which has 4 bytes for it, once all of it is there. */
static inline void frame_bytes_close(struct frame_bytes *out, size_t start)
{
    uint32_t length = (uint32_t)(out->length - start - 4);
    memcpy(out->data + start, &length, sizeof length);
}

/* Up to and with the return register: code factor 1, data factor −8, register 16. */
static inline size_t frame_bytes_cie_start(struct frame_bytes *out, uint8_t version, const char *augmentation)
{
    size_t start = out->length;
    frame_bytes_u32(out, 0);
    frame_bytes_u32(out, 0);
    frame_bytes_u8(out, version);
    frame_bytes_put(out, augmentation, strlen(augmentation) + 1);
    if (version == 4) {
        frame_bytes_u8(out, 8);
        frame_bytes_u8(out, 0);
    }
    frame_bytes_u8(out, 1);
    frame_bytes_u8(out, 0x78);
    frame_bytes_u8(out, 16);
    return start;
}

/* A CIE without a z. Its offset. */
static inline size_t frame_bytes_cie(struct frame_bytes *out, uint8_t version, const char *augmentation, struct piece program)
{
    size_t start = frame_bytes_cie_start(out, version, augmentation);
    frame_bytes_put(out, program.bytes, program.length);
    frame_bytes_close(out, start);
    return start;
}

/* With augmentation data. */
static inline size_t frame_bytes_cie_with(struct frame_bytes *out, const char *augmentation, struct piece data,
                                          struct piece program)
{
    size_t start = frame_bytes_cie_start(out, 1, augmentation);
    frame_bytes_u8(out, (uint8_t)data.length);
    frame_bytes_put(out, data.bytes, data.length);
    frame_bytes_put(out, program.bytes, program.length);
    frame_bytes_close(out, start);
    return start;
}

/* Absolute pointers of 8 bytes, no augmentation data. Its offset. */
static inline size_t frame_bytes_fde(struct frame_bytes *out, size_t cie, uint64_t function, uint64_t length,
                                     struct piece program)
{
    size_t start = out->length;
    frame_bytes_u32(out, 0);
    frame_bytes_u32(out, (uint32_t)(out->length - cie));
    frame_bytes_u64(out, function);
    frame_bytes_u64(out, length);
    frame_bytes_put(out, program.bytes, program.length);
    frame_bytes_close(out, start);
    return start;
}

static inline struct eh_frame_table frame_bytes_table(const struct frame_bytes *bytes)
{
    return (struct eh_frame_table){.bytes = bytes->data, .length = bytes->length, .address = FRAME_BYTES_ADDRESS};
}

#endif
