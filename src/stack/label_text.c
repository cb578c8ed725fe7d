#include "stack/label_text.h"

#include <stdbool.h>
#include <string.h>

static void append(struct raw_stack *raw, struct raw_text *text, const char *more)
{
    size_t room = sizeof raw->text - raw->text_used;
    size_t length = strnlen(more, room + 1);
    if (length > room) {
        length = room;
        raw->cut = true;
    }
    memcpy(raw->text + raw->text_used, more, length);
    raw->text_used += (uint32_t)length;
    text->length += (uint32_t)length;
}

struct raw_text raw_text_copy(struct raw_stack *raw, const char *from)
{
    struct raw_text text = {raw->text_used, 0};
    if (from)
        append(raw, &text, from);
    return text;
}

struct raw_text label_text(struct raw_stack *raw, const char *label, const char *dynamic, unsigned flags)
{
    struct raw_text text = {raw->text_used, 0};
    bool has_label = label[0], has_dynamic = dynamic && dynamic[0];
    if (has_label && has_dynamic && (flags & (SONDE_LABEL_GETTER | SONDE_LABEL_SETTER)))
        append(raw, &text, flags & SONDE_LABEL_GETTER ? "get " : "set ");
    append(raw, &text, label);
    if (has_dynamic) {
        bool member = flags & (SONDE_LABEL_METHOD | SONDE_LABEL_GETTER | SONDE_LABEL_SETTER);
        if (has_label)
            append(raw, &text, member ? "." : " ");
        append(raw, &text, dynamic);
    }
    return text;
}
