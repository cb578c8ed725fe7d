#include "tree/class_name.h"

#include <ctype.h>
#include <stdbool.h>

/* What compilers add to the names of functions that they split or copied: not a member of anything. */
static bool is_suffix(struct slice rest)
{
    static const struct slice suffixes[] = {SLICE("cold"),     SLICE("part"), SLICE("constprop"), SLICE("isra"),
                                            SLICE("lto_priv"), SLICE("llvm"), SLICE("clone")};
    if (rest.length == 0 || isdigit((unsigned char)rest.text[0]))
        return true;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = suffixes[i].length;
        if (slice_starts_with(rest, suffixes[i]) && (rest.length == length || rest.text[length] == '.'))
            return true;
    }
    return false;
}

static struct slice class_of_message(struct slice name)
{
    struct slice rest = slice_from(name, 2);
    size_t length = 0;
    while (length < rest.length && rest.text[length] != ' ' && rest.text[length] != ']')
        length++;
    return slice_until(rest, length);
}

/* `operator<` and its like have brackets that open nothing. */
static size_t skip_operator(struct slice name, size_t at)
{
    static const struct slice word = SLICE("operator");
    bool starts = at == 0 || (!isalnum((unsigned char)name.text[at - 1]) && name.text[at - 1] != '_');
    if (!starts || !slice_starts_with(slice_from(name, at), word))
        return at;
    at += word.length;
    while (at < name.length && (name.text[at] == '<' || name.text[at] == '>' || name.text[at] == '-' || name.text[at] == '='))
        at++;
    return at;
}

struct slice class_of_name(struct slice name)
{
    if (name.length > 2 && (name.text[0] == '-' || name.text[0] == '+') && name.text[1] == '[')
        return class_of_message(name);
    size_t depth = 0, start = 0, end = 0, space = 0;
    bool colons = false;
    for (size_t i = 0; i < name.length; i++) {
        size_t after = skip_operator(name, i);
        if (after > i) {
            i = after - 1;
            continue;
        }
        char c = name.text[i], next = i + 1 < name.length ? name.text[i + 1] : '\0';
        if (c == '@' && depth == 0)
            break;
        /* Parameters end the name, unless they are those of a function that this one is in: `f(int)::g`. Go has receivers in
         * parentheses, after a dot. */
        if (c == '<' || c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == '>' || c == ')' || c == ']' || c == '}') && depth > 0)
            depth--;
        else if (depth == 0 && c == ' ')
            space = i + 1;
        else if (depth == 0 && c == ':' && next == ':') {
            start = space;
            end = i;
            colons = true;
            i++;
        } else if (depth == 0 && c == '.' && !colons && i > 0 && !is_suffix(slice_from(name, i + 1))) {
            start = space;
            end = i;
        }
    }
    return end > start ? slice_until(slice_from(name, start), end - start) : SLICE("");
}
