/* Names on their way into answers: each is made readable once. */
#ifndef SONDE_SYMBOLS_ANSWER_NAMES_H
#define SONDE_SYMBOLS_ANSWER_NAMES_H

#include "common/text_buffer.h"
#include "symbols/answers.h"

struct answer_names {
    struct string_table *strings;      /* of the answers */
    VEC(struct string_index) readable; /* of each string; STRING_NONE = not asked for yet */
    struct text_buffer text;
};

/* The readable form of `name`, and the name as it is unless `mangled` is NULL. STRING_NONE when the heap is empty. */
struct string_index answer_names_add(struct answer_names *names, struct slice name, struct string_index *mangled);

void answer_names_free(struct answer_names *names);

#endif
