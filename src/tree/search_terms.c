#include "tree/search_terms.h"

#include "common/lower_case.h"

#include <errno.h>
#include <strings.h>

static void term_list_free(search_term_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        regex_free(list->items[i].regex);
    vec_free(list);
}

void search_terms_free(struct search_terms *terms)
{
    term_list_free(&terms->of_stacks);
    term_list_free(&terms->of_threads);
    memory_release(terms->texts);
    vec_free(&terms->scratch);
}

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static struct slice trimmed(struct slice text)
{
    while (text.length > 0 && is_space(text.text[0]))
        text = slice_from(text, 1);
    while (text.length > 0 && is_space(text.text[text.length - 1]))
        text = slice_until(text, text.length - 1);
    return text;
}

/* ---- the parts of a term ---- */

static const struct {
    struct slice prefix;
    enum search_field field;
} fields[] = {
    {SLICE("name:"), SEARCH_NAME},    {SLICE("lib:"), SEARCH_LIBRARY},   {SLICE("file:"), SEARCH_FILE},
    {SLICE("cat:"), SEARCH_CATEGORY}, {SLICE("thread:"), SEARCH_THREAD},
};

static const struct slice case_prefix = SLICE("case:");

/* `word` is in lower case. */
static bool starts_with_word(struct slice text, struct slice word)
{
    return text.length >= word.length && strncasecmp(text.text, word.text, word.length) == 0;
}

/* The prefix that names a field; empty where there is none. */
static struct slice field_prefix(struct slice text, enum search_field *field)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (starts_with_word(text, fields[i].prefix)) {
            *field = fields[i].field;
            return fields[i].prefix;
        }
    *field = SEARCH_ANYWHERE;
    return SLICE("");
}

/* What is before the text of a term is taken off it. */
static struct slice take_head(struct slice text, struct search_term *term)
{
    *term = (struct search_term){0};
    if (text.length > 0 && text.text[0] == '-') {
        term->excludes = true;
        text = trimmed(slice_from(text, 1));
    }
    if (starts_with_word(text, case_prefix)) {
        term->keeps_case = true;
        text = trimmed(slice_from(text, case_prefix.length));
    }
    struct slice prefix = field_prefix(text, &term->field);
    return trimmed(slice_from(text, prefix.length));
}

/* The length of `{2,3}` where an expression may have one, else 0. */
static size_t repeat_length(struct slice text)
{
    size_t i = 1;
    while (i < text.length && ((text.text[i] >= '0' && text.text[i] <= '9') || text.text[i] == ','))
        i++;
    return text.length > 0 && text.text[0] == '{' && i < text.length && text.text[i] == '}' ? i + 1 : 0;
}

/* Up to the comma that ends the first term. */
static struct slice first_term(struct slice text)
{
    struct search_term head;
    struct slice body = take_head(trimmed(text), &head);
    bool may_be_regex = body.length > 0 && body.text[0] == '/';
    for (size_t i = 0; i < text.length;) {
        size_t repeat = may_be_regex ? repeat_length(slice_from(text, i)) : 0;
        if (text.text[i] == ',')
            return slice_until(text, i);
        i += repeat > 0 ? repeat : text.text[i] == '\\' ? 2 : 1;
    }
    return text;
}

/* Between slashes, the last of which no backslash is before. */
static bool is_regex(struct slice text)
{
    if (text.length < 3 || text.text[0] != '/' || text.text[text.length - 1] != '/')
        return false;
    size_t backslashes = 0;
    while (text.text[text.length - 2 - backslashes] == '\\')
        backslashes++;
    return backslashes % 2 == 0;
}

/* Whether the backslash before `rest` takes the meaning from it; in an expression it does so only for commas. */
static bool escapes(struct slice rest, bool is_first, bool in_regex)
{
    enum search_field field;
    if (rest.length == 0 || rest.text[0] == ',' || in_regex)
        return rest.length > 0 && rest.text[0] == ',';
    return rest.text[0] == '\\' || (is_first && (rest.text[0] == '-' || rest.text[0] == '/' ||
                                                 starts_with_word(rest, case_prefix) || field_prefix(rest, &field).length > 0));
}

