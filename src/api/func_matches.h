/* The functions and categories that a text is found in: what `find` goes to, and what is highlighted. */
#ifndef SONDE_API_FUNC_MATCHES_H
#define SONDE_API_FUNC_MATCHES_H

#include "common/text_buffer.h"
#include "tree/func_list.h"

/* Those of the last text that was asked for. All zero = of none yet. */
struct func_matches {
    struct text_buffer text;
    uint8_t *of_func;     /* for each func; NULL: nothing was made */
    uint8_t *of_category; /* for each category */
    size_t category_count;
};

/* Makes them those of `text`: 0 or a negative errno. */
int func_matches_make(struct func_matches *matches, const struct func_list *funcs, struct slice text, struct error *error);
void func_matches_free(struct func_matches *matches);

#endif
