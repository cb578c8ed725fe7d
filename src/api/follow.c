#include "api/follow.h"

#include <errno.h>

/* All paths of a walk may be much longer than the walk. */
enum { FOLLOW_MOST_FUNCS = 1 << 20 };

/* The path and the anchor of the ask come first, then a path for each place of the walk. */
enum { OWN_PATHS = 2 };

struct followed_rows {
    struct open_rows open;
    VEC(struct path) paths;
};

static void free_paths(struct followed_rows *rows)
{
    for (size_t i = 0; i < rows->paths.count; i++)
        path_free(&rows->paths.items[i]);
    vec_free(&rows->paths);
}

/* The paths of the ask are moved here. */
static int collect(struct asking *asking, struct ask *ask, struct followed_rows *rows)
{
    if (!vec_reserve(&rows->paths, OWN_PATHS + rows->open.places.count))
        return -ENOMEM;
    rows->paths.items[rows->paths.count++] = ask->path;
    rows->paths.items[rows->paths.count++] = ask->anchor;
    ask->path = ask->anchor = (struct path){0};
    size_t funcs = 0;
    for (uint32_t place = OPEN_ROWS_ROOT + 1; place < rows->open.places.count; place++) {
        struct path *path = &rows->paths.items[rows->paths.count++];
        *path = (struct path){0};
        if (!open_rows_path(&rows->open, place, path))
            return -ENOMEM;
        funcs += path->funcs.count;
        if (funcs > FOLLOW_MOST_FUNCS)
            return asking_refuse(asking, "open", "the paths have more than %d functions together", FOLLOW_MOST_FUNCS);
    }
    return 0;
}

/* A walk of what is left of the places. */
static bool rebuild(const struct followed_rows *rows, struct open_walk *walk)
{
    struct open_rows open;
    if (!open_rows_read(&open, NULL, 0))
        return false;
    bool fits = true;
    open.places.items[OPEN_ROWS_ROOT].below = rows->open.places.items[OPEN_ROWS_ROOT].below;
    for (size_t i = OWN_PATHS; i < rows->paths.count && fits; i++)
        if (rows->paths.items[i].funcs.count > 0)
            fits = open_rows_mark(&open, &rows->paths.items[i], &rows->open.places.items[i - OWN_PATHS + 1]);
    walk->steps.count = 0;
    fits = fits && open_rows_walk(&open, walk);
    open_rows_free(&open);
    return fits;
}

static int follow(struct asking *asking, struct ask *ask, struct followed_rows *rows)
{
    struct query query = asking->state.query;
    struct error error = {0};
    query.inverted = asking->state.inverted;
    int status = collect(asking, ask, rows);
    if (status != 0)
        return status;
    if (query_follow(asking->whole, &query, ask->since, rows->paths.items, rows->paths.count, &error) != 0)
        return asking_failed(asking, &error);
    ask->path = rows->paths.items[0];
    ask->anchor = rows->paths.items[1];
    rows->paths.items[0] = rows->paths.items[1] = (struct path){0};
    return rebuild(rows, &ask->open) ? 0 : -ENOMEM;
}

int follow_ask(struct asking *asking, struct ask *ask)
{
    if (ask->since > asking->state.query.transform_count)
        return asking_refuse(asking, "since", "there are no more than %zu transforms", asking->state.query.transform_count);
    struct followed_rows rows = {0};
    if (!open_rows_read(&rows.open, ask->open.steps.items, ask->open.steps.count))
        return -ENOMEM;
    int status = follow(asking, ask, &rows);
    free_paths(&rows);
    open_rows_free(&rows.open);
    return status;
}
