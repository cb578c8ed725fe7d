/* "Did you mean …?" for names of functions, which people type as they say them, or as they see them.
 *
 *     compute                          requests::compute(int)      a part of the name, of as many words
 *     requests                         requests::compute(int)      where no function has it at its end
 *     std::map<…>::find(…)             as it is shown where it is folded or cut (print/func_name.h)
 *     conpute                          requests::compute(int)      the nearest one, where all this finds nothing */
#ifndef SONDE_CLI_SIMILAR_FUNC_H
#define SONDE_CLI_SIMILAR_FUNC_H

#include "common/error.h"
#include "tree/func_list.h"

/* Adds to the message those that may have been meant by `name`, if any; nothing where a function has that name. */
void similar_func_add(const struct func_list *funcs, struct slice name, struct error *error);

#endif
