#include "support/draw_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

_Noreturn void line_complain(const struct line *line, const char *what)
{
    fail_msg("session_draw: \"%s\": %s", line->text, what);
    abort();
}

void line_cut(struct line *line, char *text)
{
    line->count = line->next = 0;
    char *in = text, *out = text;
    for (;;) {
        while (*in == ' ')
            in++;
        if (*in == 0)
            return;
        if (line->count == WORDS_MAX)
            line_complain(line, "too many words");
        struct word *word = &line->words[line->count++];
        *word = (struct word){NULL, out};
        bool quoted = false;
        for (; *in != 0 && (quoted || *in != ' '); in++)
            if (*in == '"') {
                quoted = !quoted;
            } else if (*in == '=' && !quoted && !word->key && out > word->value) {
                *out++ = 0;
                word->key = word->value;
                word->value = out;
            } else {
                *out++ = *in;
            }
        if (*in != 0)
            in++;
        *out++ = 0;
    }
}

char *line_word(struct line *line)
{
    while (line->next < line->count && line->words[line->next].key)
        line->next++;
    if (line->next == line->count)
        line_complain(line, "a word is missing");
    return line->words[line->next++].value;
}

char *line_find(const struct line *line, const char *key)
{
    for (size_t i = 0; i < line->count; i++)
        if (line->words[i].key && strcmp(line->words[i].key, key) == 0)
            return line->words[i].value;
    return NULL;
}

struct slice line_text(const struct line *line, const char *key)
{
    const char *value = line_find(line, key);
    return value ? slice_of(value) : SLICE("");
}

bool line_flag(const struct line *line, const char *flag)
{
    for (size_t i = 1; i < line->count; i++)
        if (!line->words[i].key && strcmp(line->words[i].value, flag) == 0)
            return true;
    return false;
}

uint64_t number_take(const struct line *line, char **text, const char *ends)
{
    char *at = *text;
    uint64_t whole = strtoull(at, text, 0);
    if (*text == at)
        line_complain(line, "a number is missing");
    uint64_t billionths = 0, part = 100000000;
    if (**text == '.')
        for ((*text)++; **text >= '0' && **text <= '9'; (*text)++, part /= 10)
            billionths += part * (uint64_t)(**text - '0');
    uint64_t unit = 1;
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(*text, units[i].name, strlen(units[i].name)) == 0) {
            unit = units[i].ns;
            *text += strlen(units[i].name);
            break;
        }
    if (**text != 0 && !strchr(ends, **text))
        line_complain(line, "a number that is none");
    return whole * unit + billionths * unit / 1000000000;
}

uint64_t word_number(const struct line *line, char *word)
{
    return number_take(line, &word, "");
}

uint64_t line_number(const struct line *line, const char *key)
{
    char *value = line_find(line, key);
    return value ? word_number(line, value) : 0;
}

int64_t word_signed(const struct line *line, char *word)
{
    return word[0] == '-' ? -(int64_t)word_number(line, word + 1) : (int64_t)word_number(line, word);
}

struct slice line_list(const struct line *line, const char *key)
{
    struct slice list = line_text(line, key);
    for (char *c = (char *)list.text; c < list.text + list.length; c++)
        *c = *c == ',' ? 0 : *c;
    return list;
}

void category_read(const struct line *line, char *word, uint32_t *category, uint32_t *subcategory)
{
    *category = (uint32_t)number_take(line, &word, "/");
    *subcategory = *word == '/' ? (uint32_t)word_number(line, word + 1) : 0;
}
