#include "api/follow.h"

#include "api/walk_paths.h"

#include <errno.h>

/* The path and the anchor of the ask come first, then a path for each place of the walk. */
enum { OWN_PATHS = 2 };

/* What becomes of a path that is gone: the nearest of its ancestors that is not. */
static int follow_ancestors(struct asking *asking, const struct query *query, struct ask *ask, const struct path *before,
                            struct path *path)
{
    VEC(struct path) ancestors = {0};
    struct error error = {0};
    int status = 0;
    size_t left = WALK_MOST_FUNCS;
    for (size_t length = before->funcs.count; length-- > 1 && length <= left && status == 0; left -= length) {
        struct path ancestor = {0};
        const struct path from = {{before->funcs.items, length, length}};
        if (!path_copy(&ancestor, &from) || !vec_push(&ancestors, ancestor)) {
            path_free(&ancestor);
            status = -ENOMEM;
        }
    }
    if (status == 0 && ancestors.count > 0 &&
        query_follow(asking->whole, query, ask->since, ancestors.items, ancestors.count, &error) != 0)
        status = asking_failed(asking, &error);
    for (size_t i = 0; i < ancestors.count; i++) {
        if (status == 0 && path->funcs.count == 0) {
            struct path empty = *path;
            *path = ancestors.items[i];
            ancestors.items[i] = empty;
        }
        path_free(&ancestors.items[i]);
    }
    vec_free(&ancestors);
    return status;
}

static int follow(struct asking *asking, struct ask *ask, struct walk_paths *rows)
{
    struct query query = asking->state.query;
    struct error error = {0};
    query.inverted = asking->state.inverted;
    struct path before[OWN_PATHS] = {{{0}}};
    int status = path_copy(&before[0], &ask->path) && path_copy(&before[1], &ask->anchor) ? 0 : -ENOMEM;
    if (status != 0)
        goto out;
    rows->paths.items[0] = ask->path;
    rows->paths.items[1] = ask->anchor;
    ask->path = ask->anchor = (struct path){0};
    if (query_follow(asking->whole, &query, ask->since, rows->paths.items, rows->paths.count, &error) != 0) {
        status = asking_failed(asking, &error);
        goto out;
    }
    ask->path = rows->paths.items[0];
    ask->anchor = rows->paths.items[1];
    rows->paths.items[0] = rows->paths.items[1] = (struct path){0};
    if (ask->path.funcs.count == 0)
        status = follow_ancestors(asking, &query, ask, &before[0], &ask->path);
    if (status == 0 && ask->anchor.funcs.count == 0)
        status = follow_ancestors(asking, &query, ask, &before[1], &ask->anchor);
    if (status == 0 && !walk_paths_write(rows, &ask->open))
        status = -ENOMEM;
out:
    path_free(&before[0]);
    path_free(&before[1]);
    return status;
}

int follow_ask(struct asking *asking, struct ask *ask)
{
    if (ask->since > asking->state.query.transform_count)
        return asking_refuse(asking, "since", "there are no more than %zu transforms", asking->state.query.transform_count);
    struct walk_paths rows;
    int status = walk_paths_read(&rows, &ask->open, OWN_PATHS);
    if (status == -E2BIG)
        status = asking_refuse(asking, "open", "the paths have more than %d functions together", WALK_MOST_FUNCS);
    if (status == 0)
        status = follow(asking, ask, &rows);
    walk_paths_free(&rows);
    return status;
}
