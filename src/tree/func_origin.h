#ifndef SONDE_TREE_FUNC_ORIGIN_H
#define SONDE_TREE_FUNC_ORIGIN_H

#include "tree/func_list.h"

/* Where a function comes from, for people: the library of native code, or the file of a script and the line it starts on;
 * empty where it is unknown. Of a long name only the end is there. */
struct func_origin {
    char text[200];
};
struct func_origin func_origin(const struct func_list *funcs, uint32_t func);

#endif
