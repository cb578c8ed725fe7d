/* --search of calls and events: tree/search_terms.h, where a name is that of the function or event and a file, or library, is
 * where a function comes from. All terms must be found, and none that excludes. */
#ifndef SONDE_CLI_ENTRY_SEARCH_H
#define SONDE_CLI_ENTRY_SEARCH_H

#include "trace/calls.h"
#include "tree/search_terms.h"

enum { ENTRY_SEARCH_TERMS = 31 };

struct entry_search {
    const struct trace *trace;
    struct search_terms terms;
    uint32_t wanted, excluded; /* a bit for each term */
    /* By string index: which terms it has, as a name and as a place, and that this is known. */
    uint32_t *known_names, *known_places;
    bool failed; /* memory ran out while searching */
};

/* `text` NULL: everything is found. `search` needs no initialisation and is to be freed in any case; the trace must outlive
 * it. -EINVAL where it asks for what calls do not have. */
int entry_search_init(struct entry_search *search, const struct trace *trace, const char *text, struct error *error);
void entry_search_free(struct entry_search *search);

bool entry_search_finds(struct entry_search *search, const struct thread_calls *calls, struct call_entry entry);

#endif
