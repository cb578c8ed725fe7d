/* POSIX extended regular expressions, matched in linear time.
 *
 * Expressions come from whoever types into a search field, texts from whoever made the profile: neither may make a match
 * slow. So an expression becomes a set of positions, one for each character or set of characters in it, and a match goes
 * through the text once with the positions that it could be at; there is no backtracking, and no memory is taken:
 *
 *     ab*|c      positions a0 b1 c2      begins at {a0, c2}, ends at {a0, b1, c2}, b1 follows a0 and b1
 *
 *     .          any byte                           [a-c] [^x] [[:digit:]]   one byte of a set, of ASCII
 *     ^ $        the beginning, the end             \.                       what is special, as it is
 *     a|b (a)    one or the other, a group          * + ? {2} {2,} {2,5}     the item before it, so many times
 *
 * Refused: back references and Perl's escapes (\1 \d \b), a repeat of a repeat (a*?), and alternatives and groups with nothing
 * in them. Case matters: who does not care gives both in lower case. */
#ifndef SONDE_COMMON_REGEX_H
#define SONDE_COMMON_REGEX_H

#include "common/error.h"
#include "common/slice.h"

#include <stdbool.h>

enum {
    REGEX_MAX_LENGTH = 1000,   /* bytes of an expression */
    REGEX_MAX_POSITIONS = 256, /* where a{3} counts three times */
    REGEX_MAX_REPEAT = 255,
    REGEX_MAX_DEPTH = 40,  /* groups in groups */
    REGEX_MAX_TEXT = 4096, /* of a longer text only so many bytes are looked at, and it has no end */
};

struct regex;

/* NULL with `error` filled: -EINVAL and the place in `text`, or -ENOMEM. */
struct regex *regex_compile(struct slice text, struct error *error);
void regex_free(struct regex *regex); /* NULL is fine */

/* Whether any part of `text` matches. */
bool regex_matches(const struct regex *regex, struct slice text);

#endif
