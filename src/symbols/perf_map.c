#include "symbols/jit.h"

/* Up to 16 digits, with or without 0x, and what separates them from what follows. */
static bool take_number(struct slice *line, uint64_t *out)
{
    size_t at = 0, digits = 0;
    uint64_t number = 0;
    while (at < line->length && line->text[at] == ' ')
        at++;
    if (line->length - at > 2 && line->text[at] == '0' && (line->text[at + 1] | ' ') == 'x')
        at += 2;
    for (; at < line->length; at++, digits++) {
        char c = line->text[at], lower = (char)(c | ' ');
        if (c >= '0' && c <= '9')
            number = number << 4 | (uint64_t)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            number = number << 4 | (uint64_t)(lower - 'a' + 10);
        else
            break;
    }
    if (digits == 0 || digits > 16 || at == line->length || line->text[at] != ' ')
        return false;
    *line = slice_from(*line, at + 1);
    *out = number;
    return true;
}

bool perf_map_read(struct slice bytes, struct jit_code *code)
{
    while (bytes.length > 0) {
        const char *end = memchr(bytes.text, '\n', bytes.length);
        struct slice line = slice_until(bytes, end ? (size_t)(end - bytes.text) : bytes.length);
        bytes = slice_from(bytes, end ? line.length + 1 : line.length);
        if (line.length > 0 && line.text[line.length - 1] == '\r')
            line.length--;
        struct jit_function function = {.lines = UINT32_MAX};
        if (!take_number(&line, &function.start) || !take_number(&line, &function.size) || line.length == 0)
            continue;
        function.name = line;
        if (!vec_push(&code->functions, function))
            return false;
    }
    return true;
}
