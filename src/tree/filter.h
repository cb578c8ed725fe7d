/* Filters: which frames and samples are looked at. Each makes a new view, as transforms do. */
#ifndef SONDE_TREE_FILTER_H
#define SONDE_TREE_FILTER_H

#include "tree/view.h"

/* Only frames that `implementation` shows; the others give their time to the nearest shown caller. */
int filter_implementation(const struct view *from, enum implementation implementation, struct view *to, struct error *error);

/* Only samples for which every term of `search` (separated by commas) is found in the function name, file name or resource
 * name of some frame. Case does not matter. A search without terms keeps everything. */
int filter_search(const struct view *from, struct slice search, struct view *to, struct error *error);

#endif
