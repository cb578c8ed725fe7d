#include "preload_allocations/java_class.h"

#include <stdbool.h>
#include <string.h>

struct text {
    char *out;
    size_t room, length;
};

static void append(struct text *text, const char *more, size_t length)
{
    if (length > text->room - 1 - text->length)
        length = text->room - 1 - text->length;
    memcpy(text->out + text->length, more, length);
    text->length += length;
    text->out[text->length] = '\0';
}

/* "java/lang/String;", without the address that a hidden class has in its name: "A$$Lambda+0x1234;", "A$$Lambda.0x1234;". */
static void append_class(struct text *text, const char *name)
{
    size_t length = strcspn(name, ";"), start = text->length;
    for (const char *at = strstr(name, "0x"); at && (size_t)(at - name) < length; at = strstr(at + 1, "0x"))
        if (at > name && strchr("+/.", at[-1]))
            length = (size_t)(at - name) - 1;
    append(text, name, length);
    for (size_t i = start; i < text->length; i++)
        if (text->out[i] == '/')
            text->out[i] = '.';
}

void java_class_name(const char *signature, char *out, size_t room)
{
    static const char letters[] = "BCDFIJSZ";
    static const char *const names[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean"};
    struct text text = {out, room, 0};
    size_t dimensions = strspn(signature, "[");
    const char *element = signature + dimensions, *letter = *element ? strchr(letters, *element) : NULL;
    out[0] = '\0';
    if (*element == 'L')
        append_class(&text, element + 1);
    else if (letter)
        append(&text, names[letter - letters], strlen(names[letter - letters]));
    for (; dimensions > 0; dimensions--)
        append(&text, "[]", 2);
}
