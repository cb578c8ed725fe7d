/* The functions that a text is found in: what `find` goes to, and what is highlighted. */
#ifndef SONDE_API_FUNC_MATCHES_H
#define SONDE_API_FUNC_MATCHES_H

#include "common/text_buffer.h"
#include "tree/func_list.h"

/* Those of the last text that was asked for. All zero = of none yet. */
struct func_matches {
    bool made;
    struct text_buffer text;
    uint8_t *of_func;
};

/* For each func whether any term of `text` is in its name, library or file. They stay until another text is asked for; NULL
 * when the heap is empty. */
const uint8_t *func_matches_get(struct func_matches *matches, const struct func_list *funcs, struct slice text);
void func_matches_free(struct func_matches *matches);

#endif
