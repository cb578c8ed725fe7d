#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <regex.h>

#include "naive_search.h"

/* One term, without what is before its text. */
struct term {
    bool excludes;
    char field[16]; /* empty = name, library and file */
    char text[100];
};

/* The next term of the search; false where there is none. */
static bool next_term(const char **search, struct term *term)
{
    static const char *const fields[] = {"name", "lib", "file", "cat", "thread"};
    *search += strspn(*search, ", ");
    size_t length = strcspn(*search, ",");
    if (length == 0)
        return false;
    *term = (struct term){0};
    snprintf(term->text, sizeof term->text, "%.*s", (int)length, *search);
    *search += length;
    if (term->text[0] == '-') {
        term->excludes = true;
        memmove(term->text, term->text + 1, strlen(term->text));
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t prefix = strlen(fields[i]);
        if (strncmp(term->text, fields[i], prefix) == 0 && term->text[prefix] == ':') {
            strcpy(term->field, fields[i]);
            memmove(term->text, term->text + prefix + 1, strlen(term->text + prefix));
            break;
        }
    }
    return true;
}

static bool is_in(const struct term *term, struct slice text)
{
    char copy[200];
    assert_true(text.length < sizeof copy);
    snprintf(copy, sizeof copy, "%.*s", (int)text.length, text.text ? text.text : "");
    size_t length = strlen(term->text);
    if (term->text[0] != '/' || term->text[length - 1] != '/')
        return strcasestr(copy, term->text) != NULL;
    char expression[100];
    snprintf(expression, sizeof expression, "%.*s", (int)length - 2, term->text + 1);
    regex_t regex;
    assert_int_equal(regcomp(&regex, expression, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
    bool found = regexec(&regex, copy, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool is_in_frame(const struct term *term, const struct naive_frame *frame)
{
    const char *field = term->field;
    bool anywhere = field[0] == '\0';
    return ((anywhere || strcmp(field, "name") == 0) && is_in(term, frame->name)) ||
           ((anywhere || strcmp(field, "lib") == 0) && frame->library.length > 0 && is_in(term, frame->library)) ||
           ((anywhere || strcmp(field, "file") == 0) && frame->file.length > 0 && is_in(term, frame->file)) ||
           (strcmp(field, "cat") == 0 && is_in(term, frame->category));
}

bool naive_search_keeps(const char *search, const struct naive_frame *frames, size_t count, struct slice thread)
{
    for (struct term term; next_term(&search, &term);) {
        bool found = strcmp(term.field, "thread") == 0 && is_in(&term, thread);
        for (size_t i = 0; i < count; i++)
            found |= is_in_frame(&term, &frames[i]);
        if (found == term.excludes)
            return false;
    }
    return true;
}

bool naive_search_chooses(const char *search, const struct naive_frame *frame)
{
    bool any_wanted = false, any_found = false;
    for (struct term term; next_term(&search, &term);) {
        bool found = is_in_frame(&term, frame);
        if (found && term.excludes)
            return false;
        any_wanted |= !term.excludes;
        any_found |= found;
    }
    return any_found || !any_wanted;
}
