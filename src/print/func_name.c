#include "print/func_name.h"

#include "tree/name_fold.h"

#include <stdint.h>

struct slice func_name_shown(const struct terminal *terminal, struct slice name, struct text_buffer *scratch)
{
    if (!terminal->folds_names || !name_has_templates(name))
        return name;
    text_cut(scratch, 0);
    name_fold(name, scratch);
    return text_slice(scratch);
}

/* Where the parameters begin that end the name; its length where none do. */
static size_t find_parameters(struct slice name)
{
    size_t depth = 0, end = name.length;
    static const struct slice constant = SLICE(" const");
    if (slice_ends_with(name, constant))
        end -= constant.length;
    if (end < 3 || name.text[end - 1] != ')')
        return name.length;
    for (size_t i = end; i > 0; i--) {
        depth += name.text[i - 1] == ')';
        depth -= name.text[i - 1] == '(';
        if (depth == 0)
            return i - 1 > 0 && end - i > 1 ? i - 1 : name.length;
    }
    return name.length;
}

/* Where the last part of the name begins, with the `::` or `.` before it; 0 where there is only one part. */
static size_t find_last_part(struct slice name)
{
    size_t depth = 0;
    for (size_t i = name.length; i > 1; i--) {
        char c = name.text[i - 1];
        if (c == ')' || c == '>' || c == ']' || c == '}')
            depth++;
        else if ((c == '(' || c == '<' || c == '[' || c == '{') && depth > 0)
            depth--;
        else if (depth == 0 && c == ':' && name.text[i - 2] == ':')
            return i - 2;
        else if (depth == 0 && c == '.' && i < name.length)
            return i - 1;
    }
    return 0;
}

/* The beginning and the end, with a … between them. */
static void add_both_ends(struct line *line, struct slice name, size_t room)
{
    struct slice tail = slice_from(name, find_last_part(name));
    size_t tail_width = text_width(tail);
    size_t head_room = tail.length < name.length && tail_width + 1 < room ? room - tail_width - 1 : 0;
    /* A beginning of a letter or two says nothing. */
    if (head_room < 4)
        head_room = room / 3;
    /* Both have a … where they are cut; there is to be one. */
    line_add_name(line, name, head_room + 1);
    line_add_ending_of(line, name, room - head_room - 1);
}

void line_add_func_name(struct line *line, struct slice name, size_t room)
{
    if (room == SIZE_MAX || name.length <= room || text_width(name) <= room) {
        line_add_name(line, name, room);
        return;
    }
    size_t parameters = find_parameters(name);
    static const struct slice folded = SLICE("(…)");
    struct slice bare = slice_until(name, parameters);
    if (parameters == name.length) {
        if (room < 8)
            line_add_name(line, name, room);
        else
            add_both_ends(line, name, room);
        return;
    }
    if (text_width(bare) + 3 <= room) {
        line_add_name(line, bare, room);
        line_add(line, folded, 3);
    } else if (room < 12) {
        line_add_name(line, bare, room);
    } else {
        add_both_ends(line, bare, room - 3);
        line_add(line, folded, 3);
    }
}

void line_add_func(struct line *line, const struct terminal *terminal, struct slice name, size_t room)
{
    struct text_buffer scratch = {0};
    line_add_func_name(line, func_name_shown(terminal, name, &scratch), room);
    line->failed |= scratch.failed;
    text_free(&scratch);
}
