/* A text that is put together in memory of a fixed size: what does not fit is cut, and it always ends with NUL. */
#ifndef SONDE_COMMON_BOUNDED_TEXT_H
#define SONDE_COMMON_BOUNDED_TEXT_H

#include <stddef.h>
#include <string.h>

struct bounded_text {
    char *out;
    size_t room, length; /* room ≥ 1 */
};

static inline struct bounded_text bounded_text_begin(char *out, size_t room)
{
    out[0] = '\0';
    return (struct bounded_text){out, room, 0};
}

static inline void bounded_text_add(struct bounded_text *text, const char *more, size_t length)
{
    if (length > text->room - 1 - text->length)
        length = text->room - 1 - text->length;
    memcpy(text->out + text->length, more, length);
    text->length += length;
    text->out[text->length] = '\0';
}

#endif
