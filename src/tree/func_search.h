/* In which functions, and in which categories, each term of a search is found. Every text is looked at once a pass. */
#ifndef SONDE_TREE_FUNC_SEARCH_H
#define SONDE_TREE_FUNC_SEARCH_H

#include "tree/func_list.h"
#include "tree/search_terms.h"

/* So many terms are looked for in one pass: a bit each. */
enum { TERMS_PER_PASS = 32 };

struct func_search {
    struct search_terms terms; /* those of stacks take part */
    uint32_t *of_resource;     /* for each resource: the terms found in its name */
    uint32_t *of_source;       /* for each source: those found in its filename */
    uint32_t *of_func;         /* for each func: those found in any of its texts */
    uint32_t *of_category;     /* for each category: those found in its name */
};

/* `search` needs no initialisation and is to be freed in any case. 0 or a negative errno. */
int func_search_open(struct func_search *search, const struct func_list *funcs, struct slice text, struct error *error);
void func_search_free(struct func_search *search);

/* Fills the tables: bit I is the term `first` + I. False when the heap is empty. */
bool func_search_pass(struct func_search *search, size_t first, const struct func_list *funcs);

/* The bits of a pass that are not to be excluded. */
uint32_t func_search_wanted(const struct func_search *search, size_t first);

/* For each func, and for each category: whether any term is found in it. Terms that exclude take no part. `categories` may be
 * NULL. */
int func_search_mark(const struct func_list *funcs, struct slice text, uint8_t *marked, uint8_t *categories,
                     struct error *error);

/* For each func: whether the search chooses it. Any term is found in it, if there are some that do not exclude, and none that
 * excludes. */
int func_search_choose(const struct func_list *funcs, struct slice text, uint8_t *chosen, struct error *error);

#endif
