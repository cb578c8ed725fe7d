/* --search of calls and events: TEXT,TEXT finds what has all of these texts in its name or its place; case does not matter. */
#ifndef SONDE_CLI_ENTRY_SEARCH_H
#define SONDE_CLI_ENTRY_SEARCH_H

#include "trace/calls.h"

enum { ENTRY_SEARCH_TERMS = 31 };

struct entry_search {
    const struct trace *trace;
    struct arena arena;
    struct slice terms[ENTRY_SEARCH_TERMS]; /* in lower case */
    size_t term_count;
    uint32_t *known; /* by string index: which of the terms it has, and that this is known */
    VEC(char) lower; /* scratch */
    bool failed;     /* memory ran out while searching */
};

/* `text` NULL: everything is found. `search` needs no initialisation and is to be freed in any case; the trace must outlive
 * it. */
int entry_search_init(struct entry_search *search, const struct trace *trace, const char *text, struct error *error);
void entry_search_free(struct entry_search *search);

bool entry_search_finds(struct entry_search *search, const struct thread_calls *calls, struct call_entry entry);

#endif
