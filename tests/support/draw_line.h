/* A line of a drawing (session_draw.h), cut into words. Where one makes no sense the test fails. */
#ifndef SONDE_TESTS_DRAW_LINE_H
#define SONDE_TESTS_DRAW_LINE_H

#include "common/slice.h"

#include <stdint.h>

enum { WORDS_MAX = 1100 };

struct word {
    char *key; /* NULL: a value alone */
    char *value;
};

struct line {
    const char *text;
    size_t count, next; /* the next word without a key */
    struct word words[WORDS_MAX];
};

_Noreturn void line_complain(const struct line *line, const char *what);

/* Cuts `text` into words, in place: quotes go. */
void line_cut(struct line *line, char *text);

/* The next word without a key. */
char *line_word(struct line *line);

/* The value of `key`; NULL: it is not there. */
char *line_find(const struct line *line, const char *key);
struct slice line_text(const struct line *line, const char *key);
uint64_t line_number(const struct line *line, const char *key);

/* A list with commas, as entries have it: NUL-separated. */
struct slice line_list(const struct line *line, const char *key);

/* Is the word there, without a value? */
bool line_flag(const struct line *line, const char *flag);

/* A number that ends at one of `ends` (or the end), with a unit of time. Moves `text` there. */
uint64_t number_take(const struct line *line, char **text, const char *ends);
uint64_t word_number(const struct line *line, char *word);
int64_t word_signed(const struct line *line, char *word);

/* "2" or "2/1" */
void category_read(const struct line *line, char *word, uint32_t *category, uint32_t *subcategory);

#endif
