/* Filters: which frames and samples are looked at. Each makes a new view, as transforms do. */
#ifndef SONDE_TREE_FILTER_H
#define SONDE_TREE_FILTER_H

#include "tree/view.h"

/* Only frames that `implementation` shows; the others give their time to the nearest shown caller. */
int filter_implementation(const struct view *from, enum implementation implementation, struct view *to, struct error *error);

/* Only samples that the search finds (search_terms.h): every term that excludes nothing is found in some frame of the stack,
 * none that excludes in any, and the thread is called so. A search without terms keeps everything. -EINVAL where the text is
 * no search. */
int filter_search(const struct view *from, struct slice search, struct view *to, struct error *error);

/* Only the others; without terms, none. Terms of threads take no part. */
int filter_search_out(const struct view *from, struct slice search, struct view *to, struct error *error);

#endif
