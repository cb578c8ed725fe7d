/* A marker without a stack, up to its values: what the program waits for, so it is written without a call and without looking
 * for the end of the room at every byte. The layout is that of entry_write_marker(). */
#ifndef SONDE_SESSION_MARKER_HEAD_H
#define SONDE_SESSION_MARKER_HEAD_H

#include "common/leb128.h"
#include "session/entry.h"

struct marker_head {
    uint32_t thread, type;
    uint8_t phase; /* enum marker_phase */
    uint32_t category, subcategory;
    uint64_t start, end;
    struct slice name;
};

/* As many bytes as it takes at most, but for the name. */
enum { MARKER_HEAD_ROOM = 2 + 7 * LEB128_MAX_BYTES };

/* Names are short, and a call of memcpy() would be much of what a marker costs. */
__attribute__((always_inline)) static inline void name_copy_short(uint8_t *out, const char *name, size_t length)
{
    if (length > 16) {
        memcpy(out, name, length);
    } else if (length >= 8) {
        uint64_t first, last; /* they may overlap */
        memcpy(&first, name, 8);
        memcpy(&last, name + length - 8, 8);
        memcpy(out, &first, 8);
        memcpy(out + length - 8, &last, 8);
    } else if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, name, 4);
        memcpy(&last, name + length - 4, 4);
        memcpy(out, &first, 4);
        memcpy(out + length - 4, &last, 4);
    } else {
        for (size_t i = 0; i < length; i++)
            out[i] = (uint8_t)name[i];
    }
}

/* `out` has room for MARKER_HEAD_ROOM and the name. Returns the length. */
__attribute__((always_inline)) static inline size_t marker_head_write(uint8_t *out, const struct marker_head *head)
{
    uint8_t *at = out;
    *at++ = ENTRY_MARKER;
    *at++ = head->phase & 3;
    at += leb128_write(at, head->thread);
    at += leb128_write(at, head->type);
    at += leb128_write(at, head->category);
    at += leb128_write(at, head->subcategory);
    memcpy(at, head->phase == MARKER_END ? &head->end : &head->start, sizeof head->start);
    at += sizeof head->start;
    if (head->phase == MARKER_INTERVAL)
        at += leb128_write(at, head->end > head->start ? head->end - head->start : 0);
    at += leb128_write(at, head->name.length);
    name_copy_short(at, head->name.text, head->name.length);
    return (size_t)(at - out) + head->name.length;
}

#endif
