/* Source files as people name them. */
#ifndef SONDE_TREE_SOURCE_FIND_H
#define SONDE_TREE_SOURCE_FIND_H

#include "profile/profile.h"

/* A file by its name, or by the end of its path where that is unique. -ENOENT with a message otherwise. */
int source_find(const struct profile *profile, struct slice name, uint32_t *source, struct error *error);

#endif