/* Without the backslashes that take the meaning from something. */
static struct slice unescaped(struct slice text, bool in_regex, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] == '\\') {
            struct slice rest = slice_from(text, i + 1);
            if (escapes(rest, i == 0, in_regex))
                i++;
            else if (in_regex && rest.length > 0)
                out[length++] = text.text[i++];
        }
        out[length++] = text.text[i];
    }
    return (struct slice){out, length};
}

/* ---- the whole ---- */

static size_t count_regexes(const struct search_terms *terms)
{
    size_t count = 0;
    for (size_t i = 0; i < terms->of_stacks.count; i++)
        count += terms->of_stacks.items[i].regex != NULL;
    for (size_t i = 0; i < terms->of_threads.count; i++)
        count += terms->of_threads.items[i].regex != NULL;
    return count;
}

/* `given` is the term as somebody wrote it, for messages. */
static int compile(const struct search_terms *terms, struct slice given, struct search_term *term, struct error *error)
{
    if (count_regexes(terms) == SEARCH_MAX_REGEXES)
        return error_set(error, -EINVAL, "a search has at most %d regular expressions", SEARCH_MAX_REGEXES);
    struct error wrong = {0};
    term->regex = regex_compile(term->text, &wrong);
    if (term->regex)
        return 0;
    if (wrong.code != -EINVAL)
        return error_set(error, wrong.code, "%s", wrong.message);
    return error_set(error, -EINVAL, "'%.*s': %s", given.length > 100 ? 100 : (int)given.length, given.text, wrong.message);
}

/* `*texts` is where the texts of terms go; `scratch` has room for any of them. */
static int add_term(struct search_terms *terms, struct slice given, char **texts, char *scratch, struct error *error)
{
    struct search_term term;
    struct slice text = take_head(trimmed(given), &term);
    if (text.length == 0)
        return 0;
    bool regex = is_regex(text);
    if (regex)
        text = slice_until(slice_from(text, 1), text.length - 2);
    struct slice meant = unescaped(text, regex, term.keeps_case ? *texts : scratch);
    term.text = term.keeps_case ? meant : (struct slice){*texts, lower_case(meant, *texts)};
    *texts += term.text.length;
    int status = regex ? compile(terms, trimmed(given), &term, error) : 0;
    if (status == 0 && !vec_push(term.field == SEARCH_THREAD ? &terms->of_threads : &terms->of_stacks, term)) {
        regex_free(term.regex);
        status = error_out_of_memory(error);
    }
    return status;
}

int search_terms_read(struct search_terms *terms, struct slice text, struct error *error)
{
    *terms = (struct search_terms){.texts = memory_array(lower_case_room(text) + 1, 1)};
    char *scratch = memory_array(text.length + 1, 1);
    if (!terms->texts || !scratch) {
        memory_release(scratch);
        return error_out_of_memory(error);
    }
    struct slice rest = text;
    char *texts = terms->texts;
    int status = 0;
    while (status == 0 && rest.length > 0) {
        struct slice term = first_term(rest);
        rest = slice_from(rest, term.length < rest.length ? term.length + 1 : term.length);
        status = add_term(terms, term, &texts, scratch, error);
    }
    memory_release(scratch);
    return status;
}

int search_terms_check(struct slice text, struct error *error)
{
    struct search_terms terms;
    int status = search_terms_read(&terms, text, error);
    search_terms_free(&terms);
    return status;
}

/* ---- matching ---- */

bool search_terms_lower(struct search_terms *terms, struct slice text, struct slice *lowered)
{
    if (!vec_reserve(&terms->scratch, lower_case_room(text) + 1))
        return false;
    *lowered = (struct slice){terms->scratch.items, lower_case(text, terms->scratch.items)};
    return true;
}

bool search_term_is_in(const struct search_term *term, struct slice text, struct slice lowered)
{
    struct slice seen = term->keeps_case ? text : lowered;
    return term->regex ? regex_matches(term->regex, seen) : slice_contains(seen, term->text);
}
