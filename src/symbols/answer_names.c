#include "symbols/answer_names.h"

#include "symbols/demangle.h"

struct string_index answer_names_add(struct answer_names *names, struct slice name, struct string_index *mangled)
{
    struct string_index as_it_is = string_table_add(names->strings, name);
    if (mangled)
        *mangled = as_it_is;
    if (!string_exists(as_it_is))
        return STRING_NONE;
    while (names->readable.count <= as_it_is.i)
        if (!vec_push(&names->readable, STRING_NONE))
            return STRING_NONE;
    if (string_exists(names->readable.items[as_it_is.i]))
        return names->readable.items[as_it_is.i];
    text_cut(&names->text, 0);
    struct string_index readable =
        demangle(name, &names->text) ? string_table_add(names->strings, text_slice(&names->text)) : as_it_is;
    if (names->text.failed)
        return STRING_NONE;
    names->readable.items[as_it_is.i] = readable;
    return readable;
}

void answer_names_free(struct answer_names *names)
{
    vec_free(&names->readable);
    text_free(&names->text);
}
