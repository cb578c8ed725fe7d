#include "common/text_buffer.h"

void text_add(struct text_buffer *text, struct slice part)
{
    if (part.length == 0)
        return;
    if (!vec_reserve(&text->bytes, text->bytes.count + part.length)) {
        text->failed = true;
        return;
    }
    memcpy(text->bytes.items + text->bytes.count, part.text, part.length);
    text->bytes.count += part.length;
}

void text_add_char(struct text_buffer *text, char c)
{
    if (!vec_push(&text->bytes, c))
        text->failed = true;
}

void text_free(struct text_buffer *text)
{
    vec_free(&text->bytes);
    text->failed = false;
}
