/* A marker up to its name: the one place where its layout stands. Programs write markers in their hottest loops, so this is
 * inline, there is one look for room before it, and the time is not packed: two bytes more, a fifth of the work less. */
#ifndef SONDE_SESSION_MARKER_HEAD_H
#define SONDE_SESSION_MARKER_HEAD_H

#include "common/leb128.h"
#include "session/entry.h"

#include <string.h>

struct marker_head {
    uint32_t thread, type;
    uint8_t phase; /* enum marker_phase */
    bool has_stack;
    uint32_t category, subcategory;
    uint64_t start, end;
    struct slice name;
};

/* Most are small. */
__attribute__((always_inline)) static inline uint8_t *number_at(uint8_t *at, uint64_t number)
{
    if (number < 0x80) {
        *at = (uint8_t)number;
        return at + 1;
    }
    return at + leb128_write(at, number);
}

/* Names are short, and a call of memcpy() would be much of what a marker costs. */
__attribute__((always_inline)) static inline void copy_short(uint8_t *out, const char *name, size_t length)
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

/* `at` has room for ENTRY_NUMBERS_MAX and the name. An interval's end is kept as its distance to the start (none is before it).
 * Returns where it ends. */
__attribute__((always_inline)) static inline uint8_t *marker_head_write(uint8_t *at, const struct marker_head *head)
{
    *at++ = ENTRY_MARKER;
    *at++ = (uint8_t)((head->phase & 3) | head->has_stack << 2);
    at = number_at(at, head->thread);
    at = number_at(at, head->type);
    at = number_at(at, head->category);
    at = number_at(at, head->subcategory);
    uint64_t time = head->phase == MARKER_END ? head->end : head->start;
    memcpy(at, &time, sizeof time);
    at += sizeof time;
    if (head->phase == MARKER_INTERVAL)
        at = number_at(at, head->end > head->start ? head->end - head->start : 0);
    at = number_at(at, head->name.length);
    copy_short(at, head->name.text, head->name.length);
    return at + head->name.length;
}

#endif
