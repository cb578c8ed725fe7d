#include "preload_allocations/java_class.h"

#include "common/bounded_text.h"

#include <stdbool.h>
#include <string.h>

/* "java/lang/String;", without the address that a hidden class has in its name: "A$$Lambda+0x1234;", "A$$Lambda.0x1234;". */
static void append_class(struct bounded_text *text, const char *name)
{
    size_t length = strcspn(name, ";"), start = text->length;
    for (const char *at = strstr(name, "0x"); at && (size_t)(at - name) < length; at = strstr(at + 1, "0x"))
        if (at > name && strchr("+/.", at[-1]))
            length = (size_t)(at - name) - 1;
    bounded_text_add(text, name, length);
    for (size_t i = start; i < text->length; i++)
        if (text->out[i] == '/')
            text->out[i] = '.';
}

void java_class_name(const char *signature, char *out, size_t room)
{
    static const char letters[] = "BCDFIJSZ";
    static const char *const names[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean"};
    struct bounded_text text = bounded_text_begin(out, room);
    size_t dimensions = strspn(signature, "[");
    const char *element = signature + dimensions, *letter = *element ? strchr(letters, *element) : NULL;
    if (*element == 'L')
        append_class(&text, element + 1);
    else if (letter)
        bounded_text_add(&text, names[letter - letters], strlen(names[letter - letters]));
    for (; dimensions > 0; dimensions--)
        bounded_text_add(&text, "[]", 2);
}
