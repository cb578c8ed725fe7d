#include "symbols/kallsyms.h"

struct symbol_line {
    struct kernel_symbol symbol;
    char type;
};

static bool take_line(struct slice *text, struct slice *line)
{
    if (text->length == 0)
        return false;
    const char *end = memchr(text->text, '\n', text->length);
    *line = slice_until(*text, end ? (size_t)(end - text->text) : text->length);
    *text = slice_from(*text, line->length + (end != NULL));
    return true;
}

static bool parse(struct slice line, struct symbol_line *out)
{
    size_t at = 0;
    uint64_t start = 0;
    for (; at < line.length && at < 16 && line.text[at] != ' '; at++) {
        char c = line.text[at];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        start = start << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (at == 0 || line.length - at < 4 || line.text[at] != ' ' || line.text[at + 2] != ' ')
        return false;
    out->type = line.text[at + 1];
    struct slice name = slice_from(line, at + 3);
    const char *tab = memchr(name.text, '\t', name.length);
    size_t length = tab ? (size_t)(tab - name.text) : name.length;
    out->symbol.start = start;
    out->symbol.name = slice_until(name, length);
    out->symbol.module = tab ? slice_from(name, length + 1) : (struct slice){0};
    return length > 0;
}

uint64_t kallsyms_base(struct slice text)
{
    struct slice line;
    struct symbol_line parsed;
    while (take_line(&text, &line))
        if (parse(line, &parsed) && slice_is(parsed.symbol.name, "_text"))
            return parsed.symbol.start;
    return 0;
}

static size_t underscores(struct slice name)
{
    size_t count = 0;
    while (count < name.length && name.text[count] == '_')
        count++;
    return count;
}

/* Data is no function, but functions end before it. */
static bool is_code(char type)
{
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static bool is_better(const struct symbol_line *line, const struct kernel_symbol *than)
{
    if (line->symbol.start != than->start)
        return line->symbol.start > than->start;
    return is_code(line->type) && (than->name.length == 0 || underscores(line->symbol.name) < underscores(than->name));
}

/* Each symbol is noted at the first address that is not before it; what is noted before an address holds for it, too. */
void kallsyms_find(struct slice text, const uint64_t *addresses, size_t count, struct kernel_symbol *found)
{
    struct slice line;
    struct symbol_line parsed;
    memset(found, 0, count * sizeof *found);
    while (take_line(&text, &line)) {
        if (!parse(line, &parsed))
            continue;
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (addresses[middle] < parsed.symbol.start)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == count || !is_better(&parsed, &found[low]))
            continue;
        found[low] = parsed.symbol;
        if (!is_code(parsed.type))
            found[low].name.length = 0;
    }
    for (size_t i = 1; i < count; i++)
        if (found[i].start < found[i - 1].start)
            found[i] = found[i - 1];
}
