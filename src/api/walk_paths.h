/* A walk through open rows as a path for each row, so that rows can be followed one by one, and as a walk again. */
#ifndef SONDE_API_WALK_PATHS_H
#define SONDE_API_WALK_PATHS_H

#include "api/open_rows.h"

/* All paths of a walk may be much longer than the walk. */
enum { WALK_MOST_FUNCS = 1 << 20 };

struct walk_paths {
    struct open_rows open;
    size_t own;             /* paths that are the caller's, in front */
    VEC(struct path) paths; /* then one for each place of the walk; those that become empty are gone */
};

/* `own` paths are empty at first. 0, -ENOMEM, or -E2BIG where there are more than WALK_MOST_FUNCS. To be freed in any case. */
int walk_paths_read(struct walk_paths *paths, const struct open_walk *walk, size_t own);

/* A walk of what has become of the paths; what was in `walk` is lost. False when the heap is empty. */
bool walk_paths_write(const struct walk_paths *paths, struct open_walk *walk);

void walk_paths_free(struct walk_paths *paths);

#endif
