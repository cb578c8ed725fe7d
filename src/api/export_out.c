#include "api/export_out.h"

#include "common/json_text.h"

#include <stdio.h>

/* The length of the character at the start of `text`; of bytes that are none, 1 with *valid false. */
static size_t character_length(struct slice text, bool *valid)
{
    unsigned char byte = (unsigned char)text.text[0];
    size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0x80 ? 2 : 1;
    *valid = length <= text.length && utf8_check(text.text, text.text + length) == text.text + length;
    /* No characters, says XML. */
    if (slice_starts_with(text, SLICE("\xef\xbf\xbe")) || slice_starts_with(text, SLICE("\xef\xbf\xbf")))
        *valid = false;
    return *valid ? length : 1;
}

/* C0 and C1, which terminals obey. */
static bool is_control(struct slice character)
{
    unsigned char byte = (unsigned char)character.text[0];
    return byte < 0x20 || byte == 0x7f || (character.length == 2 && byte == 0xc2 && (unsigned char)character.text[1] < 0xa0);
}

static struct slice escaped(char byte, enum name_escapes escapes)
{
    if (escapes == NAME_CSV && byte == '"')
        return SLICE("\"\"");
    if (escapes == NAME_FOLDED && byte == ';')
        return SLICE(":");
    if (escapes == NAME_XML)
        return byte == '&'   ? SLICE("&amp;")
               : byte == '<' ? SLICE("&lt;")
               : byte == '>' ? SLICE("&gt;")
               : byte == '"' ? SLICE("&quot;")
                             : (struct slice){NULL, 0};
    return (struct slice){NULL, 0};
}

void export_name(struct export_out *out, struct slice name, enum name_escapes escapes)
{
    struct text_buffer *text = &out->text;
    if (escapes == NAME_CSV) {
        text_add_char(text, '"');
        if (name.length > 0 && memchr("=+-@\t\r", name.text[0], 6))
            text_add_char(text, '\'');
    }
    while (name.length > 0) {
        bool valid;
        struct slice character = slice_until(name, character_length(name, &valid));
        struct slice instead = escaped(character.text[0], escapes);
        if (!valid)
            text_add(text, SLICE("\xef\xbf\xbd"));
        else if (is_control(character))
            text_add_char(text, ' ');
        else
            text_add(text, instead.length > 0 ? instead : character);
        name = slice_from(name, character.length);
    }
    if (escapes == NAME_CSV)
        text_add_char(text, '"');
}

void export_print(struct export_out *out, const char *format, ...)
{
    char piece[300];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    text_add(&out->text, (struct slice){piece, (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1});
}

static int write_all(struct export_out *out)
{
    int status =
        out->text.failed ? error_out_of_memory(out->error) : byte_sink_write(out->sink, text_slice(&out->text), out->error);
    text_cut(&out->text, 0);
    return status;
}

int export_flush(struct export_out *out)
{
    enum { ENOUGH = 64 << 10 };
    return out->text.failed || out->text.bytes.count >= ENOUGH ? write_all(out) : 0;
}

int export_end(struct export_out *out)
{
    int status = out->error->code != 0 ? out->error->code : write_all(out);
    text_free(&out->text);
    return status;
}
