/* What stands for a function in addresses: a text made of its name, library and file, so that it is the same in another
 * recording of the program, and after symbols came that do not concern it. */
#ifndef SONDE_API_FUNC_HASH_H
#define SONDE_API_FUNC_HASH_H

#include "tree/func_list.h"

enum { FUNC_HASH_LENGTH = 8 };

struct func_hash {
    char text[FUNC_HASH_LENGTH + 1]; /* of A-Z a-z 0-9 - _ */
};

/* Functions of the same texts have the same key. */
struct func_hash func_hash_of(const struct func_list *funcs, uint32_t func);

#endif
