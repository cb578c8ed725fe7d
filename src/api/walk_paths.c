#include "api/walk_paths.h"

#include <errno.h>

int walk_paths_read(struct walk_paths *paths, const struct open_walk *walk, size_t own)
{
    *paths = (struct walk_paths){.own = own};
    if (!open_rows_read(&paths->open, walk->steps.items, walk->steps.count) ||
        !vec_reserve(&paths->paths, own + paths->open.places.count))
        return -ENOMEM;
    for (size_t i = 0; i < own; i++)
        paths->paths.items[paths->paths.count++] = (struct path){0};
    size_t funcs = 0;
    for (uint32_t place = OPEN_ROWS_ROOT + 1; place < paths->open.places.count; place++) {
        struct path *path = &paths->paths.items[paths->paths.count++];
        *path = (struct path){0};
        if (!open_rows_path(&paths->open, place, path))
            return -ENOMEM;
        funcs += path->funcs.count;
        if (funcs > WALK_MOST_FUNCS)
            return -E2BIG;
    }
    return 0;
}

bool walk_paths_write(const struct walk_paths *paths, struct open_walk *walk)
{
    struct open_rows open;
    if (!open_rows_read(&open, NULL, 0))
        return false;
    bool fits = true;
    open.places.items[OPEN_ROWS_ROOT].below = paths->open.places.items[OPEN_ROWS_ROOT].below;
    for (size_t i = paths->own; i < paths->paths.count && fits; i++)
        if (paths->paths.items[i].funcs.count > 0)
            fits = open_rows_mark(&open, &paths->paths.items[i], &paths->open.places.items[i - paths->own + 1]);
    walk->steps.count = 0;
    fits = fits && open_rows_walk(&open, walk);
    open_rows_free(&open);
    return fits;
}

void walk_paths_free(struct walk_paths *paths)
{
    for (size_t i = 0; i < paths->paths.count; i++)
        path_free(&paths->paths.items[i]);
    vec_free(&paths->paths);
    open_rows_free(&paths->open);
}
