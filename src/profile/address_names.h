/* Asking what an address in a library is called. Whoever reads addresses asks; whoever has symbols answers; neither knows the
 * other. */
#ifndef SONDE_PROFILE_ADDRESS_NAMES_H
#define SONDE_PROFILE_ADDRESS_NAMES_H

#include "common/slice.h"

#include <stdbool.h>
#include <stdint.h>

struct address_name {
    struct slice name;    /* of the function; lives until the next question */
    uint64_t start, size; /* of the function, as the library's file has them; size 0 = unknown */
};

struct address_names {
    /* The function at `address`, as the library's file has it. `build_id` (bytes) says which build of the library it was; where
     * the file is another one now, or not there, nothing is known. */
    bool (*find)(void *data, struct slice path, struct slice build_id, uint64_t address, struct address_name *found);
    void *data;
};

#endif
