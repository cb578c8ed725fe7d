#include "cli/similar_func.h"

#include "cli/nearest.h"
#include "print/func_name.h"
#include "tree/class_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

/* How a name is like the one that was typed; the best first. */
enum likeness { LIKE_SHOWN, LIKE_LAST_PART, LIKE_PART, UNLIKE };

enum { SUGGESTIONS = 3, NAME_COLUMNS = 60 };

struct similar {
    enum likeness likeness; /* of those that were found: only the best are kept */
    size_t count;
    uint32_t funcs[SUGGESTIONS]; /* the first of them */
};

/* ---- likeness ---- */

/* Where `part` is in `text`, from `start` on; SIZE_MAX = nowhere. */
static size_t find_text(struct slice text, struct slice part, size_t start)
{
    struct slice rest = slice_from(text, start);
    const char *found = memmem(rest.text, rest.length, part.text, part.length);
    return found ? (size_t)(found - text.text) : SIZE_MAX;
}

/* Whether `name` is `shown`, which has a … in place of one part or several. */
static bool fits(struct slice name, struct slice shown)
{
    static const struct slice mark = SLICE("…");
    size_t at = find_text(shown, mark, 0);
    if (at == SIZE_MAX || !slice_starts_with(name, slice_until(shown, at)))
        return false;
    name = slice_from(name, at);
    for (;;) {
        shown = slice_from(shown, at + mark.length);
        at = find_text(shown, mark, 0);
        if (at == SIZE_MAX)
            return slice_ends_with(name, shown);
        size_t found = find_text(name, slice_until(shown, at), 0);
        if (found == SIZE_MAX)
            return false;
        name = slice_from(name, found + at);
    }
}

/* Where parameters are folded, so is what follows them. */
static bool is_shown_as(struct slice name, struct slice shown)
{
    static const struct slice constant = SLICE(" const");
    return fits(name, shown) ||
           (slice_ends_with(name, constant) && fits(slice_until(name, name.length - constant.length), shown));
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '~' || (unsigned char)c >= 0x80;
}

/* A part is of whole words, and neither in parameters nor in template arguments. */
static enum likeness likeness_of_parts(struct slice name, struct slice typed)
{
    enum likeness best = UNLIKE;
    size_t depth = 0, passed = 0;
    for (size_t at = find_text(name, typed, 0); at != SIZE_MAX; at = find_text(name, typed, at + 1)) {
        for (; passed < at; passed++) {
            char c = name.text[passed];
            if (c == '<' || c == '(' || c == '[' || c == '{')
                depth++;
            else if (depth > 0 && (c == '>' || c == ')' || c == ']' || c == '}'))
                depth--;
        }
        size_t end = at + typed.length;
        char before = at > 0 ? name.text[at - 1] : ' ', after = end < name.length ? name.text[end] : ' ';
        if (depth > 0 || is_word(before) || is_word(after))
            continue;
        if (memchr(" (<[@", after, 5))
            return LIKE_LAST_PART;
        best = LIKE_PART;
    }
    return best;
}

static enum likeness likeness_of(struct slice name, struct slice typed)
{
    return is_shown_as(name, typed) ? LIKE_SHOWN : likeness_of_parts(name, typed);
}

/* ---- which functions ---- */

static void offer(struct similar *similar, uint32_t func, enum likeness likeness)
{
    if (likeness < similar->likeness) {
        similar->likeness = likeness;
        similar->count = 0;
    }
    if (likeness == similar->likeness && similar->count++ < SUGGESTIONS)
        similar->funcs[similar->count - 1] = func;
}

/* Without class, namespace and parameters. */
static struct slice last_part(struct slice name)
{
    struct slice class = class_of_name(name);
    if (class.length > 0)
        name = slice_from(name, (size_t)(class.text - name.text) + class.length);
    size_t start = 0, end;
    while (start < name.length && !is_word(name.text[start]))
        start++;
    for (end = start; end < name.length && is_word(name.text[end]);)
        end++;
    return slice_from(slice_until(name, end), start);
}

static void find_nearest(const struct func_list *funcs, struct slice typed, struct similar *similar)
{
    struct nearest nearest;
    nearest_start(&nearest, typed);
    for (uint32_t func = 0; func < funcs->own_count; func++) {
        const char *before = nearest.best.text;
        nearest_offer(&nearest, func_list_name(funcs, func));
        nearest_offer(&nearest, last_part(func_list_name(funcs, func)));
        if (nearest.best.text != before)
            similar->funcs[0] = func;
    }
    similar->count = nearest.best.text ? 1 : 0;
}

/* ---- the message ---- */

static void add_suggestion(const struct func_list *funcs, uint32_t func, const char *before, struct error *error)
{
    struct line shown = {0};
    line_add_func_name(&shown, func_list_name(funcs, func), NAME_COLUMNS);
    size_t used = strlen(error->message);
    if (!shown.failed)
        snprintf(error->message + used, sizeof error->message - used, "%s'%.*s' (f-%u)", before, (int)shown.bytes.count,
                 shown.bytes.items, func);
    line_free(&shown);
}

void similar_func_add(const struct func_list *funcs, struct slice typed, struct error *error)
{
    struct similar similar = {.likeness = UNLIKE};
    for (uint32_t func = 0; func < funcs->own_count && typed.length > 0; func++) {
        struct slice name = func_list_name(funcs, func);
        if (slice_equal(name, typed))
            return;
        enum likeness likeness = likeness_of(name, typed);
        if (likeness != UNLIKE)
            offer(&similar, func, likeness);
    }
    if (similar.count == 0)
        find_nearest(funcs, typed, &similar);
    size_t named = similar.count < SUGGESTIONS ? similar.count : SUGGESTIONS, others = similar.count - named;
    for (size_t i = 0; i < named; i++) {
        bool last = i + 1 == named && others == 0;
        add_suggestion(funcs, similar.funcs[i], i == 0 ? "; did you mean " : last ? " or " : ", ", error);
    }
    size_t used = strlen(error->message);
    if (others > 1)
        snprintf(error->message + used, sizeof error->message - used, " or one of %zu others", others);
    else if (others == 1)
        snprintf(error->message + used, sizeof error->message - used, " or another");
    if (named > 0)
        strncat(error->message, "?", sizeof error->message - strlen(error->message) - 1);
}
