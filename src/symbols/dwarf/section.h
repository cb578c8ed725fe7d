/* What sections of DWARF hold besides numbers. */
#ifndef SONDE_SYMBOLS_DWARF_SECTION_H
#define SONDE_SYMBOLS_DWARF_SECTION_H

#include "common/byte_reader.h"
#include "common/slice.h"

/* From an offset to the end of the section. */
static inline struct byte_reader dwarf_section_at(struct slice section, uint64_t offset)
{
    static const uint8_t nothing;
    const uint8_t *bytes = (const uint8_t *)section.text;
    if (offset > section.length || !bytes)
        return (struct byte_reader){&nothing, &nothing, true};
    return (struct byte_reader){bytes + offset, bytes + section.length, false};
}

/* An address or an offset, of 4 or 8 bytes. */
static inline uint64_t dwarf_word(struct byte_reader *cursor, unsigned size)
{
    return size == 8 ? byte_reader_u64(cursor) : byte_reader_u32(cursor);
}

/* A text that ends with a NUL byte. Names longer than any compiler's are taken for damage: finding the ends of thousands of
 * them would take forever. */
enum { DWARF_LONGEST_TEXT = 256 << 10 };

static inline struct slice dwarf_text(struct byte_reader *cursor)
{
    size_t left = byte_reader_left(cursor);
    const uint8_t *start = cursor->at, *end = NULL;
    if (left > 0)
        end = memchr(start, 0, left < DWARF_LONGEST_TEXT ? left : DWARF_LONGEST_TEXT);
    if (!end) {
        byte_reader_fail(cursor);
        return (struct slice){0};
    }
    cursor->at = end + 1;
    return (struct slice){(const char *)start, (size_t)(end - start)};
}

/* The length that units, line tables and lists begin with, and the size of offsets in them. The cursor then ends where they do.
 */
static inline uint64_t dwarf_initial_length(struct byte_reader *cursor, uint8_t *offset_size)
{
    uint64_t length = byte_reader_u32(cursor);
    *offset_size = 4;
    if (length == 0xffffffff) {
        length = byte_reader_u64(cursor);
        *offset_size = 8;
    } else if (length >= 0xfffffff0) {
        byte_reader_fail(cursor);
    }
    if (length > byte_reader_left(cursor))
        byte_reader_fail(cursor);
    if (cursor->failed)
        return 0;
    cursor->end = cursor->at + length;
    return length;
}

#endif
