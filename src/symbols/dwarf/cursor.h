/* A place in a section, and how far one may read from there. Reading behind the end gives zeros and stays failed: whoever reads
 * several values looks once, after the last. */
#ifndef SONDE_SYMBOLS_DWARF_CURSOR_H
#define SONDE_SYMBOLS_DWARF_CURSOR_H

#include "common/slice.h"

#include <endian.h>
#include <stdint.h>

struct dwarf_cursor {
    const uint8_t *at, *end;
    bool failed;
};

static inline struct dwarf_cursor dwarf_cursor_at(struct slice section, uint64_t offset)
{
    static const uint8_t nothing;
    const uint8_t *bytes = (const uint8_t *)section.text;
    if (offset > section.length || !bytes)
        return (struct dwarf_cursor){&nothing, &nothing, true};
    return (struct dwarf_cursor){bytes + offset, bytes + section.length, false};
}

static inline size_t dwarf_cursor_left(const struct dwarf_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static inline void dwarf_cursor_fail(struct dwarf_cursor *cursor)
{
    cursor->failed = true;
    cursor->at = cursor->end;
}

/* `size` bytes from here on, or NULL. */
static inline const uint8_t *dwarf_take(struct dwarf_cursor *cursor, uint64_t size)
{
    if (size > dwarf_cursor_left(cursor)) {
        dwarf_cursor_fail(cursor);
        return NULL;
    }
    const uint8_t *taken = cursor->at;
    cursor->at += size;
    return taken;
}

static inline uint8_t dwarf_u8(struct dwarf_cursor *cursor)
{
    const uint8_t *bytes = dwarf_take(cursor, 1);
    return bytes ? *bytes : 0;
}

static inline uint16_t dwarf_u16(struct dwarf_cursor *cursor)
{
    uint16_t value = 0;
    const uint8_t *bytes = dwarf_take(cursor, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return le16toh(value);
}

static inline uint32_t dwarf_u24(struct dwarf_cursor *cursor)
{
    const uint8_t *bytes = dwarf_take(cursor, 3);
    return bytes ? bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 : 0;
}

static inline uint32_t dwarf_u32(struct dwarf_cursor *cursor)
{
    uint32_t value = 0;
    const uint8_t *bytes = dwarf_take(cursor, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}

static inline uint64_t dwarf_u64(struct dwarf_cursor *cursor)
{
    uint64_t value = 0;
    const uint8_t *bytes = dwarf_take(cursor, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}

/* An address or an offset, of 4 or 8 bytes. */
static inline uint64_t dwarf_word(struct dwarf_cursor *cursor, unsigned size)
{
    return size == 8 ? dwarf_u64(cursor) : dwarf_u32(cursor);
}

/* LEB128 of any length: assemblers pad them. Bits above the 64th are dropped. */
static inline uint64_t dwarf_uleb(struct dwarf_cursor *cursor)
{
    if (__builtin_expect(cursor->at < cursor->end && *cursor->at < 0x80, 1))
        return *cursor->at++;
    uint64_t value = 0;
    for (unsigned shift = 0; cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    cursor->failed = true;
    return 0;
}

static inline int64_t dwarf_sleb(struct dwarf_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; cursor->at < cursor->end;) {
        uint8_t byte = *cursor->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += shift < 64 ? 7 : 0;
        if (byte < 0x80)
            return (int64_t)(byte & 0x40 && shift < 64 ? value | UINT64_MAX << shift : value);
    }
    cursor->failed = true;
    return 0;
}

/* A text that ends with a NUL byte. Names longer than any compiler's are taken for damage: finding the ends of thousands of
 * them would take forever. */
enum { DWARF_LONGEST_TEXT = 256 << 10 };

static inline struct slice dwarf_text(struct dwarf_cursor *cursor)
{
    size_t left = dwarf_cursor_left(cursor);
    const uint8_t *start = cursor->at, *end = NULL;
    if (left > 0)
        end = memchr(start, 0, left < DWARF_LONGEST_TEXT ? left : DWARF_LONGEST_TEXT);
    if (!end) {
        dwarf_cursor_fail(cursor);
        return (struct slice){0};
    }
    cursor->at = end + 1;
    return (struct slice){(const char *)start, (size_t)(end - start)};
}

/* The length that units, line tables and lists begin with, and the size of offsets in them. The cursor then ends where they do.
 */
static inline uint64_t dwarf_initial_length(struct dwarf_cursor *cursor, uint8_t *offset_size)
{
    uint64_t length = dwarf_u32(cursor);
    *offset_size = 4;
    if (length == 0xffffffff) {
        length = dwarf_u64(cursor);
        *offset_size = 8;
    } else if (length >= 0xfffffff0) {
        dwarf_cursor_fail(cursor);
    }
    if (length > dwarf_cursor_left(cursor))
        dwarf_cursor_fail(cursor);
    if (cursor->failed)
        return 0;
    cursor->end = cursor->at + length;
    return length;
}

#endif
