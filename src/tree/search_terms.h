/* The text of a search for samples or functions, read:
 *
 *     draw, lib:libc            both are in the stack: anywhere; as a library
 *     -malloc                   not in the stack
 *     name:/^(new|free)$/       a regular expression (common/regex.h), of the name alone
 *     a\,b  \-x                 a comma, a minus: a backslash takes the meaning from what is after it
 *
 *     case:Draw, case:lib:Qt    as it is written, upper and lower case
 *
 *     SEARCH  = TERM { "," TERM }            a TERM without TEXT is none; spaces around both do not count
 *     TERM    = [ "-" ] [ "case:" ] [ FIELD ":" ] TEXT
 *     FIELD   = "name" | "lib" | "file" | "cat" | "thread"; without one, TEXT is looked for in name, library and file
 *     TEXT    = "/" REGEX "/" | anything else, which is part of what is looked for
 *
 * "\," is a comma and "\\" a backslash; before "-", "/" and a field a backslash makes them part of the text; before all else
 * it is a character like others. A comma in a repeat of an expression, /a{2,3}/, needs none. In an expression all but "\,"
 * means what it means there. Without case:, case does not matter. */
#ifndef SONDE_TREE_SEARCH_TERMS_H
#define SONDE_TREE_SEARCH_TERMS_H

#include "common/error.h"
#include "common/regex.h"
#include "common/vec.h"

enum search_field { SEARCH_ANYWHERE, SEARCH_NAME, SEARCH_LIBRARY, SEARCH_FILE, SEARCH_CATEGORY, SEARCH_THREAD };

/* Regular expressions in one search. */
enum { SEARCH_MAX_REGEXES = 8 };

struct search_term {
    enum search_field field;
    bool excludes;
    bool keeps_case;
    struct slice text;   /* in lower case, unless it keeps its own */
    struct regex *regex; /* in place of the text; NULL = none */
};

typedef VEC(struct search_term) search_term_list;

struct search_terms {
    search_term_list of_stacks;  /* all but those of threads */
    search_term_list of_threads; /* SEARCH_THREAD */
    char *texts;                 /* of all terms */
    VEC(char) scratch;           /* what is being looked at, in lower case */
};

/* `terms` needs no initialisation and is to be freed in any case. -EINVAL names the term that is wrong. */
int search_terms_read(struct search_terms *terms, struct slice text, struct error *error);
void search_terms_free(struct search_terms *terms);

/* Only whether it can be read. */
int search_terms_check(struct slice text, struct error *error);

/* `text` in lower case; it lives until the next call. False when the heap is empty. */
bool search_terms_lower(struct search_terms *terms, struct slice text, struct slice *lowered);

/* Whether `text` has what the term looks for, whether it excludes that or not; `lowered` is the same in lower case. */
bool search_term_is_in(const struct search_term *term, struct slice text, struct slice lowered);

#endif
