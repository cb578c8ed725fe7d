/* The terms of a search, and in which functions each is found: in the name, the file name or the resource name, whatever the
 * case. Terms are separated by commas. */
#ifndef SONDE_TREE_FUNC_SEARCH_H
#define SONDE_TREE_FUNC_SEARCH_H

#include "tree/func_list.h"

/* So many terms are looked for in one pass: a bit each. */
enum { TERMS_PER_PASS = 32 };

struct func_search {
    VEC(struct slice) terms; /* lower-cased; they point into `lowered` */
    char *lowered;
    VEC(char) scratch;     /* the text being looked at, lower-cased */
    uint32_t *of_resource; /* for each resource: the terms found in its name */
    uint32_t *of_source;   /* for each source: those found in its filename */
    uint32_t *of_func;     /* for each func: those found in any of its texts */
};

/* `search` needs no initialisation and is to be freed in any case. False when the heap is empty. */
bool func_search_open(struct func_search *search, const struct func_list *funcs, struct slice text);
void func_search_free(struct func_search *search);

/* Fills `of_func`: bit I is the term `first` + I. */
bool func_search_pass(struct func_search *search, size_t first, const struct func_list *funcs);

/* All bits that a pass can set. */
static inline uint32_t func_search_all(const struct func_search *search, size_t first)
{
    size_t terms = search->terms.count - first;
    return terms >= TERMS_PER_PASS ? UINT32_MAX : (UINT32_C(1) << terms) - 1;
}

#endif
