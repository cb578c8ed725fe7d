/* A text being put together.
 *
 * Memory running out leaves it short and sets `failed`: look once, when the text is complete. */
#ifndef SONDE_COMMON_TEXT_BUFFER_H
#define SONDE_COMMON_TEXT_BUFFER_H

#include "common/slice.h"
#include "common/vec.h"

struct text_buffer {
    VEC(char) bytes;
    bool failed;
};

/* A zeroed buffer is an empty text. */

void text_add(struct text_buffer *text, struct slice part);
void text_add_char(struct text_buffer *text, char c);

/* Takes away what was added after the text was `length` bytes long. */
static inline void text_cut(struct text_buffer *text, size_t length)
{
    text->bytes.count = length;
}

/* Lives until the text changes. */
static inline struct slice text_slice(const struct text_buffer *text)
{
    return text->bytes.count > 0 ? (struct slice){text->bytes.items, text->bytes.count} : SLICE("");
}

void text_free(struct text_buffer *text);

#endif
