#include "common/regex_positions.h"

/* From the positions before a symbol to those after it; true where a match ends there. A match may begin anywhere. */
static bool step(const struct regex *regex, struct positions *at, unsigned symbol)
{
    struct positions next = regex->first;
    for (unsigned i = 0; i < POSITION_WORDS; i++) {
        unsigned group = i * (64 / POSITIONS_AT_ONCE);
        for (uint64_t left = at->words[i]; left != 0; left >>= POSITIONS_AT_ONCE, group++)
            positions_add(&next, &regex->after[group][left & ((1 << POSITIONS_AT_ONCE) - 1)]);
    }
    uint64_t ends = 0;
    for (unsigned i = 0; i < POSITION_WORDS; i++) {
        at->words[i] = next.words[i] & regex->of_symbol[symbol].words[i];
        ends |= at->words[i] & regex->last.words[i];
    }
    return ends != 0;
}

/* ^ and $ take no byte: any number of them may stand at the same place. */
static bool step_in_place(const struct regex *regex, struct positions *at, unsigned symbol)
{
    for (;;) {
        struct positions next = *at;
        if (step(regex, &next, symbol))
            return true;
        struct positions before = *at;
        positions_add(at, &next);
        if (memcmp(&before, at, sizeof before) == 0)
            return false;
    }
}

bool regex_matches(const struct regex *regex, struct slice text)
{
    struct positions at = {0};
    if (regex->matches_nothing || step_in_place(regex, &at, SYMBOL_BEGIN))
        return true;
    size_t length = text.length < REGEX_MAX_TEXT ? text.length : REGEX_MAX_TEXT;
    for (size_t i = 0; i < length; i++)
        if (step(regex, &at, (unsigned char)text.text[i]))
            return true;
    return length == text.length && step_in_place(regex, &at, SYMBOL_END);
}
