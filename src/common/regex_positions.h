/* What an expression is compiled to, shared by regex_parse.c and regex_match.c. */
#ifndef SONDE_COMMON_REGEX_POSITIONS_H
#define SONDE_COMMON_REGEX_POSITIONS_H

#include "common/regex.h"

#include <stdint.h>

enum { POSITION_WORDS = REGEX_MAX_POSITIONS / 64 };

struct positions {
    uint64_t words[POSITION_WORDS];
};

/* What a text consists of: its bytes, and something before the first and after the last that ^ and $ stand for. */
enum { SYMBOL_BEGIN = 256, SYMBOL_END, SYMBOLS };

/* Successors are looked up for four positions at a time: `after[I][SET]` is for those of 4 I to 4 I + 3 that are in SET. */
enum { POSITIONS_AT_ONCE = 4, POSITION_GROUPS = REGEX_MAX_POSITIONS / POSITIONS_AT_ONCE };

struct regex {
    bool matches_nothing; /* the empty text, and with it any */
    struct positions first, last;
    struct positions of_symbol[SYMBOLS]; /* that the symbol can be at */
    struct positions after[POSITION_GROUPS][1 << POSITIONS_AT_ONCE];
};

static inline void positions_add(struct positions *to, const struct positions *from)
{
    for (unsigned i = 0; i < POSITION_WORDS; i++)
        to->words[i] |= from->words[i];
}

#endif
