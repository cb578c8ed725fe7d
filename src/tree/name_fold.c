#include "tree/name_fold.h"

#include <ctype.h>
#include <stdbool.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* `operator<`, `operator<<=`, `operator->` and their like: past the signs, which open nothing; else `at`. */
static size_t skip_operator(struct slice name, size_t at)
{
    static const struct slice word = SLICE("operator");
    if ((at > 0 && is_word(name.text[at - 1])) || !slice_starts_with(slice_from(name, at), word))
        return at;
    at += word.length;
    size_t first = at;
    while (at < name.length && strchr("<>-=", name.text[at]) && name.text[at] != '\0')
        at++;
    /* operator< <int>, as demanglers write it, and operator<<int>, as they do not. */
    return at == first ? first - word.length : at;
}

/* The end of what the bracket at `at` opens, after its `>`; 0 where nothing closes it. */
static size_t end_of_arguments(struct slice name, size_t at)
{
    size_t angles = 0, others = 0;
    for (size_t i = at; i < name.length; i++) {
        size_t after = skip_operator(name, i);
        if (after > i) {
            i = after - 1;
            continue;
        }
        char c = name.text[i];
        if (c == '(' || c == '[' || c == '{') {
            others++;
        } else if (c == ')' || c == ']' || c == '}') {
            if (others == 0)
                return 0;
            others--;
        } else if (others == 0 && c == '<') {
            angles++;
        } else if (others == 0 && c == '>' && name.text[i - 1] != '-' && --angles == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Past the template arguments that start at `at`; `at` where none do. A bracket that no name is before holds a type of its own
 * (Rust), or says that something has no name. */
static size_t skip_arguments(struct slice name, size_t at)
{
    if (name.text[at] != '<' || at == 0)
        return at;
    char before = name.text[at - 1];
    bool turbofish = before == ':' && at >= 3 && name.text[at - 2] == ':' && is_word(name.text[at - 3]);
    bool after_operator = before == ' ' && at >= 2 && strchr("<>=-+*/%^&|!~)]", name.text[at - 2]);
    if (!is_word(before) && !turbofish && !after_operator)
        return at;
    size_t end = end_of_arguments(name, at);
    return end > at + 2 ? end : at;
}

bool name_has_templates(struct slice name)
{
    if (!memchr(name.text, '<', name.length))
        return false;
    for (size_t i = 0; i < name.length; i++) {
        size_t after = skip_operator(name, i);
        if (after > i)
            i = after - 1;
        else if (skip_arguments(name, i) > i)
            return true;
    }
    return false;
}

void name_fold(struct slice name, struct text_buffer *out)
{
    size_t written = 0;
    for (size_t i = 0; i < name.length; i++) {
        size_t after = skip_operator(name, i);
        if (after > i) {
            i = after - 1;
            continue;
        }
        after = skip_arguments(name, i);
        if (after == i)
            continue;
        text_add(out, slice_until(slice_from(name, written), i + 1 - written));
        text_add(out, SLICE("…>"));
        written = after;
        i = after - 1;
    }
    text_add(out, slice_from(name, written));
}
